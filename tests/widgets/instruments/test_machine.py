"""Machine: tensors packed into one buffer, a spec that fits it, a name in words."""

import numpy as np
import pytest
import torch
from machines import stream
from traitlets import TraitError
from wire import in_full

from widgets.base.instrument import library
from widgets.instruments.machine.machine import LAYOUTS, Machine, pack


def placed(traits, name):
    """A tensor's numbers, found in the buffer as the page finds them."""
    tensor = traits["spec"]["tensors"][name]
    start = tensor["offset"]
    return traits["numbers"][start : start + int(np.prod(tensor["shape"]))].reshape(tensor["shape"])


def test_tensors_lie_end_to_end_and_are_found_again():
    tensors = {"a/out": torch.randn(3, 5, requires_grad=True), "b/weights": np.full((2, 1, 3), 0.5), "c/out": [7.0]}
    traits = pack({"nodes": []}, tensors, {"a/out": 3.0, "b/weights": 9.0})
    for name, tensor in tensors.items():
        given = tensor.detach() if hasattr(tensor, "detach") else tensor
        np.testing.assert_array_equal(placed(traits, name), np.float32(given))
    tensors = traits["spec"]["tensors"]
    assert [tensors[name]["limit"] for name in tensors] == [3.0, 1.0, 1.0], "that of weights is always 1"


@pytest.mark.parametrize("count", [16_384, 16_385])
def test_many_numbers_travel_with_three_digits_each(count):
    """Two bytes each, above 64 KB; Python keeps all digits."""
    machine = Machine("stream")
    numbers = np.random.default_rng(0).normal(size=count) * 5
    machine.show(**pack({"nodes": []}, {"a/out": numbers}))
    travelling = machine.get_state(["numbers"])["numbers"]
    assert ("halves" in travelling) == (count > 16_384)
    assert len(travelling.get("halves", travelling.get("data"))) <= 64 * 1024
    whole = in_full(travelling) if count > 16_384 else travelling
    found = np.frombuffer(whole["data"], np.float32)
    np.testing.assert_allclose(found, numbers, rtol=2**-11 if count > 16_384 else 1e-7, atol=1e-6)
    np.testing.assert_array_equal(machine.tensor("a/out"), np.float32(numbers))


def test_wide_vectors_are_sent_as_shares():
    tensors = {"a/out": np.arange(14.0).reshape(2, 7), "a/weights": np.eye(7), "b/out": np.arange(7.0)}
    traits = pack({}, tensors, most=3)
    first = [np.sqrt(np.mean(np.square(part))) for part in ([0, 1], [2, 3], [4, 5, 6])]
    np.testing.assert_allclose(placed(traits, "a/out")[0], first, rtol=1e-6)
    assert traits["spec"]["tensors"]["a/out"]["of"] == 7
    assert [name for name, tensor in traits["spec"]["tensors"].items() if "of" in tensor] == ["a/out"]


def test_chances_are_never_shares():
    spec = {"nodes": [{"id": "next", "kind": "word"}]}
    traits = pack(spec, {"next/out": np.eye(20), "a/out": np.eye(20)})
    assert [tensor["shape"] for tensor in traits["spec"]["tensors"].values()] == [[20, 20], [20, 16]]


def test_a_number_that_is_none_is_kept():
    assert np.isnan(pack({}, {"a/out": [1.0, float("nan")]})["numbers"]).tolist() == [False, True]


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan")])
def test_a_limit_is_above_zero(limit):
    with pytest.raises(ValueError, match="expected a limit above 0 for a/out"):
        pack({}, {"a/out": [1.0]}, limit)


def test_a_spec_that_does_not_fit_its_numbers_is_refused():
    machine = Machine("stream")
    traits = pack(*stream())
    machine.show(**traits)
    with pytest.raises(TraitError, match=r"embed\.tokens/out: expected at least 48 numbers, got 7"):
        machine.numbers = np.zeros(7)
    assert len(machine.numbers) == len(traits["numbers"])
    machine.show(**pack(*stream(blocks=1, tokens=12)))
    assert len(machine.numbers) != len(traits["numbers"]), "spec and numbers may change in one message"


def test_with_the_same_spec_only_the_numbers_travel():
    machine = Machine("stream")
    spec, tensors = stream()
    machine.show(**pack(spec, tensors))
    again = pack(spec, {name: 2 * np.asarray(tensor) for name, tensor in tensors.items()})
    assert list(machine.take(**again)) == ["numbers"]


def test_a_tensor_by_its_name():
    machine = Machine("stream")
    spec, tensors = stream()
    machine.show(**pack(spec, tensors))
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(machine.tensor(name), np.asarray(tensor, dtype=np.float32))
    with pytest.raises(ValueError, match=r"expected the name of a tensor \(.*embed.*\), got 'embed'"):
        machine.tensor("embed")


def test_a_spec_says_once_what_blocks_have_in_common():
    """What the page makes of it: tests/scripts/machine.test.js, which reads the same."""
    nodes = [{"id": "", "label": "whole", "line": "y"}, {"id": "in", "in": "", "label": "x", "tensor": "in/out"}]
    for block in ("b.0", "b.1"):
        label = f"block {block[-1]}"
        nodes += [
            {"id": block, "in": "", "kind": "block", "label": label},
            {"id": f"{block}.a", "in": block, "label": "a", "tensor": f"{block}.a/out", "memory": "in/out"},
            {"id": f"{block}.a:0", "in": f"{block}.a", "label": f"{label}, head 1"},
            {"id": f"{block}/out", "in": block, "label": "sum", "tensor": f"{block}/out"},
            {"id": f"{block}.c", "in": block, "label": "c", "tensor": "another/out"},
        ]
    nodes += [{"id": "other", "in": "b.0", "label": "called otherwise"}]
    machine = Machine("stream")
    machine.show(**pack({"nodes": nodes}, {"in/out": [1.0, 2.0], "b.0/out": [3.0]}))
    assert machine.get_state(["spec"])["spec"] == {
        "nodes": [
            {"id": "", "label": "whole", "line": "y"},
            {"id": "in", "label": "x"},
            {
                "id": "b.0",
                "kind": "block",
                "label": "block 0",
                "holds": [
                    {"id": ".a", "label": "a", "memory": "in/out", "holds": [{"id": ":0", "label": ", head 1"}]},
                    {"id": "/out", "label": "sum"},
                    {"id": ".c", "label": "c", "tensor": "another/out"},
                ],
            },
            {"id": "b.1", "label": "block 1", "like": "b.0"},
            {"id": "other", "label": "called otherwise", "in": "b.0"},
        ],
        "tensors": {"in/out": {"shape": [2], "limit": 1.0}, "b.0/out": {"shape": [1], "limit": 1.0}},
    }
    assert machine.spec["nodes"] == nodes, "here it stays as it was given"


@pytest.mark.parametrize("drawn", LAYOUTS)
def test_the_script_of_a_layout_is_small(drawn):
    assert len(library(Machine(drawn).bundle).source) < 40_000, "as it travels"


def test_a_layout_that_is_not_there():
    with pytest.raises(ValueError, match="expected one of stream, rails, grid, glimpses, product, towers, got 'tower'"):
        Machine("tower")


def test_name_in_words():
    assert repr(Machine("stream")) == "Machine(empty)"
    machine = Machine("stream")
    machine.show(**pack(*stream()), off=["blocks.1.attention:1"])
    assert repr(machine) == f"Machine(stream: 23 parts, {len(machine.numbers)} numbers, off: blocks.1.attention:1)"


def test_offers_where_to_go_and_what_to_switch_off():
    nodes = [{"id": ""}, {"id": "0", "kind": "block"}, {"id": "0:0", "kind": "head"}, {"id": "0/out", "kind": "sum"}]
    machine = Machine("stream", spec={"nodes": nodes})
    assert machine.offers("zoom") == ["", "0", "0:0"]
    assert machine.offers("off") == [[], ["0:0"]]
    assert machine.offers("edits") == []
