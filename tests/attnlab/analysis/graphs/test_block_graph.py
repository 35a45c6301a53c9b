"""What the parts of a Transformer are called in a graph, and in which order they stand; see also test_model_graph."""

import pytest
from graphs import stacked
from torch import nn

from attnlab.analysis.graphs.model_graph import model_graph
from attnlab.blocks import AttentionBlock, DecoderBlock, EncoderBlock, FeedForward, NormedQueriesKeys
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Positions, Rotary
from attnlab.transformer import GPT, Embed, masked_encoder, modern_gpt


def lines(model, kind):
    graph = model_graph(model)
    return [graph.part(node).line for node in range(len(graph.nodes)) if graph.part(node).kind == kind]


def second_block(model):
    """The ids of its nodes without the block's name, their lines, and the wires inside it."""
    graph = model_graph(model)
    block = graph.blocks[1]
    inside = range(block.first, block.end)
    ids = [graph.nodes[node].id.removeprefix("blocks.1") for node in inside]
    wires = sorted((a - block.first, b - block.first) for a, b in graph.wires["hidden"] if a in inside and b in inside)
    return ids, [graph.part(node).line for node in inside], wires


def test_pre_norm():
    ids, code, wires = second_block(stacked("pre_norm"))
    assert ids == [
        ".attention_norm",
        ".attention",
        ".feed_forward_norm/in",
        ".feed_forward_norm",
        ".feed_forward",
        "/out",
    ]
    assert code == [
        "y = attention_norm(x)",
        "y = attention(y)",
        "x = x + y",
        "y = feed_forward_norm(x)",
        "y = feed_forward(y)",
        "x = x + y",
    ]
    assert wires == [(0, 1), (1, 2), (2, 3), (2, 5), (3, 4), (4, 5)]


def test_post_norm():
    ids, code, wires = second_block(stacked("post_norm"))
    assert ids == [
        ".attention",
        ".attention_norm/in",
        ".attention_norm",
        ".feed_forward",
        ".feed_forward_norm/in",
        ".feed_forward_norm",
    ]
    assert code == [
        "y = attention(x)",
        "x = x + y",
        "x = attention_norm(x)",
        "y = feed_forward(x)",
        "x = x + y",
        "x = feed_forward_norm(x)",
    ]
    assert wires == [(0, 1), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)]


def test_bare():
    ids, code, wires = second_block(stacked("bare"))
    assert ids == [".attention_norm", ".attention", ".feed_forward_norm", ".feed_forward"]
    assert code == ["y = attention_norm(x)", "x = attention(y)", "y = feed_forward_norm(x)", "x = feed_forward(y)"]
    assert wires == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize("residual", ["pre_norm", "post_norm"])
def test_without_norms(residual):
    ids, code, _ = second_block(stacked(residual, "none"))
    assert [id.rpartition(".")[2].rpartition("/")[0] or id for id in ids][::2] == [".attention", ".feed_forward"]
    assert code == ["y = attention(x)", "x = x + y", "y = feed_forward(x)", "x = x + y"]


@pytest.mark.parametrize(
    ("name", "inside", "added"),
    [
        ("none", "", None),
        ("learned", "", "position = positions.table[:n]"),
        ("sinusoidal", "", "position = scale * sinusoidal(n, dim)"),
        ("one_hot", "", "position = mix([token, one_hot(place)]) - token"),
        ("rotary", "  # q, k turned by place", None),
        ("alibi", "  # scores - slope * distance", None),
        ("relative", "  # scores + table[distance]", None),
    ],
)
def test_positions_stand_where_they_act(name, inside, added):
    model = stacked(positions=name)
    assert lines(model, "attention") == [f"y = attention(y){inside}"] * 2
    assert lines(model, "embed") == ["token = tokens(ids)", *([] if added is None else [added])]


def test_positions_of_ones_own():
    class Louder(Positions):
        def rotate(self, x, start=0):
            return 2 * x

        def forward(self, x, start=0):
            return x + 1

    block = EncoderBlock(MultiHeadAttention(12, 3, NormedQueriesKeys(Louder(), 4)), FeedForward(12, 17))
    model = GPT(Embed(nn.Embedding(11, 12), Louder()), [block], None, nn.Linear(12, 11), longest=31)
    assert lines(model, "attention") == ["y = attention(y)  # q, k normed, then Louder"]
    assert lines(model, "embed")[1] == "position = Louder(token) - token"


def test_the_parts_of_a_modern_gpt():
    model = modern_gpt(11, 12, 3, 1, longest=9)
    assert lines(model, "attention") == ["y = attention(y)  # q, k normed, then q, k turned by place"]
    assert lines(model, "linear") == ["x[t] = x[t] + share_1 * x[t-1] + share_2 * x[t-2] + share_3 * x[t-3]"]
    assert lines(model, "unembed") == ["logits = 15 * tanh(output(x) / 15)"]
    assert [block.label for block in model_graph(model).blocks] == ["block 1"]


def test_the_parts_of_a_masked_encoder():
    model = masked_encoder(11, 12, 3, 1, longest=9, segments=2)
    assert lines(model, "embed")[2] == "text = segments(texts)"
    assert lines(model, "sum")[0] == "x = token + position + text"
    assert lines(model, "unembed") == ["logits = output(norm(gelu(transform(x))))"]


def test_blocks_by_themselves():
    attention = MultiHeadAttention(12, 3, Rotary(4))
    assert lines(AttentionBlock(attention), "stream") == ["x"]
    decoder = DecoderBlock(MultiHeadAttention(12, 3), attention, nn.Sequential(nn.Linear(12, 12)))
    assert lines(decoder, "stream") == ["x", "memory"]
    assert lines(decoder, "attention") == [
        "y = attention(y)",
        "y = cross_attention(y, memory)  # q, k turned by place",
    ]
    graph = model_graph(decoder)
    forward = next(node for node in range(len(graph.nodes)) if graph.part(node).kind == "feed_forward")
    assert graph.tensors(forward) == ["feed_forward/out"]  # its hidden numbers are not known


def test_an_attention_that_is_not_known_is_a_box_in_its_place():
    block = EncoderBlock(MultiHeadAttention(12, 3), FeedForward(12, 17))
    block.attention = nn.Bilinear(12, 12, 12)
    graph = model_graph(block)
    assert graph.nodes[2].id == "attention"
    assert graph.part(2) == ("box", "Bilinear", "y = attention(y)", 0, ("in",))
    assert {(1, 2), (2, 3)} <= set(graph.wires["hidden"])


def test_an_attention_by_itself():
    graph = model_graph(MultiHeadAttention(12, 3))
    assert [node.id for node in graph.nodes] == ["/in", "query", "key", "value", "/context", "output"]
    assert graph.wires == {
        "hidden": [(0, 1), (0, 2), (0, 3)],
        "query": [(1, 4)],
        "key": [(2, 4)],
        "value": [(3, 4)],
        "context": [(4, 5)],
    }
    assert graph.tensors(4) == ["/context", "/q", "/k", "/v", "/scores", "/weights", "/adds", "/bias"]
