"""The parts of graphs that recurrent encoders and decoders are made of."""

from torch import nn

from attnlab.analysis.graphs.block_graph import OF_ONE_HEAD, places, summed
from attnlab.analysis.graphs.graph import Builder, Part
from attnlab.checks import checked
from attnlab.seq2seq import (
    AttentionDecoder,
    Decoder,
    Encoder,
    Hard,
    LookBack,
    Monotonic,
    ParallelDecoder,
    Predictive,
    Seq2Seq,
)

_WEIGHED: dict[type[LookBack], str] = {
    LookBack: "softmax(scores)",
    Hard: "one_hot(argmax(scores))",
    Monotonic: "softmax(scores near t)",
    Predictive: "softmax(scores) * near(centre(s))",
}
"""Way to look back -> how weights come from scores."""


@checked
def seq2seq(builder: Builder, module: Seq2Seq, x: int | None = None) -> int:
    """Encoder and decoder. The nodes of a decoder that goes step by step stand for every step."""
    states, first = _encoder(builder, module.encoder)
    if isinstance(module.decoder, ParallelDecoder):
        return _parallel_decoder(builder, module.decoder, states, first)
    return decoder(builder, module.decoder, states, first, first)


def _encoder(builder: Builder, encoder: Encoder) -> tuple[int, int]:
    """The node of its states, and that of the vector that it ends with."""
    name = builder.call(encoder)
    words = _words(builder, encoder, "source words", "x = embedding(source)")
    ways = ", both ways" if encoder.recurrent.bidirectional else ""
    cell = _cell(builder, encoder.recurrent, "x[t]", words, ways=ways)
    states = builder.add(f"{name}/out", Part("state", "source states", "keys = h"), cell)
    last = "[h[-1] of each way]" if ways else "h[-1]"
    summary = Part("state", "summary", f"s = tanh(summarise({last}))")
    return states, builder.add(f"{name}/hidden", summary, cell)


def _words(builder: Builder, half: Encoder | Decoder | ParallelDecoder, label: str, line: str) -> int:
    word = builder.add(builder.call(half.embedding), Part("word", label, line))
    name, added = places(builder, half.positions)
    return summed(builder, [word, *added], f"{name}/out")


def _cell(
    builder: Builder,
    module: nn.RNNBase | nn.RNNCellBase,
    given: str,
    *sources: int | None,
    ways: str = "",
    **roles: int | None,
) -> int:
    kind = type(module).__name__.removesuffix("Cell")
    part = Part("cell", f"{kind}{ways}", f"h[t] = {kind.lower()}({given}, h[t-1])")
    return builder.add(builder.call(module), part, *sources, **roles)


@checked
def decoder(builder: Builder, module: Decoder, states: int, first: int | None, fixed: int | None) -> int:
    """One step: it looks back, unless its context is fixed, then its cell moves on and names the next word.

    states: the node of what it looks back at. first: that of the state that it starts from, None where that is 0 and
    nobody asks. fixed: that of the context of one that cannot look.
    """
    word = _words(builder, module, "word before", "x = embedding(previous)")
    context = fixed
    if isinstance(module, AttentionDecoder):
        context = _look_back(builder, module.attention, first, states)
    cell = _cell(builder, module.cell, "[x, context]", word, first, context=context)
    state = _state(builder, cell)
    builder.wire(state, cell)
    if context is not None and context != fixed:
        builder.wire(state, context, "query")
    part = Part("unembed", "next word", "logits = output([s, context])")
    return builder.add(builder.call(module.output), part, state, context=context)


def _parallel_decoder(builder: Builder, decoder: ParallelDecoder, states: int, first: int) -> int:
    """All steps at once: it runs first and looks back afterwards."""
    words = _words(builder, decoder, "words before", "x = embedding(target)")
    state = _state(builder, _cell(builder, decoder.recurrent, "x[t]", words, first))
    context = _look_back(builder, decoder.attention, state, states)
    output, part = builder.call(decoder.output), Part("linear", "combined", "combined = tanh(combine([context, s]))")
    combined = builder.add(f"{output}/in", part, state, context=context)
    return builder.add(output, Part("unembed", "next word", "logits = output(combined)"), combined)


def _state(builder: Builder, cell: int) -> int:
    return builder.add(builder.graph.nodes[cell].tensor, Part("state", "state", "s = h[t]"), cell)


def _look_back(builder: Builder, module: LookBack, query: int | None, states: int) -> int:
    weighed = _WEIGHED.get(type(module), f"{type(module).__name__}(scores)")
    part = Part("attention", "attention", f"context = {weighed} @ keys", 1, OF_ONE_HEAD)
    return builder.add(builder.call(module), part, query=query, key=states, value=states)
