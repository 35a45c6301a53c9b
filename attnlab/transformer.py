"""Transformers: the blocks of `blocks.py`, stacked. Each class is a composition of parts that it is given.

`transformer`, `gpt`, `modern_gpt`, `masked_encoder` and `universal` put the usual parts together: read them first.
In all of them the feed-forward network is 4 times as wide as the vectors.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from math import sqrt
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import gelu, pad

from attnlab.attention import Attention
from attnlab.blocks import (
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    NormedQueriesKeys,
    UnitRMS,
    into_stream,
    post_norm,
    pre_norm,
    squared_relu,
    start_at_zero,
)
from attnlab.checks import Count, Positive, Share, Size, check_ids, check_lengths, checked
from attnlab.masks import causal, everything, padding
from attnlab.multihead import Cache, Heads, MultiHeadAttention
from attnlab.positions import Learned, NoPositions, Positions, Rotary, Sinusoidal, width_of_head
from attnlab.registry import name_of

# Parts


@checked
class Embed(nn.Module):
    """Tokens to vectors: what each token is, where it stands and, where there are `segments`, which text it belongs to.

    positions: its `forward` is used here, its `rotate` and `bias` in every attention that is given the same object.
    norm: of the sum. Raises ValueError for token ids outside of the vocabulary.
    """

    def __init__(
        self,
        tokens: nn.Embedding,
        positions: Positions | None = None,
        segments: nn.Embedding | None = None,
        norm: nn.Module | None = None,
        dropout: Share = 0.0,
    ) -> None:
        super().__init__()
        self.tokens = tokens
        self.positions = NoPositions() if positions is None else positions
        self.segments = segments
        self.norm = nn.Identity() if norm is None else norm
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, tokens: Int[Tensor, "batch tokens"], start: Count = 0, segments: Int[Tensor, "batch tokens"] | None = None
    ) -> Float[Tensor, "batch tokens dim"]:
        """start: the place of the first token. segments: which text each token belongs to; all to text 0 if not given.

        Raises ValueError for segments given to a model that has none.
        """
        x = self.positions(_look_up(self.tokens, tokens, "token ids"), start)
        if self.segments is not None:
            segments = torch.zeros_like(tokens) if segments is None else segments
            x = x + _look_up(self.segments, segments, "segments")
        elif segments is not None:
            raise ValueError("expected no segments: this model was made without an embedding for them")
        return self.dropout(self.norm(x))


@checked
class ScaledEmbedding(nn.Embedding):
    """A table of vectors that starts with standard deviation dim^-1/2, and gives sqrt(dim) times its rows.

    One table can then embed the tokens and be the output map too: small for that one, of size 1 for this one.

    **Source:** Vaswani et al. 2017, section 3.4. **Names:** d_model -> dim.
    """

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight, std=self.embedding_dim**-0.5)

    def forward(self, tokens: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch dim"]:
        return super().forward(tokens) * sqrt(self.embedding_dim)


@checked
class TokenShift(nn.Module):
    """Adds shares of the tokens before it to each vector: a block without attention, which looks a few tokens back.

    Put before the first block, it spares the first attention the search for the nearest tokens.
    reach: how many tokens back. share: of the previous token, to begin with; of those before it, none. The shares are
    learned, one for every coordinate and distance.

    **Source:** Peng et al. 2023, "RWKV: Reinventing RNNs for the Transformer Era", section 3.1.1 (reach 1); Allen-Zhu
    2025, "Physics of Language Models: Part 4.1, Architecture Design and the Magic of Canon Layers" (reach 3).
    """

    def __init__(self, dim: Size, reach: Size = 3, share: Share = 0.6) -> None:
        super().__init__()
        # Vectors, not one matrix: what moves matrices as a whole leaves them alone.
        first = torch.full((dim,), float(share))
        self.shares = nn.ParameterList([first, *(torch.zeros(dim) for _ in range(1, reach))])

    def forward(
        self, x: Float[Tensor, "batch tokens dim"], mask: Bool[Tensor, "..."] | None = None, cache: Cache | None = None
    ) -> Float[Tensor, "batch tokens dim"]:
        """The first token of all has none before it. cache: holds the vectors before this call's. mask: not used."""
        seen = x if cache is None else cache.extend(x.unsqueeze(1), x[..., :0].unsqueeze(1))[0].squeeze(1)
        shifted = x
        for back, share in enumerate(self.shares, start=1):
            shifted = shifted + share * pad(seen, (0, 0, back, 0))[:, -back - x.shape[1] : -back]
        return shifted


@checked
class SoftCap(nn.Module):
    """limit tanh(x / limit): small numbers stay as they are, none leaves (-limit, limit).

    **Source:** Gemma Team 2024, "Gemma 2: Improving Open Language Models at a Practical Size", section 2.
    **Names:** soft_cap -> limit.
    """

    def __init__(self, limit: Positive) -> None:
        super().__init__()
        self.limit = limit

    def forward(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        return self.limit * torch.tanh(x / self.limit)

    def extra_repr(self) -> str:
        return f"limit={self.limit}"


@checked
def tied(table: nn.Embedding, bias: bool = False) -> nn.Linear:
    """The map whose weights are the table's rows: a token's logit is the product of its row with the vector.

    **Source:** Press and Wolf 2017, "Using the Output Embedding to Improve Language Models".
    """
    output = nn.Linear(table.embedding_dim, table.num_embeddings, bias)
    output.weight = table.weight
    return output


@checked
class MaskedOutput(nn.Module):
    """BERT's way from vectors to logits: one more layer and a norm, then the tied map.

    dim: how wide the vectors are, where the table's rows are not.

    **Source:** the code of Devlin et al. 2019 (`get_masked_lm_output`).
    """

    def __init__(
        self,
        norm: nn.Module,
        table: nn.Embedding,
        activation: Callable[[Tensor], Tensor] = gelu,
        dim: Size | None = None,
    ) -> None:
        super().__init__()
        self.transform = nn.Linear(dim or table.embedding_dim, table.embedding_dim)
        self.activation = activation
        self.norm = norm
        self.output = tied(table, bias=True)

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch vocabulary"]:
        return self.output(self.norm(self.activation(self.transform(x))))

    def extra_repr(self) -> str:
        return f"activation={name_of(self.activation)}"


# Stacks


@checked
class Stack(nn.Module):
    """Embeddings, blocks, and a last norm: for pre-norm blocks, whose stream is not normalised when it leaves them."""

    def __init__(self, embed: Embed, blocks: Sequence[nn.Module], norm: nn.Module | None = None) -> None:
        super().__init__()
        if not blocks:
            raise ValueError("expected at least one block, got none")
        self.embed = embed
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.Identity() if norm is None else norm

    def _caches(self, given: list[Any] | None) -> list[Any]:
        """What each block remembers: what was given, one for each, else nothing."""
        if given is not None and len(given) != len(self.blocks):
            raise ValueError(f"expected caches for {len(self.blocks)} blocks, got {len(given)}")
        return [None] * len(self.blocks) if given is None else given


@checked
class EncoderStack(Stack):
    """Every token looks at every token."""

    def forward(
        self,
        tokens: Int[Tensor, "batch tokens"],
        mask: Bool[Tensor, "..."] | None = None,
        segments: Int[Tensor, "batch tokens"] | None = None,
    ) -> Float[Tensor, "batch tokens dim"]:
        """One vector for each token. mask: as for `MultiHeadAttention`, such as `padding(lengths, tokens)`."""
        x = self.embed(tokens, segments=segments)
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)


class Encoded(NamedTuple):
    """What the encoder hands to the decoder. keys: one vector for each source token. mask: True where there is one."""

    keys: Float[Tensor, "batch source dim"]
    mask: Bool[Tensor, "batch source"]


State = list[tuple[Cache, Cache]]
"""For each block of a decoder, the caches of its self-attention and of its cross-attention."""


@checked
class DecoderStack(Stack):
    """Every token looks at itself, at the tokens before it, and at the source."""

    def forward(
        self, tokens: Int[Tensor, "batch target"], memory: Encoded, state: State | None = None
    ) -> Float[Tensor, "batch target dim"]:
        """One vector for each token. state: what was read before; these tokens follow it, and are added to it."""
        caches = self._caches(state)
        start = 0 if state is None else state[0][0].length
        mask = causal(tokens.shape[1], start=start).to(tokens.device)
        memory_mask = memory.mask.unsqueeze(1)
        x = self.embed(tokens, start)
        for block, pair in zip(self.blocks, caches, strict=True):
            x = block(x, memory.keys, mask, memory_mask, pair)
        return self.norm(x)


# Models


@checked
class Transformer(nn.Module):
    """Encoder and decoder of attention alone; it trains and translates as the models of `seq2seq` do.

    output: vectors -> logits. One table for source and target: give both stacks the same `nn.Embedding`.

    **Source:** Vaswani et al. 2017, section 3.
    """

    def __init__(self, encoder: EncoderStack, decoder: DecoderStack, output: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.output = output

    def encode(self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]) -> Encoded:
        """Reads the sources. Raises ValueError for lengths that are not between 1 and the width of `source`."""
        batch, width = source.shape
        check_lengths(lengths, batch, width)
        mask = padding(lengths, source.shape[1])
        return Encoded(self.encoder(source, mask), mask.squeeze(1))

    def start(self, memory: Encoded) -> State:
        """Empty caches. The first step fills those of the cross-attention, once for all steps."""
        return [(Cache(), Cache()) for _ in self.decoder.blocks]

    def step(
        self,
        previous: Int[Tensor, " batch"],
        state: State,
        memory: Encoded,
        weights: Float[Tensor, "batch 1 source"] | None = None,
    ) -> tuple[Float[Tensor, "batch vocabulary"], State, Attention]:
        """One step: the previous token and state in; logits of the next token, the next state and the attention.

        The attention is the last block's to the source: weights and scores are the means of its heads, the context
        holds the heads side by side. `weights` replace those of every head in every block's attention to the source.
        `state` is left as it is.
        """
        state = [(copy(cache), copy(known)) for cache, known in state]
        attentions = _cross_attentions(self.decoder.blocks)
        with _looking(attentions, weights) as heard:
            x = self.decoder(previous.unsqueeze(1), memory, state)
        found = heard[-1].attention
        context, *means = attentions[-1].merge(found.context), *(part.mean(dim=1) for part in found[1:])
        return self.output(x.squeeze(1)), state, Attention(context, *means)

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
    ) -> Float[Tensor, "batch target vocabulary"]:
        """Logits of every step when each step is given the right previous token: teacher forcing, all steps at once."""
        return self.output(self.decoder(target_in, self.encode(source, lengths)))


def _cross_attentions(blocks: Iterable[Any]) -> list[MultiHeadAttention]:
    """Of blocks that look at a source as `DecoderBlock` does."""
    return [block.cross_attention for block in blocks]


@contextmanager
def _looking(attentions: list[MultiHeadAttention], weights: Tensor | None) -> Iterator[list[Heads]]:
    """Hears the last one; all of them use `weights` [batch, 1, source], where there are any."""
    heard, before = [], [attention.given for attention in attentions]
    hear = heard.append
    attentions[-1].listeners.append(hear)
    try:
        for attention in attentions:
            attention.given = attention.given if weights is None else weights.unsqueeze(1)
        yield heard
    finally:
        attentions[-1].listeners.remove(hear)
        for attention, given in zip(attentions, before, strict=True):
            attention.given = given


@checked
class UniversalTransformer(Transformer):
    """One block of an encoder and one of a decoder, each repeated `depth` times with the same weights.

    The depth may be another at every call; `at` gives the same model with another depth for translating. Raises
    ValueError for stacks of several blocks.

    Left out: the paper tells every repetition its number (by waves added to the stream, and the places with it, before
    each), and lets every place stop after a number of repetitions of its own (adaptive computation time).

    **Source:** Dehghani et al. 2018, "Universal Transformers", section 2.1. **Names:** T -> depth, A^t -> a block.
    """

    def __init__(self, encoder: EncoderStack, decoder: DecoderStack, output: nn.Module, depth: Size) -> None:
        for name, stack in (("encoder", encoder), ("decoder", decoder)):
            if len(set(stack.blocks)) != 1:
                raise ValueError(f"expected one block of an {name} to repeat, got {len(set(stack.blocks))}")
        super().__init__(
            EncoderStack(encoder.embed, [encoder.blocks[0]] * depth, encoder.norm),
            DecoderStack(decoder.embed, [decoder.blocks[0]] * depth, decoder.norm),
            output,
        )

    def at(self, depth: Size) -> "UniversalTransformer":
        """The same weights, repeated `depth` times. Raises ValueError for a depth below 1."""
        return UniversalTransformer(self.encoder, self.decoder, self.output, depth).train(self.training)

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
        depth: Size | None = None,
    ) -> Float[Tensor, "batch target vocabulary"]:
        """As `Transformer.forward`; depth: that of the constructor unless given."""
        if depth is not None:
            return self.at(depth)(source, lengths, target_in)
        return super().forward(source, lengths, target_in)


@checked
class GPT(Stack):
    """A decoder that writes without a source: every token looks at itself and at those before it.

    blocks: called with `(x, mask, cache)`, such as `EncoderBlock`. output: vectors -> logits.
    longest: how many tokens it is made for; `write` shows it the last `longest` of a longer text.

    **Source:** Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training", section 3.1.
    """

    def __init__(
        self, embed: Embed, blocks: Sequence[nn.Module], norm: nn.Module | None, output: nn.Module, longest: Size
    ) -> None:
        super().__init__(embed, blocks, norm)
        self.output = output
        self.longest = longest

    def forward(
        self, tokens: Int[Tensor, "batch tokens"], caches: list[Cache] | None = None
    ) -> Float[Tensor, "batch tokens vocabulary"]:
        """Logits of the token after each. caches: what was read before; these tokens follow it, and are added to it."""
        start = caches[0].length if caches else 0
        x, mask = self.embed(tokens, start), causal(tokens.shape[1], start=start).to(tokens.device)
        for block, cache in zip(self.blocks, self._caches(caches), strict=True):
            x = block(x, mask, cache)
        return self.output(self.norm(x))

    def caches(self) -> list[Cache]:
        """An empty cache for every block."""
        return [Cache() for _ in self.blocks]


@checked
class MaskedEncoder(nn.Module):
    """An encoder that names the tokens that were hidden from it: every place is asked which token stands there.

    output: vectors -> logits. For another task take `encoder` alone and put another map on it.

    **Source:** Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers for Language
    Understanding", section 3.1, task 1.
    """

    def __init__(self, encoder: EncoderStack, output: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder
        self.output = output

    def forward(
        self,
        tokens: Int[Tensor, "batch tokens"],
        mask: Bool[Tensor, "..."] | None = None,
        segments: Int[Tensor, "batch tokens"] | None = None,
    ) -> Float[Tensor, "batch tokens vocabulary"]:
        """Logits of the token at each place. mask, segments: as for `EncoderStack`."""
        return self.output(self.encoder(tokens, mask, segments))


@checked
class TextClassifier(nn.Module):
    """An encoder, the mean of its vectors over the tokens of a text, and a map from that mean to the classes.

    may_attend: who may look at whom within the text, a function of its length as those in `MASKS`: `everything` for an
    encoder that reads both ways, `causal` for one that has learned to read from left to right.

    Left out: BERT takes the vector of a first token that it puts before every text, GPT that of a last one.
    """

    def __init__(
        self, encoder: EncoderStack, output: nn.Module, may_attend: Callable[[int], Tensor] = everything
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.output = output
        self.may_attend = may_attend

    def forward(
        self, tokens: Int[Tensor, "batch tokens"], lengths: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch classes"]:
        """Logits of the classes. Raises ValueError for lengths that are not between 1 and the width of `tokens`."""
        batch, width = tokens.shape
        check_lengths(lengths, batch, width)
        there = padding(lengths, width)
        x = self.encoder(tokens, there & self.may_attend(width).to(tokens.device))
        mean = (there.to(x) @ x).squeeze(1) / lengths.unsqueeze(1)
        return self.output(mean)


# The usual set-ups. They use torch's `nn.LayerNorm`: the same numbers as `blocks.LayerNorm`, in a third of the time.


@checked
def transformer(
    source_vocabulary: Size, target_vocabulary: Size, dim: Size, heads: int, layers: Size, dropout: Share = 0.0
) -> Transformer:
    """The Transformer of the paper: post-norm, relu, sinusoidal positions; the output map is the target's table.

    The paper's base model has 6 layers in the encoder and 6 in the decoder, dim 512 and 8 heads. The lecture's slide
    says 12 blocks and 6 heads: 12 is both halves together, the heads are 8.
    Dropout is where section 5.4 has it: on the sum of embeddings and positions and on each sublayer's output.

    **Source:** Vaswani et al. 2017, section 3 and table 3 (base). **Names:** N -> layers, P_drop -> dropout.
    """
    source, target = (ScaledEmbedding(vocabulary, dim) for vocabulary in (source_vocabulary, target_vocabulary))
    return _transformer(source, target, heads, layers, dropout)


@checked
def shared_transformer(vocabulary: Size, dim: Size, heads: int, layers: Size, dropout: Share = 0.0) -> Transformer:
    """`transformer` for two languages with one vocabulary: one table embeds source and target and is the output map.

    **Source:** Vaswani et al. 2017, section 3.4.
    """
    table = ScaledEmbedding(vocabulary, dim)
    return _transformer(table, table, heads, layers, dropout)


@checked
def universal(
    source_vocabulary: Size, target_vocabulary: Size, dim: Size, heads: int, depth: Size, dropout: Share = 0.0
) -> UniversalTransformer:
    """`transformer` with one layer, repeated `depth` times. See `UniversalTransformer` for what is left out."""
    model = transformer(source_vocabulary, target_vocabulary, dim, heads, 1, dropout)
    return UniversalTransformer(model.encoder, model.decoder, model.output, depth)


@checked
def gpt(vocabulary: Size, dim: Size, heads: int, layers: Size, longest: Size, dropout: Share = 0.0) -> GPT:
    """GPT-2: pre-norm, GELU, learned positions, the output map is the token table, all maps start at 0.02.

    longest: for how many places there are positions. dropout: of the embeddings, of the weights of attention and of
    each sublayer's output. The maps that write into the stream start smaller, by sqrt(2 layers), so that the stream
    does not grow with the depth. Not as in GPT-2: positions that start no smaller than the rest (0.01 in its code), and
    the exact GELU, which is faster than `tanh_gelu` on a CPU. `huggingface` loads GPT-2 itself.

    **Source:** Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.3.
    """
    table = nn.Embedding(vocabulary, dim)
    blocks = [
        EncoderBlock(
            MultiHeadAttention(dim, heads, dropout=dropout),
            FeedForward(dim, 4 * dim, gelu),
            nn.LayerNorm,
            pre_norm,
            dropout,
        )
        for _ in range(layers)
    ]
    embed = Embed(table, Learned(dim, longest, scale=0.02), dropout=dropout)
    model = GPT(embed, blocks, nn.LayerNorm(dim), tied(table), longest)
    _start_small(model, 0.02)
    for last in into_stream(blocks):
        last.weight.data /= sqrt(2 * layers)
    return model


@checked
def modern_gpt(vocabulary: Size, dim: Size, heads: int, layers: Size, longest: Size, dropout: Share = 0.0) -> GPT:
    """A GPT with what was found to learn faster since; every change is a part of its own.

    Rotary positions; queries and keys normed; `UnitRMS` for all norms, on the embeddings too; squared relu; learned
    shares of the three tokens before added (`TokenShift`); logits within 15; an output map of its own. That map, and
    those that write into the stream, start at 0: every block begins as the identity. Made for `muon`. dropout: as for
    `gpt`.
    """
    head_dim = width_of_head(dim, heads)
    positions = NormedQueriesKeys(Rotary(head_dim, longest), head_dim)
    blocks = [
        EncoderBlock(
            MultiHeadAttention(dim, heads, positions, dropout),
            FeedForward(dim, 4 * dim, squared_relu),
            UnitRMS,
            pre_norm,
            dropout,
        )
        for _ in range(layers)
    ]
    output = nn.Linear(dim, vocabulary, bias=False)
    start_at_zero(blocks)
    nn.init.zeros_(output.weight)
    embed = Embed(nn.Embedding(vocabulary, dim), norm=UnitRMS(dim), dropout=dropout)
    return GPT(embed, [TokenShift(dim), *blocks], UnitRMS(dim), nn.Sequential(output, SoftCap(15)), longest)


@checked
def masked_encoder(
    vocabulary: Size, dim: Size, heads: int, layers: Size, longest: Size, segments: Size | None = None
) -> MaskedEncoder:
    """BERT: post-norm, GELU, learned positions, normed embeddings, an output layer before the tied map; starts at 0.02.

    segments: how many texts one input may hold (BERT: 2, for pairs of sentences); none unless given.
    Not as in BERT: no dropout.

    **Source:** Devlin et al. 2019, section 3 and appendix A.2.
    """
    table = nn.Embedding(vocabulary, dim)
    texts = None if segments is None else nn.Embedding(segments, dim)
    embed = Embed(table, Learned(dim, longest, scale=0.02), texts, nn.LayerNorm(dim))
    blocks = [
        EncoderBlock(MultiHeadAttention(dim, heads), FeedForward(dim, 4 * dim, gelu), nn.LayerNorm, post_norm)
        for _ in range(layers)
    ]
    model = MaskedEncoder(EncoderStack(embed, blocks), MaskedOutput(nn.LayerNorm(dim), table))
    _start_small(model, 0.02)
    return model


def _transformer(source: nn.Embedding, target: nn.Embedding, heads: int, layers: Size, dropout: Share) -> Transformer:
    dim = source.embedding_dim

    attention, feed_forward = partial(MultiHeadAttention, dim, heads), partial(FeedForward, dim, 4 * dim)
    rest = nn.LayerNorm, post_norm, dropout
    encoder = [EncoderBlock(attention(), feed_forward(), *rest) for _ in range(layers)]
    decoder = [DecoderBlock(attention(), attention(), feed_forward(), *rest) for _ in range(layers)]
    embeds = [Embed(table, Sinusoidal(dim), dropout=dropout) for table in (source, target)]
    return Transformer(EncoderStack(embeds[0], encoder), DecoderStack(embeds[1], decoder), tied(target))


def _start_small(model: nn.Module, deviation: float) -> None:
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=deviation)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


def _look_up(table: nn.Embedding, ids: Tensor, what: str) -> Tensor:
    if ids.ndim != 2:
        raise ValueError(f"expected {what} [batch, tokens], got shape {list(ids.shape)}")
    check_ids(ids, table.num_embeddings, what)
    return table(ids)
