"""The graph of every model agrees with what `record` hears: its tensors are there, and what its wires carry arrives."""

import json

import pytest
import torch
from graphs import stacked
from torch import nn

from attnlab.analysis.graphs.graph import shape_in_words
from attnlab.analysis.graphs.model_graph import model_graph
from attnlab.analysis.heads.head_patterns import without
from attnlab.blocks import (
    NORMS,
    RESIDUALS,
    AttentionBlock,
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    post_norm,
)
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import POSITIONS, Learned
from attnlab.seq2seq import CELLS, AttentionSeq2Seq, FixedContext, Hard, LuongSeq2Seq
from attnlab.trace import record
from attnlab.transformer import (
    GPT,
    Embed,
    EncoderStack,
    gpt,
    masked_encoder,
    modern_gpt,
    shared_transformer,
    transformer,
    universal,
)
from attnlab.vision.captioner import Captioner, FixedCaptioner, HardCaptioner
from attnlab.vision.glimpses import RecurrentAttention, mean_gaze
from attnlab.vision.vit import vit

TOKENS, VECTORS = torch.randint(3, 11, (1, 6)), torch.randn(1, 6, 12)
PAIR = TOKENS, torch.tensor([6]), TOKENS[:, :4]

PICTURE = torch.rand(1, 3, 8, 8), None, TOKENS[:, :4]


def placed_translator():
    model = AttentionSeq2Seq(11, 11, hidden=5, embedding=3, bidirectional=False)
    model.encoder.positions, model.decoder.positions = Learned(3, 9), Learned(3, 9)
    model.decoder.attention = Hard(model.decoder.attention.score)
    return model


class Looking(RecurrentAttention):
    """One that looks where its own location network says, so that a picture is all it is given."""

    def __init__(self):
        super().__init__(10, size=4, scales=2, dim=5)
        self.forward = lambda pictures: RecurrentAttention.forward(self, pictures, mean_gaze(self.location), 3)


def attention():
    return MultiHeadAttention(12, 3)


MODELS = {
    **{f"{name} positions": (lambda name=name: stacked(positions=name), (TOKENS,)) for name in POSITIONS},
    **{
        f"{residual}, norm {norm}": (lambda residual=residual, norm=norm: stacked(residual, norm), (TOKENS,))
        for residual in RESIDUALS
        for norm in NORMS
    },
    "gpt": (lambda: gpt(11, 12, 3, 4, longest=9), (TOKENS,)),
    "modern gpt": (lambda: modern_gpt(11, 12, 3, 2, longest=9), (TOKENS,)),
    "masked encoder": (lambda: masked_encoder(11, 12, 3, 2, longest=9), (TOKENS,)),
    "masked encoder of pairs": (lambda: masked_encoder(11, 12, 3, 1, longest=9, segments=2), (TOKENS,)),
    "transformer": (lambda: transformer(11, 11, 12, 3, 2), PAIR),
    "shared transformer": (lambda: shared_transformer(11, 12, 3, 1), PAIR),
    "universal": (lambda: universal(11, 11, 12, 3, depth=3), PAIR),
    "universal at another depth": (lambda: universal(11, 11, 12, 3, depth=3).at(5), PAIR),
    **{
        f"{kind.__name__}, {cell}": (
            lambda kind=kind, cell=cell: kind(11, 11, hidden=5, embedding=3, cell=CELLS[cell]),
            PAIR,
        )
        for kind in (FixedContext, AttentionSeq2Seq, LuongSeq2Seq)
        for cell in CELLS
    },
    "translator with positions": (placed_translator, PAIR),
    **{
        f"ViT, {name}": (lambda name=name: vit(8, 4, 12, 3, 2, place=POSITIONS[name]), (torch.rand(2, 1, 8, 8),))
        for name in ("learned", "rotary", "none")
    },
    **{
        kind.__name__: (lambda kind=kind: kind(11, hidden=5, embedding=3, dim=6, size=8), PICTURE)
        for kind in (Captioner, HardCaptioner, FixedCaptioner)
    },
    "glimpses": (Looking, (torch.rand(1, 9, 9),)),
    "attention block": (lambda: AttentionBlock(attention()), (VECTORS,)),
    "encoder block": (lambda: EncoderBlock(attention(), FeedForward(12, 17)), (VECTORS,)),
    "decoder block": (
        lambda: DecoderBlock(attention(), attention(), FeedForward(12, 17), residual=post_norm),
        (VECTORS, VECTORS[:, :4]),
    ),
    "attention": (attention, (VECTORS,)),
    "stack": (lambda: EncoderStack(Embed(nn.Embedding(11, 12)), [AttentionBlock(attention())]), (TOKENS,)),
    "chain": (
        lambda: nn.Sequential(
            nn.Embedding(11, 12), nn.Dropout(), nn.Sequential(attention(), FeedForward(12, 17)), nn.Linear(12, 3)
        ),
        (TOKENS,),
    ),
}


def graph_and_trace(model, *inputs):
    model.eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.4)
    with torch.no_grad(), record(model) as trace:
        model(*inputs)
    return model_graph(model), trace


def close(got, wanted):
    torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_the_graph_of_every_model_is_what_its_arithmetic_did(name):
    make, inputs = MODELS[name]
    graph, trace = graph_and_trace(make(), *inputs)
    ids = [node.id for node in graph.nodes]
    assert len(set(ids)) == len(ids)
    shown = [trace.tensor(node.tensor) for node in graph.nodes]
    for number, node in enumerate(graph.nodes):
        for tensor in graph.tensors(number):
            assert shape_in_words(tensor, trace.tensor(tensor))
        assert graph.part(number).kind != "box"
        into = {role: [a for a, b in pairs if b == number] for role, pairs in graph.wires.items()}
        hidden = [shown[source] for source in into["hidden"]]
        if graph.part(number).kind == "sum":
            close(shown[number], sum(hidden))
        elif "/" not in node.id and graph.part(number).kind not in ("cell", "attention", "unembed"):
            for given in hidden:
                close(trace.tensor(f"{node.id}/in"), given)
        elif graph.part(number).kind == "attention" and "/" not in node.id:
            for given in (hidden or [shown[source] for source in into["query"]])[:1]:
                close(trace.tensor(f"{node.id}/in").flatten(), given.flatten())
    for block in graph.blocks:
        assert {graph.block(number) for number in range(block.first, block.end)} == {block}
        close(shown[block.end - 1], trace.tensor(f"{block.id}/out"))


@pytest.mark.parametrize("kind", [FixedContext, AttentionSeq2Seq, LuongSeq2Seq])
def test_what_a_recurrent_decoder_is_fed_with(kind):
    graph, trace = graph_and_trace(kind(11, 11, hidden=5, embedding=3), *PAIR)
    cell = "decoder.recurrent" if kind is LuongSeq2Seq else "decoder.cell"

    def into(target, role):
        pairs = graph.wires[role]
        return [trace.tensor(graph.nodes[a].tensor) for a, b in pairs if graph.nodes[b].id == target]

    word, context = into(cell, "hidden")[0], into(cell, "context")
    close(trace.tensor(f"{cell}/in"), torch.cat([word, *(one.reshape(1, -1) for one in context)], -1))
    if kind is not LuongSeq2Seq:
        state, context = into("decoder.output", "hidden")[0], into("decoder.output", "context")[0]
        close(trace.tensor("decoder.output/in"), torch.cat([state, context.reshape(1, -1)], -1))
        assert len(trace.calls("decoder.cell/out")) == 4  # one node stands for all steps


def test_a_vit_reads_the_class_token_out_of_patches():
    graph, trace = graph_and_trace(model := vit(8, 4, 12, 3, 2), torch.rand(2, 1, 8, 8))
    tokens = trace.tensor("embed.positions/in")
    close(tokens[:, 1:], trace.tensor("embed.pixels/out"))
    close(tokens[:, 0], model.embed.class_token.detach().expand(2, -1))
    close(trace.tensor("output/in"), trace.tensor("norm/out")[:, 0])
    assert [graph.part(number).label for number in range(5)] == ["patches", "seen", "token", "position", "the stream"]
    assert [block.label for block in graph.blocks] == ["block 1", "block 2"]


@pytest.mark.parametrize("kind", [Captioner, HardCaptioner, FixedCaptioner])
def test_a_captioner_looks_at_the_states_of_its_grid(kind):
    graph, trace = graph_and_trace(kind(11, hidden=5, embedding=3, dim=6, size=8), *PICTURE)
    keys = trace.tensor("encoder/out")
    assert keys.shape == (1, 4, 6)
    states = next(number for number, node in enumerate(graph.nodes) if node.id == "encoder/out")
    if kind is FixedCaptioner:
        close(trace.tensor("encoder/hidden"), keys.mean(1))
        assert set(graph.wires) == {"hidden", "context"}
    else:
        looked = {graph.nodes[target].id for source, target in graph.wires["key"] if source == states}
        assert looked == {"decoder.attention"}
        assert not trace.tensor("decoder.attention/in").any()
        for context, weights in zip(
            trace.calls("decoder.attention/context"), trace.calls("decoder.attention/weights"), strict=True
        ):
            close(context, weights @ keys)
        close(trace.calls("decoder.attention/in")[1].flatten(), trace.calls("decoder.cell/out")[0].flatten())
    given = trace.tensor("encoder/hidden" if kind is FixedCaptioner else "decoder.attention/context").flatten()
    close(
        trace.tensor("decoder.cell/in").flatten(), torch.cat([trace.tensor("decoder.embedding/out").flatten(), given])
    )


def test_a_glimpse_is_what_was_seen_and_where_and_the_state_chooses_the_next():
    graph, trace = graph_and_trace(Looking(), torch.rand(1, 9, 9))
    assert len(trace.calls("core/out")) == 3  # one node stands for all glimpses
    parts = (trace.tensor(f"glimpse.{name}/out") for name in ("from_what", "from_where"))
    close(trace.tensor("glimpse/out"), torch.relu(sum(parts)))
    close(trace.tensor("core/in"), trace.tensor("glimpse/out"))
    before = trace.calls("baseline/in")
    assert not before[0].any()
    for now, after in zip(before[1:], trace.calls("core/out"), strict=False):
        close(now, after)
    for place, mean in zip(trace.calls("glimpse.where/in"), trace.calls("location/out"), strict=True):
        close(place, mean)
    close(trace.tensor("action/in"), trace.tensor("core/out"))
    recurrent = {(graph.nodes[a].id, graph.nodes[b].id) for a, b in graph.wires["hidden"]}
    assert {("core", "baseline/in"), ("location", "glimpse.where/in")} <= recurrent


def test_a_source_is_looked_at_by_every_block_of_the_decoder():
    graph, trace = graph_and_trace(universal(11, 11, 12, 3, depth=2), *PAIR)
    encoded = trace.tensor("encoder/out")
    looking = [graph.nodes[target].id for _, target in graph.wires["key"]]
    assert looking == ["decoder.blocks.0.cross_attention", "decoder.blocks.0.cross_attention#1"]
    sources = {source for role in ("key", "value") for source, _ in graph.wires[role]}
    assert sources == {graph.blocks[1].end - 1}
    close(trace.tensor(graph.nodes[graph.blocks[1].end - 1].tensor), encoded)
    assert [block.id for block in graph.blocks][1] == "encoder.blocks.0#1"
    assert [block.label for block in graph.blocks] == [
        "encoder block 1",
        "encoder block 2",
        "decoder block 1",
        "decoder block 2",
    ]


@pytest.mark.parametrize(
    "model",
    [
        lambda: gpt(11, 32, 16, 12, longest=9),
        lambda: masked_encoder(11, 32, 16, 12, longest=9, segments=2),
        lambda: transformer(11, 11, 32, 16, 6),
    ],
)
def test_twelve_blocks_of_sixteen_heads_are_a_few_kilobytes(model):
    graph = model_graph(model())
    text = json.dumps(graph)
    assert len(graph.blocks) == 12
    assert len(text) < 8000
    parts, nodes, wires, blocks = json.loads(text)
    assert [parts[part][3] for _, part in nodes].count(16) >= 12
    assert all(target < len(nodes) for pairs in wires.values() for _, target in pairs)
    assert blocks[-1][3] <= len(nodes)


def test_a_head_that_is_off_keeps_its_node():
    model = gpt(11, 12, 3, 1, longest=9)
    with without(model, [("blocks.0.attention", 1)]):
        assert model_graph(model) == model_graph(gpt(11, 12, 3, 1, longest=9))


# What it does not know


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.more = nn.Linear(12, 12), nn.ModuleList([AttentionBlock(attention())])

    def forward(self, x):
        return self.more[0](self.first(x))


class Backwards(EncoderBlock):
    def forward(self, x, mask=None, cache=None):
        return super().forward(x.flip(1), mask, cache)


def halved(x, sublayer, norm):
    return x + sublayer(norm(x)) / 2


def named(graph):
    return [(node.id, graph.part(number).kind, graph.part(number).label) for number, node in enumerate(graph.nodes)]


def test_an_unknown_module_is_a_box_and_what_attends_inside_is_there():
    graph, trace = graph_and_trace(Scorer(), VECTORS)
    assert named(graph)[:2] == [("", "box", "Scorer"), ("more.0/in", "stream", "the stream")]
    assert graph.tensors(0) == ["/out", "/in"]
    assert [block.id for block in graph.blocks] == ["more.0"]
    assert not any(0 in pair for pairs in graph.wires.values() for pair in pairs)
    for number in range(len(graph.nodes)):
        for tensor in graph.tensors(number):
            trace.tensor(tensor)


@pytest.mark.parametrize(
    ("block", "label"),
    [
        (lambda: Backwards(attention(), FeedForward(12, 17)), "Backwards"),
        (lambda: EncoderBlock(attention(), FeedForward(12, 17), residual=halved), "EncoderBlock"),
    ],
)
def test_a_block_with_a_way_of_its_own_is_a_box(block, label):
    model = GPT(Embed(nn.Embedding(11, 12)), [block()], nn.LayerNorm(12), nn.Linear(12, 11), longest=9)
    graph, trace = graph_and_trace(model, TOKENS)
    names = named(graph)
    assert names[1] == ("blocks.0", "box", label)
    assert ("blocks.0.attention/context", "attention", "attention") in names
    assert names[-2:] == [("norm", "norm", "norm"), ("output", "unembed", "next token")]
    assert {(0, 1), (1, len(names) - 2)} <= set(graph.wires["hidden"])
    for number in range(len(graph.nodes)):
        for tensor in graph.tensors(number):
            trace.tensor(tensor)


def test_a_model_of_another_library():
    layer = nn.TransformerEncoderLayer(12, 3, 17, batch_first=True)
    graph, trace = graph_and_trace(nn.Sequential(nn.Linear(12, 12), layer), VECTORS)
    assert named(graph) == [("0", "linear", "linear"), ("1", "box", "TransformerEncoderLayer")]
    assert graph.wires == {"hidden": [(0, 1)]}
    close(trace.tensor("1/in"), trace.tensor("0/out"))


def test_a_model_without_weights():
    with pytest.raises(ValueError, match="a model with weights to show, got Sequential, which has none"):
        model_graph(nn.Sequential(nn.ReLU()))
