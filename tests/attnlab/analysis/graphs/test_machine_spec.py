import json

import pytest
import torch
from torch import nn

from attnlab.analysis.graphs.machine_spec import (
    MachineSpec,
    colour_limits,
    largest_branch,
    machine_spec,
    outside_boxes,
    run_machine,
    with_gains,
)
from attnlab.analysis.graphs.model_graph import model_graph
from attnlab.analysis.heads.head_patterns import without
from attnlab.blocks import AttentionBlock, BatchNorm, EncoderBlock, FeedForward, LayerNorm, RMSNorm, UnitRMS
from attnlab.multihead import MultiHeadAttention
from attnlab.seq2seq import AttentionSeq2Seq
from attnlab.trace import record
from attnlab.transformer import gpt, transformer, universal

TOKENS = torch.tensor([[3, 1, 4, 1, 5], [1, 1, 1, 1, 1]])
PAIR = TOKENS, torch.tensor([5, 3]), TOKENS[:, :3]


def spec_and_trace(model, *inputs):
    with torch.no_grad(), record(model.eval()) as trace:
        model(*inputs)
    return machine_spec(model_graph(model), trace), trace


def test_blocks_and_heads_are_nodes_around_what_they_hold():
    spec, _ = spec_and_trace(gpt(11, 12, 2, 2, longest=9), TOKENS)
    json.dumps([spec.nodes, spec.wires])
    assert [node["id"] for node in spec.nodes if node["in"] in ("blocks.1", "blocks.1.attention")] == [
        "blocks.1.attention_norm",
        "blocks.1.attention",
        "blocks.1.attention:0",
        "blocks.1.attention:1",
        "blocks.1.feed_forward_norm/in",
        "blocks.1.feed_forward_norm",
        "blocks.1.feed_forward",
        "blocks.1/out",
    ]
    by_id = {node["id"]: node for node in spec.nodes}
    assert by_id["blocks.1"] == {
        "id": "blocks.1",
        "kind": "block",
        "in": "",
        "label": "block 2",
        "line": "x = block(x)",
        "shape": "5 tokens × 12",
    }
    assert by_id["blocks.1.attention"] == {
        "id": "blocks.1.attention",
        "kind": "attention",
        "in": "blocks.1",
        "label": "attention",
        "line": "y = attention(y)",
        "shape": "5 tokens × 12",
        "tensor": "blocks.1.attention/out",
    }
    assert by_id["blocks.1.attention:1"] == {
        "id": "blocks.1.attention:1",
        "kind": "head",
        "in": "blocks.1.attention",
        "label": "block 2, head 2",
        "line": "context = attend(q, k, v, mask=mask).context",
        "shape": "5 × 5",
    }
    places = {node["id"]: place for place, node in enumerate(spec.nodes)}
    assert places["embed/out"] < places["blocks.0"] < places["blocks.0.attention_norm"] < places["blocks.1"]
    wire = {"from": "embed/out", "to": "blocks.0.attention_norm", "tensor": "embed/out", "role": "hidden"}
    assert wire in spec.wires


def test_the_numbers_are_those_of_the_first_sequence():
    spec, trace = spec_and_trace(gpt(11, 12, 2, 1, longest=9), TOKENS)
    for node in spec.nodes:
        if node["kind"] not in ("block", "head"):
            assert torch.equal(spec.tensors[node["tensor"]], trace.tensor(node["tensor"])[0])
    name = "blocks.0.attention"
    assert torch.equal(spec.tensors[f"{name}/adds"], trace.tensor(f"{name}/adds")[0])
    assert torch.equal(spec.tensors[f"{name}/bias"], trace.tensor(f"{name}/bias"))
    assert torch.equal(spec.tensors[f"{name}/mask"], torch.ones(5, 5, dtype=torch.bool).tril())
    assert torch.equal(spec.tensors["blocks.0.feed_forward/hidden"], trace.tensor("blocks.0.feed_forward/hidden")[0])


def test_a_decoder_with_what_it_looks_at():
    spec, trace = spec_and_trace(universal(11, 11, 12, 2, depth=2), *PAIR)
    by_id = {node["id"]: node for node in spec.nodes}
    second = by_id["decoder.blocks.0.cross_attention#1"]
    assert second["in"] == "decoder.blocks.0#1"
    assert by_id["decoder.blocks.0#1"]["line"] == "x = block(x, memory)"
    assert torch.equal(spec.tensors[second["memory"]], trace.tensor("encoder/out")[0])
    assert "memory" not in by_id["decoder.blocks.0.attention"]
    into = {wire["role"]: wire["tensor"] for wire in spec.wires if wire["to"] == second["id"]}
    assert into == {
        "query": "decoder.blocks.0.attention_norm#1/out",
        "key": second["memory"],
        "value": second["memory"],
    }
    head = by_id["decoder.blocks.0.cross_attention#1:1"]
    assert (head["label"], head["shape"]) == ("decoder block 2, head 2", "3 × 5")
    assert spec.tensors["decoder.blocks.0.cross_attention/mask"].shape == (1, 5)


def test_an_attention_without_a_mask_has_none():
    spec, _ = spec_and_trace(EncoderBlock(MultiHeadAttention(12, 2), FeedForward(12, 17)), torch.randn(1, 5, 12))
    assert not any(name.endswith("/mask") for name in spec.tensors)
    assert {node["in"] for node in spec.nodes if node["kind"] == "sum"} == {"block"}
    assert spec.nodes[0]["id"] == "block"


def test_a_look_back_has_one_head_that_is_not_told_apart():
    spec, _ = spec_and_trace(AttentionSeq2Seq(11, 11, hidden=5, embedding=3), *PAIR)
    assert not any(node["kind"] == "head" for node in spec.nodes)
    look = next(node for node in spec.nodes if node["kind"] == "attention")
    assert (look["memory"], look["shape"]) == ("encoder/out", "1 token × 10")


class Chooser(nn.Module):
    """A module that the graph does not know, of which a part does not run."""

    def __init__(self):
        super().__init__()
        self.narrow = nn.Linear(12, 3)
        self.used, self.spare = (AttentionBlock(MultiHeadAttention(12, 2)) for _ in range(2))

    def forward(self, x):
        return self.narrow(self.used(x))


def test_a_box_has_its_shapes_and_what_did_not_run_says_so():
    spec, _ = spec_and_trace(Chooser(), torch.randn(1, 5, 12))
    by_id = {node["id"]: node for node in spec.nodes}
    assert by_id[""]["kind"] == "box"
    assert (by_id[""]["label"], by_id[""]["shape"]) == ("Chooser", "5 tokens × 12 → 5 tokens × 3")
    assert by_id["used.attention:1"]["shape"] == "5 × 5"
    for name in ("spare", "spare.attention", "spare.attention:1"):
        assert by_id[name]["shape"] == "did not run"
    assert "used.attention/q" in spec.tensors
    assert not any(name.startswith("spare") for name in spec.tensors)


class Halved(EncoderBlock):
    """A block with a way of its own."""

    def forward(self, x, mask=None, cache=None):
        return super().forward(x, mask, cache) / 2


def test_a_box_in_a_stream_has_what_it_makes_of_it_and_nothing_of_its_inside():
    model = gpt(11, 12, 2, 2, longest=9)
    model.blocks[0].__class__ = Halved
    spec, trace = spec_and_trace(model, TOKENS)
    change = trace.tensor("blocks.0/out")[0] - trace.tensor("blocks.0/in")[0]
    torch.testing.assert_close(spec.tensors["blocks.0/adds"], change)
    outside = outside_boxes(spec)
    assert "blocks.0/adds" in outside.tensors
    inside = [name for name in spec.tensors if name.startswith("blocks.0.")]
    assert inside
    assert {*spec.tensors} - {*outside.tensors} == {*inside}
    ids = [node["id"] for node in outside.nodes]
    assert ids[ids.index("blocks.0") + 1] == "blocks.1"
    assert all({wire["from"], wire["to"]} <= {*ids} for wire in outside.wires)
    assert len(outside.wires) < len(spec.wires)
    assert "embed.tokens/out" in spec.tensors
    assert not any(name.endswith("tokens/in") for name in spec.tensors), "ids are no numbers"


def test_a_model_that_has_not_run():
    with record(gpt(11, 12, 2, 1, longest=9)) as trace:
        pass
    with pytest.raises(ValueError, match="the model to run inside `record`, which heard nothing"):
        machine_spec(model_graph(transformer(11, 11, 12, 2, 1)), trace)


def test_colours_are_of_a_kind_and_the_largest_branch_is_the_widest():
    spec, trace = spec_and_trace(gpt(11, 12, 2, 2, longest=9), TOKENS)
    limits = colour_limits(spec)
    assert limits.keys() == spec.tensors.keys()
    for suffix in ("q", "context", "hidden"):
        assert len({limit for name, limit in limits.items() if name.endswith(f"/{suffix}")}) == 1
    scores = torch.cat([tensor.flatten() for name, tensor in spec.tensors.items() if name.endswith("/scores")])
    assert limits["blocks.0.attention/scores"] == pytest.approx(float(scores.abs().max()), rel=0.05)
    added = [*trace.tensor("blocks.0.attention/adds")[0], *trace.tensor("blocks.1.attention/adds")[0]]
    added += [trace.tensor(f"blocks.{block}.feed_forward/out")[0] for block in (0, 1)]
    assert largest_branch(spec) == pytest.approx(max(float(part.square().mean().sqrt()) for part in added))


def test_the_largest_share_of_a_long_vector_has_the_strongest_colour():
    torch.manual_seed(0)
    wide = torch.randn(3, 32) * torch.tensor([[1.0], [2.0], [8.0]])
    spec = MachineSpec([], [], {"x/out": wide, "y/out": wide / 4})
    largest = wide.unflatten(-1, (16, 2)).square().mean(-1).sqrt().max()
    assert colour_limits(spec) == pytest.approx(dict.fromkeys(spec.tensors, float(largest)), rel=0.05)
    assert colour_limits(spec, cells=32)["x/out"] < largest, "of numbers it is twice their root mean square"


def test_nothing_at_all_has_a_colour_and_a_branch():
    spec = MachineSpec([], [], {"x/out": torch.zeros(2, 3)})
    assert colour_limits(spec) == {"x/out": 1.0}
    assert largest_branch(spec) == 1.0


def test_a_run_without_a_head_gives_what_the_model_gives_without_it():
    model = gpt(11, 12, 2, 2, longest=9).eval()
    whole, before = run_machine(model, model_graph(model), [], TOKENS)
    result, spec = run_machine(model, model_graph(model), [("blocks.1.attention", 1)], TOKENS)
    torch.testing.assert_close(whole, model(TOKENS))
    with without(model, [("blocks.1.attention", 1)]):
        torch.testing.assert_close(result, model(TOKENS))
    assert not spec.tensors["blocks.1.attention/adds"][1].any()
    assert before.tensors["blocks.1.attention/adds"][1].any()


NORMS = (LayerNorm, RMSNorm, BatchNorm, UnitRMS, nn.LayerNorm, nn.RMSNorm, nn.BatchNorm1d)


@pytest.mark.parametrize("norm", NORMS, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_norm_says_what_it_has_learned(norm):
    model = nn.Sequential(nn.Linear(4, 4), norm(4)).eval()

    def said():
        node = {"id": "1", "kind": "norm", "shape": "3 words × 4"}
        return with_gains(MachineSpec([node], [], {}), model).nodes[0]["shape"]

    assert said() == "3 words × 4", "nothing at first: all gains are 1, all shifts 0"
    numbers = [*model[1].parameters()]
    expected = ["gain", "gain and shift"][: len(numbers)]
    for parameter, words in zip(numbers, expected, strict=True):
        parameter.data[2] += 0.1
        assert said() == f"3 words × 4, then a learned {words}"


def test_a_run_says_what_the_norms_have_learned():
    model = gpt(11, 12, 2, 2, longest=9).eval()
    graph = model_graph(model)
    model.blocks[1].attention_norm.weight.data[0] = 1.5
    shapes = {node["id"]: node["shape"] for node in run_machine(model, graph, [], TOKENS)[1].nodes}
    assert shapes["blocks.1.attention_norm"] == "5 tokens × 12, then a learned gain"
    assert shapes["blocks.0.attention_norm"] == "5 tokens × 12"
