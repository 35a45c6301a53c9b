"""GPTMachineExplorer: every number of the machine is the model's; a head that is off changes what comes after it."""

from copy import deepcopy

import pytest
import torch
from explorers import code_gives_the_picture, drive, move
from torch import nn

from attnlab import record
from attnlab.analysis import HeadEffect, head_effects, stands_out, without
from attnlab.transformer import GPT, gpt, modern_gpt
from widgets.explorers.l11_small_gpt import gpt_machine
from widgets.explorers.l11_small_gpt.gpt_machine import SHOWN, GPTMachineExplorer
from widgets.instruments.machine.machine import CELLS

HEAD = "blocks.1.attention:1"
ADDS = ("blocks.0.attention/adds", "blocks.1.attention/adds")


@pytest.fixture(scope="module")
def model(opinionated):
    return opinionated(layers=2, longest=64, times=6)


@pytest.fixture
def explorer(model, task):
    return GPTMachineExplorer(model, task, begin="ten tan", token=2)


def test_every_control(explorer, model, task):
    drive(explorer, model=model, task=task)


@pytest.mark.parametrize("off", [[], [HEAD], [HEAD, "blocks.0.attention:0"]])
def test_every_number_is_the_models(explorer, model, off):
    explorer.off = off
    heads = [(one[: one.index(":")], int(one[-1])) for one in off]
    with torch.no_grad(), without(model, heads), record(model) as trace:
        chances = model(torch.tensor([explorer.result.ids]))[0, -1].softmax(-1)
    machine = explorer.parts["machine"]
    heard = [name for name in machine.spec["tensors"] if not name.startswith("next/")]
    assert {"blocks.0.attention_norm/out", "blocks.1/out", "blocks.1.feed_forward/hidden", *ADDS} <= {*heard}
    for name in heard:
        own, seen = trace.tensor(name)[0].float(), torch.tensor(machine.tensor(name))
        if "of" in machine.spec["tensors"][name]:  # 64 numbers as 16 shares of 4
            own = own.unflatten(-1, (16, -1)).square().mean(-1).sqrt()
        torch.testing.assert_close(seen, own.reshape(seen.shape))
    shown = explorer.result.whole.shown
    torch.testing.assert_close(torch.tensor(machine.tensor("next/out")[:-1]), chances[shown])
    assert machine.tensor("next/out").sum() == pytest.approx(1)
    torch.testing.assert_close(torch.tensor(machine.tensor("next/logits")), trace.tensor("output/out")[0, -1, shown])
    assert machine.tensor("next/was").argmax() == explorer.result.whole.chances[shown].argmax()
    assert len(shown) == SHOWN
    assert shown == sorted(shown), "the order of the vocabulary"


def test_a_text_of_more_tokens_than_a_vector_has_cells(model, task):
    explorer = GPTMachineExplorer(model, task, begin="ten tan nets eat " * 3)
    assert not explorer.parts["caption"].error
    assert explorer.parts["machine"].tensor("blocks.0.attention/weights").shape[-1] > CELLS
    tensors = explorer.parts["machine"].spec["tensors"]
    assert all(tensors[name]["limit"] == 1 for name in tensors if name.endswith(("/weights", "/mask")))


class Own(nn.Module):
    """A part that nobody knows: it takes away twice what it is given."""

    def __init__(self, inside):
        super().__init__()
        self.inside = inside

    def forward(self, x, *rest, **named):
        made = self.inside(x, *rest, **named)
        return made - 2 * x if x.is_floating_point() else made


class OwnGPT(GPT):
    def forward(self, *given):
        return super().forward(*given)


def with_own(model, place):
    """The model with a part of nobody's kind in this place."""
    other = deepcopy(model)
    holder, _, name = place.rpartition(".")
    setattr(other.get_submodule(holder), name, Own(other.get_submodule(place)))
    return other


@pytest.mark.parametrize("place", ["blocks.1", "blocks.1.attention", "embed", "norm"])
def test_a_part_that_is_not_known_is_a_box(model, task, place):
    other = with_own(model, place)
    explorer = GPTMachineExplorer(other, task, begin="ten tan", token=1, zoom="blocks.1" if "." in place else "")
    assert explorer.parts["caption"].error == ""
    machine = explorer.parts["machine"]
    with torch.no_grad(), record(other) as trace:
        other(torch.tensor([explorer.result.ids]))
    (box,) = (node for node in machine.spec["nodes"] if node.get("kind") == "box")
    assert (box["id"], box["label"]) == (place, "Own")
    assert not [node for node in machine.spec["nodes"] if node["id"].startswith(f"{place}.")], "nothing of its inside"
    made = trace.tensor(f"{place}/out")[0]
    torch.testing.assert_close(explorer.result.spec.tensors[f"{place}/out"], made)
    assert f"{place}/out" in machine.spec["tensors"]
    assert "Own" in repr(explorer.parts["caption"]) or place == "embed"
    if place in ("blocks.1", "norm"):  # on the line: what it makes of the stream, nobody knows more
        change = torch.tensor(machine.tensor(f"{place}/adds"))
        torch.testing.assert_close(change, made - trace.tensor(f"{place}/in")[0])
    else:
        assert f"{place}/adds" not in machine.spec["tensors"]
    code_gives_the_picture(explorer, model=other, task=task)


def test_a_head_inside_a_box_is_never_spoken_of(model, task, monkeypatch):
    effect = HeadEffect("blocks.1.inside.attention", 1, 0, 0.9, 0.1, 0.8)
    monkeypatch.setattr(gpt_machine, "stands_out", lambda effects: effect)
    monkeypatch.setattr(gpt_machine, "head_effects", lambda *given: [])
    explorer = GPTMachineExplorer(with_own(model, "blocks.1"), task, begin="ten tan")
    assert explorer.parts["caption"].error == ""
    assert "hangs on" not in repr(explorer)


@pytest.mark.parametrize("kind", ["Linear", "OwnGPT"])
def test_a_model_that_does_not_run_as_a_gpt_is_refused(model, task, kind):
    other = deepcopy(model) if kind == "OwnGPT" else nn.Linear(3, 3)
    if kind == "OwnGPT":
        other.__class__ = OwnGPT
    assert GPTMachineExplorer(other, task, begin="ten tan").parts["caption"].error == (
        f"expected a GPT, got {kind}, whose `forward` is not that of attnlab's GPT; "
        "ModelMachineExplorer takes any model"
    )


def test_a_head_that_is_off_changes_only_the_numbers(explorer, model, task):
    machine = explorer.parts["machine"]
    limits = {name: tensor["limit"] for name, tensor in machine.spec["tensors"].items()}
    was = machine.tensor("next/was").copy()
    machine.off = [HEAD]
    assert explorer.off == [HEAD], "as if the hand had switched it"
    assert not machine.tensor("blocks.1.attention/adds")[1].any()
    assert machine.tensor("next/was").tolist() == was.tolist()
    assert {name: machine.spec["tensors"][name]["limit"] for name in limits} == limits
    assert repr(explorer.parts["caption"]).startswith("Without head 2 of block 2, “")
    code_gives_the_picture(explorer, model=model, task=task)
    move(explorer, 1)
    explorer.reset()
    assert machine.off == []


def test_what_is_seen_from_near_computes_nothing_anew(explorer, monkeypatch):
    explorer.off = [HEAD]
    monkeypatch.setattr(gpt_machine, "run_machine", None)
    explorer.change(zoom="blocks.1")
    explorer.change(off=[], zoom="")
    assert explorer.parts["caption"].error == ""


def test_the_sentence_tells_of_the_head_that_it_hangs_on(explorer, model):
    effect = stands_out(head_effects(model, torch.tensor([explorer.result.ids])))
    told = repr(explorer.parts["caption"])
    assert ("hangs on" in told) == (effect is not None)
    explorer.zoom = HEAD
    row = explorer.result.spec.tensors["blocks.1.attention/weights"][1, -1]
    assert f"{100 * float(row.max()):.0f}" in repr(explorer.parts["caption"]) or float(row.max()) > 0.995
    explorer.zoom = "blocks.0"
    assert "nothing is ever overwritten" in repr(explorer.parts["caption"])


def test_tokens_are_the_likeliest(explorer, model, task):
    ids = task.encode("ten tan").tolist()
    for _ in range(2):
        with torch.no_grad():
            ids.append(int(model(torch.tensor([ids]))[0, -1].argmax()))
    assert explorer.result.ids == ids
    assert explorer.parts["machine"].spec["labels"]["token"][-2:] != []


def test_blocks_of_other_kinds(task):
    torch.manual_seed(0)
    model = modern_gpt(len(task.vocabulary), 16, 2, 2, 64).eval()
    explorer = GPTMachineExplorer(model, task, begin="ten", token=1, off=["blocks.2.attention:0"])
    assert explorer.parts["caption"].error == ""
    kinds = [node["label"] for node in explorer.parts["machine"].spec["nodes"]]
    assert "token shift" in kinds


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("off", ["blocks.1.attention:7"], "expected heads from 0 to 1 of 'blocks.1.attention', got 7"),
        ("off", ["blocks.9.attention:0"], "expected names out of"),
        ("off", ["head"], "expected heads such as"),
        ("begin", "", "expected a beginning of 1 to 56 tokens"),
        ("begin", "ten " * 100, "expected a beginning of 1 to 56 tokens"),
    ],
)
def test_bad_input_gets_a_sentence_and_loses_nothing(explorer, name, value, words):
    before = explorer.parts["machine"].numbers
    setattr(explorer, name, value)
    assert words in explorer.parts["caption"].error
    assert explorer.parts["machine"].numbers is before


def test_a_number_that_is_none_is_shown_as_such(model, task):
    broken = gpt(len(task.vocabulary), 16, 2, 2, 64).eval()
    broken.blocks[1].feed_forward.contract.bias.data[0] = torch.nan
    explorer = GPTMachineExplorer(broken, task, begin="ten", token=0)
    assert explorer.parts["caption"].error == ""
    assert bool(torch.tensor(explorer.parts["machine"].tensor("blocks.1/out")).isnan().any())


@pytest.mark.parametrize("token", [0, 2])
def test_a_nan_that_ends_the_run_is_said_with_the_part_that_made_it(task, token):
    broken = gpt(len(task.vocabulary), 16, 2, 2, 64).eval()
    explorer = GPTMachineExplorer(broken, task, begin="ten", token=token)
    before = explorer.parts["machine"].numbers
    broken.blocks[0].feed_forward.contract.bias.data[0] = torch.nan
    explorer.refresh()
    assert explorer.parts["caption"].error.startswith("not a number: blocks.0.feed_forward.contract/out, ")
    assert explorer.parts["machine"].numbers is before


def test_a_model_without_weights(task):
    with pytest.raises(ValueError, match="expected a model with weights to show"):
        GPTMachineExplorer(torch.nn.Identity(), task)
