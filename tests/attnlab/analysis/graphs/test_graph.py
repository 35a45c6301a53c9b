import pytest
import torch
from torch import nn

from attnlab.analysis.graphs.graph import Builder, Part, shape_in_words


def test_nodes_are_told_once_what_they_are_and_numbered_by_call():
    model = nn.ModuleDict({"norm": nn.LayerNorm(3), "linear": nn.Linear(3, 3)})
    builder, norm = Builder(model), Part("norm", "norm", also=("in",))
    first = builder.add(builder.call(model["norm"]), norm)
    linear = builder.add(builder.call(model["linear"]), Part("linear", "map"), first)
    second = builder.add(builder.call(model["norm"]), norm, linear, None, key=first, value=None)
    builder.wire(second, first)
    graph = builder.graph
    assert [node.id for node in graph.nodes] == ["norm", "linear", "norm#1"]
    assert graph.parts == [norm, Part("linear", "map")]
    assert graph.part(second) is norm
    assert graph.wires == {"hidden": [(first, linear), (linear, second), (second, first)], "key": [(first, second)]}
    assert graph.tensors(second) == ["norm#1/out", "norm#1/in"]


def test_a_node_without_a_module_is_its_tensor():
    builder = Builder(nn.Linear(1, 1))
    number = builder.add("norm/in", Part("sum", "sum", also=("out",)))
    assert builder.graph.nodes[number].tensor == "norm/in"
    assert builder.graph.tensors(number) == ["norm/in", "norm/out"]
    assert builder.graph.block(number) is None


@pytest.mark.parametrize(
    ("name", "tensor", "words"),
    [
        ("blocks.0/out", torch.zeros(1, 6, 8), "6 tokens × 8"),
        ("blocks.0/out", torch.zeros(1, 1, 8), "1 token × 8"),
        ("blocks.0.attention/q", torch.zeros(1, 2, 6, 4), "2 heads × 6 tokens × 4"),
        ("blocks.0.attention#1/weights", torch.zeros(1, 1, 6, 7), "1 head × 6 × 7"),
        ("decoder.attention/scores", torch.zeros(1, 1, 4), "1 × 4"),
        ("blocks.0.attention/mask", torch.ones(1, 1, 6, 7, dtype=torch.bool), "6 × 7"),
        ("decoder.attention/context", torch.zeros(1, 1, 4), "1 token × 4"),
        ("decoder.cell/out", torch.zeros(1, 5), "5 numbers"),
        ("blocks.0.attention/bias", torch.zeros(8), "8 numbers"),
        ("embed/in", torch.zeros(1, 6, dtype=torch.long), "6 tokens"),
        ("decoder/in", torch.zeros(1, dtype=torch.long), "1 token"),
        ("/out", torch.zeros(1), "1 number"),
    ],
)
def test_shapes_in_words(name, tensor, words):
    assert shape_in_words(name, tensor) == words
