"""What is drawn of a foreign model is what its numbers say; a block of another arrangement is a plain box."""

from collections import OrderedDict

import pytest
import torch
from foreign_models import (
    LETTERS,
    Attends,
    added_to,
    albert,
    attends_twice,
    attends_two,
    bert,
    gpt2,
    llama,
    of_torch,
    ours,
    ours_again,
    shared_attention,
    side_by_side,
    t5,
    two_again,
)
from torch import nn

from attnlab import look_inside, record
from attnlab.analysis import heard_graph, hidden_numbers, machine_spec, model_graph


def heard(make):
    torch.manual_seed(0)
    model = make().eval()
    for parameter in model.parameters():
        if parameter.ndim > 1:
            parameter.data *= 5  # of the size of what runs by
    with record(model) as trace:
        look_inside(model, LETTERS, "a bad cabbage")
    return model, trace


BEFORE = ["norm", "attention", "sum", "norm", "feed_forward", "sum"]
BEHIND = ["attention", "sum", "norm", "feed_forward", "sum", "norm"]


@pytest.mark.parametrize(
    ("make", "kinds", "blocks"),
    [(gpt2, BEFORE, 2), (llama, BEFORE, 2), (ours, BEFORE, 2), (bert, BEHIND, 2), (albert, BEHIND, 3)],
)
def test_the_blocks_in_the_order_of_the_data(make, kinds, blocks):
    graph = heard_graph(*heard(make))
    assert [graph.part(node).kind for node in range(len(graph.nodes))] == ["stream", *kinds * blocks]
    assert [block.label for block in graph.blocks] == [f"block {number}" for number in range(1, blocks + 1)]
    assert len({node.id for node in graph.nodes}) == len(graph.nodes), "each call has nodes of its own"


@pytest.mark.parametrize("make", [gpt2, llama, ours, bert, albert, two_again, ours_again])
def test_every_sum_is_that_of_what_flows_into_it(make):
    """In the numbers that the machine shows: the stream before, and what heads or feed-forward network add."""
    graph, trace = (lambda model, trace: (heard_graph(model, trace), trace))(*heard(make))
    tensors = machine_spec(graph, trace).tensors
    sums = [number for number in range(len(graph.nodes)) if graph.part(number).kind == "sum"]
    for number in sums:
        (x, y) = (source for source, target in graph.wires["hidden"] if target == number)
        module = graph.nodes[y].id
        added = tensors[f"{module}/out"]
        if graph.part(y).kind == "attention":
            added = tensors[f"{module}/adds"].sum(0) + tensors.get(f"{module}/bias", 0)
        torch.testing.assert_close(
            tensors[graph.nodes[x].tensor] + added, tensors[graph.nodes[number].tensor], rtol=1e-4, atol=1e-4
        )
    assert len(sums) == 2 * len(graph.blocks)


def test_a_model_of_ours_is_drawn_as_model_graph_draws_it():
    model, trace = heard(ours)
    found, written = heard_graph(model, trace), model_graph(model)
    blocks = [node.id for node in written.nodes if node.id.startswith("blocks.")]
    assert [node.id for node in found.nodes[1:]] == blocks


def test_the_heads_of_shared_keys_are_all_there():
    model, trace = heard(llama)
    heads = [node for node in machine_spec(heard_graph(model, trace), trace).nodes if node["kind"] == "head"]
    assert len(heads) == 2 * 4


def test_blocks_that_come_again_in_turn():
    graph = heard_graph(*heard(two_again))
    assert [block.id for block in graph.blocks] == [f"blocks.{n}{call}" for call in ("", "#1", "#2") for n in (0, 1)]


@pytest.mark.parametrize(
    ("make", "ids", "kind"),
    [
        (side_by_side, ["gpt_neox.layers.0", "gpt_neox.layers.1"], "GPTNeoXLayer"),
        (attends_twice, ["blocks.0", "blocks.0#1", "blocks.0#2"], "Attends"),
        (attends_two, ["blocks.0", "blocks.0#1", "blocks.0#2"], "AttendsTwo"),
    ],
)
def test_a_block_that_does_not_add_up_is_a_plain_box(make, ids, kind):
    graph, trace = (lambda model, trace: (heard_graph(model, trace), trace))(*heard(make))
    assert [node.id for node in graph.nodes[1:]] == ids
    assert {graph.part(number)[:2] for number in range(1, len(graph.nodes))} == {("box", kind)}
    spec, x = machine_spec(graph, trace), graph.nodes[0].tensor
    for id in ids:  # each is given what the one before it made
        torch.testing.assert_close(spec.tensors[x] + spec.tensors[f"{id}/adds"], spec.tensors[f"{id}/out"])
        x = f"{id}/out"


@pytest.mark.parametrize("make", [t5, added_to, shared_attention])
def test_what_passes_no_stream_on_is_not_drawn(make):
    with pytest.raises(ValueError, match="do not pass one stream on"):
        heard_graph(*heard(make))


def test_a_norm_may_be_known_by_its_name_alone():
    model, _ = heard(gpt2)
    for module in model.modules():
        if isinstance(module, nn.LayerNorm):
            module.__class__ = type("Scale", (nn.LayerNorm,), {})
    graph = heard_graph(*heard(lambda: model))
    assert [graph.part(node).kind for node in range(len(graph.nodes))] == ["stream", *BEFORE * 2]


def test_an_attention_outside_of_all_blocks_is_not_drawn():
    parts = {"embed": nn.Embedding(9, 12), "attends": Attends(of_torch(), times=2), "output": nn.Linear(12, 9)}
    with pytest.raises(ValueError, match=r"do not pass one stream on.* at attends\.attention"):
        heard_graph(*heard(lambda: nn.Sequential(OrderedDict(parts))))


def test_a_bias_that_is_forgotten_is_noticed():
    """The sums are compared with what the model made of them, not only with each other."""
    model, trace = heard(gpt2)
    trace.tensor("transformer.h.0.mlp/out")[..., 0] += 1
    graph = heard_graph(model, trace)
    assert [block.label for block in graph.blocks] == ["block 2"]
    assert (graph.nodes[1].id, graph.part(1).kind) == ("transformer.h.0", "box")


def test_nothing_attended():
    model = torch.nn.Linear(2, 2)
    with record(model) as trace:
        model(torch.ones(1, 2))
    with pytest.raises(ValueError, match="nothing attended in Linear"):
        heard_graph(model, trace)


def test_numbers_of_16_bits():
    model = gpt2()
    with record(model.bfloat16()) as trace:
        look_inside(model, LETTERS, "a bad cabbage")
    assert len(heard_graph(model, trace).blocks) == 2


@pytest.mark.parametrize(
    ("make", "name", "source"),
    [
        (gpt2, "transformer.h.1.mlp/hidden", "transformer.h.1.mlp.c_proj/in"),
        (llama, "model.layers.0.mlp/hidden", "model.layers.0.mlp.down_proj/in"),
        (bert, "bert.encoder.layer.1.output.dense/hidden", "bert.encoder.layer.1.output.dense/in"),
        (ours, "blocks.0.feed_forward/hidden", "blocks.0.feed_forward/hidden"),
    ],
)
def test_the_hidden_numbers_of_a_feed_forward_network(make, name, source):
    model, trace = heard(make)
    found = hidden_numbers(heard_graph(model, trace), trace)
    assert len(found) == 2
    torch.testing.assert_close(found[name], trace.tensor(source)[0])


def test_the_hidden_numbers_of_each_call():
    model, trace = heard(albert)
    found = hidden_numbers(heard_graph(model, trace), trace)
    assert len(found) == 3
    (second,) = (name for name in found if "#1" in name)
    torch.testing.assert_close(found[second], trace.tensor(second.replace("/hidden", "/in"))[0])
