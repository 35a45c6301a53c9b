"""Sequence to sequence with recurrent networks: through one fixed vector, or looking back at every step.

`FixedContext`, `AttentionSeq2Seq` and `LuongSeq2Seq` share the encoder and differ in the decoder. `CELLS` names the
recurrent networks that each can be made of.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnlab import hard_attention, local_attention
from attnlab.alignment import SCORES, Additive, General, Score
from attnlab.attention import Attention, Weigh, attend, masked_softmax, replaced
from attnlab.checks import PAD, Count, Positive, Size, check_ids, check_lengths, check_targets, checked
from attnlab.masks import padding
from attnlab.positions import NoPositions
from attnlab.registry import Table, name_of


class Memory(NamedTuple):
    """What the encoder hands to the decoder.

    keys: one vector for each source token. mask: True where there is a token. summary: the whole source in one vector.
    projected: the keys as the decoder's score wants them, computed once for all steps; None where nothing attends.
    """

    keys: Float[Tensor, "batch source dim"]
    mask: Bool[Tensor, "batch source"]
    summary: Float[Tensor, "batch hidden"]
    projected: Float[Tensor, "batch source projected"] | None = None


class State(NamedTuple):
    """Where a decoder stands. hidden: what asks and what names the next token. cell: the other half of an LSTM's
    state, None in other networks. place: how many tokens it has been fed with."""

    hidden: Float[Tensor, "batch hidden"]
    cell: Float[Tensor, "batch hidden"] | None = None
    place: int = 0


@checked
class Recurrence:
    """A kind of recurrent network: `layer` is torch's module for a whole sequence, `cell` its module for one step.

    h_t = f(x_t, h_{t-1}): all that the network remembers is one vector, `State.hidden`.

    **Source:** Elman 1990, "Finding Structure in Time" (RNN); Cho et al. 2014, "Learning Phrase Representations using
    RNN Encoder-Decoder", section 2.3 (GRU; torch's resets after the matrix product, the paper's before it).
    **Names:** x_t -> inputs, h_t -> hidden.
    """

    def __init__(
        self, layer: type[nn.RNN | nn.GRU | nn.LSTM], cell: type[nn.RNNCell | nn.GRUCell | nn.LSTMCell]
    ) -> None:
        self.layer = layer
        self.cell = cell

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.layer.__name__})"

    def start(self, hidden: Float[Tensor, "batch hidden"]) -> State:
        """The state before the first step."""
        return State(hidden)

    def step(self, cell: nn.RNNCellBase, inputs: Float[Tensor, "batch dim"], state: State) -> State:
        """The state after one more token."""
        return State(cell(inputs, state.hidden), None, state.place + 1)

    def run(
        self, layer: nn.RNNBase, inputs: Float[Tensor, "batch tokens dim"], state: State
    ) -> tuple[Float[Tensor, "batch tokens hidden"], State]:
        """The hidden vectors after each of many tokens, and the state after the last."""
        hiddens, last = layer(inputs, state.hidden.unsqueeze(0))
        return hiddens, State(last.squeeze(0), None, state.place + inputs.shape[1])

    def last(self, final: Tensor) -> Float[Tensor, "directions batch hidden"]:
        """The hidden vectors at the end, of what a layer returns beside its outputs."""
        return final


@checked
class LongShortTerm(Recurrence):
    """A network that remembers two vectors: `State.cell` is carried on with little change, `State.hidden` is what it
    shows of it. The cell starts at 0, so that all it can know comes through `hidden` and the inputs.

    **Source:** Hochreiter and Schmidhuber 1997, "Long Short-Term Memory"; the gate that forgets: Gers, Schmidhuber and
    Cummins 2000, "Learning to Forget". **Names:** y^c -> hidden, s_c -> cell.
    """

    def start(self, hidden: Float[Tensor, "batch hidden"]) -> State:
        return State(hidden, torch.zeros_like(hidden))

    def step(self, cell: nn.RNNCellBase, inputs: Float[Tensor, "batch dim"], state: State) -> State:
        hidden, carried = cell(inputs, (state.hidden, _cell_of(state)))
        return State(hidden, carried, state.place + 1)

    def run(
        self, layer: nn.RNNBase, inputs: Float[Tensor, "batch tokens dim"], state: State
    ) -> tuple[Float[Tensor, "batch tokens hidden"], State]:
        hiddens, (hidden, cell) = layer(inputs, (state.hidden.unsqueeze(0), _cell_of(state).unsqueeze(0)))
        return hiddens, State(hidden.squeeze(0), cell.squeeze(0), state.place + inputs.shape[1])

    def last(  # type: ignore[override]  # its layer returns two vectors, the others' one
        self, final: tuple[Tensor, Tensor]
    ) -> Float[Tensor, "directions batch hidden"]:
        return final[0]


def _cell_of(state: State) -> Tensor:
    if state.cell is None:
        raise ValueError("expected the state of an LSTM, with a cell, got one of another network, without")
    return state.cell


CELLS: dict[str, Recurrence] = Table(
    rnn=Recurrence(nn.RNN, nn.RNNCell),
    gru=Recurrence(nn.GRU, nn.GRUCell),
    lstm=LongShortTerm(nn.LSTM, nn.LSTMCell),
)
"""Name -> kind of recurrent network."""


@checked
class Encoder(nn.Module):
    """Reads the source with a recurrent network; in both directions, so that each key knows what comes before and
    after it.

    `positions` mixes the place of a token into its vector; as it is made, it leaves the vector alone. Another one of
    `positions.py` can be put in its place: `encoder.positions = Learned(...)`.

    **Source:** Bahdanau, Cho and Bengio 2015, section 3.2. **Names:** h_j -> keys.
    """

    def __init__(
        self, vocabulary: Size, hidden: Size, embedding: Size, bidirectional: bool, cell: Recurrence = CELLS["gru"]
    ) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.dim = 2 * hidden if bidirectional else hidden
        self.kind = cell
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.positions = NoPositions()
        self.recurrent = cell.layer(embedding, hidden, batch_first=True, bidirectional=bidirectional)
        self.summarise = nn.Linear(self.dim, hidden)

    def forward(self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]) -> Memory:
        """source: token ids, padded at the end; lengths: how many of them count. Raises ValueError for unknown ids,
        and for lengths that are not one for each source, between 1 and the width of `source`."""
        return self.read(self.embed(source), lengths)

    def embed(self, source: Int[Tensor, "batch source"]) -> Float[Tensor, "batch source embedding"]:
        """The vectors that the network reads."""
        check_ids(source, self.vocabulary, "source tokens")
        return self.positions(self.embedding(source))

    def read(self, embedded: Float[Tensor, "batch source embedding"], lengths: Int[Tensor, " batch"]) -> Memory:
        """`forward` from the vectors on: a gradient with respect to `embedded` says what each input step matters."""
        batch, width = embedded.shape[:2]
        check_lengths(lengths, batch, width)
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, final = self.recurrent(packed)
        keys, _ = pad_packed_sequence(outputs, batch_first=True, total_length=width)
        summary = torch.tanh(self.summarise(torch.cat(tuple(self.kind.last(final)), dim=-1)))
        return Memory(keys.contiguous(), padding(lengths.to(keys.device), width).squeeze(1), summary)


@checked
class Decoder(nn.Module):
    """One step of writing: a cell is fed with the previous token and a context, and its state names the next token.

    `positions` may be replaced as in `Encoder`.

    **Source:** Cho et al. 2014, section 2.2: the context is the summary, the same at every step. **Names:** h_t ->
    state, y_{t-1} -> previous, c -> context.
    """

    def __init__(
        self, vocabulary: Size, hidden: Size, embedding: Size, context: Size, cell: Recurrence = CELLS["gru"]
    ) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.kind = cell
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.positions = NoPositions()
        self.cell = cell.cell(embedding + context, hidden)
        self.output = nn.Linear(hidden + context, vocabulary)

    def prepare(self, memory: Memory) -> Memory:
        """What can be done once for all steps."""
        return memory

    def start(self, memory: Memory) -> State:
        """The state before the first step."""
        return self.kind.start(memory.summary)

    def look(self, state: State, memory: Memory, weights: Tensor | None) -> tuple[Tensor, Attention | None]:
        """The context of this step, [batch, context], and the attention that gave it."""
        if weights is not None:
            raise ValueError("expected no weights: this decoder has one fixed context and attends to nothing")
        return memory.summary, None

    def forward(
        self,
        previous: Int[Tensor, " batch"],
        state: State,
        memory: Memory,
        weights: Float[Tensor, "batch 1 source"] | None = None,
    ) -> tuple[Float[Tensor, "batch vocabulary"], State, Attention | None]:
        """See `Seq2Seq.step`."""
        context, attention = self.look(state, memory, weights)
        word = self.positions(self.embedding(previous).unsqueeze(1), state.place).squeeze(1)
        state = self.kind.step(self.cell, torch.cat([word, context], dim=-1), state)
        return self.output(torch.cat([state.hidden, context], dim=-1)), state, attention

    def run(
        self, target_in: Int[Tensor, "batch target"], state: State, memory: Memory
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Attention | None]:
        """Logits and attention of all steps, weights [batch, target, source], when each is given the right previous
        token. One step after the other: each needs the state that the one before has left."""
        logits, seen = [], []
        for previous in target_in.unbind(dim=1):
            step_logits, state, attention = self(previous, state, memory)
            logits.append(step_logits)
            seen.append(attention)
        together = None if seen[0] is None else Attention(*(torch.cat(part, dim=1) for part in zip(*seen, strict=True)))
        return torch.stack(logits, dim=1), together


@checked
class LookBack(nn.Module):
    """`attend` with a score of its own, for a decoder that asks the same keys at every step. Here: softly.

    Another way to look takes its place with the same score: `decoder.attention = Hard(decoder.attention.score)`.
    """

    given: Tensor | None = None  # by `override`: what broadcasts to [batch, steps, source]

    def __init__(self, score: Score) -> None:
        super().__init__()
        self.score = score

    def weigh(self, query: Tensor, memory: Memory, start: Count) -> Weigh:
        """What turns the scores of these queries, which stand at the steps from `start` on, into weights."""
        return masked_softmax

    def prepare(self, memory: Memory) -> Memory:
        """With the part of the score that depends on the keys alone (W_k key of `Additive`), once for all steps."""
        keys = memory.keys if self._halves is None else self._halves.project(memory.keys)
        return memory._replace(projected=keys)

    def forward(
        self, query: Float[Tensor, "batch queries dim"], memory: Memory, start: Count = 0, weights: Tensor | None = None
    ) -> Attention:
        """`attend(query, memory.keys, memory.keys, score, memory.mask)`; `memory.projected` is `project(memory.keys)`.

        start: the step of the first query. weights: [batch, queries, source], instead of those of `weigh`.
        """
        score = self.score if self._halves is None else self._halves.compare
        weigh, mask = self.weigh(query, memory, start), memory.mask.unsqueeze(1)
        keys = memory.projected  # None is refused by `attend`
        found = attend(query, keys, memory.keys, score, mask, weigh=weigh)  # type: ignore[arg-type]
        if weights is None and self.given is not None:
            weights = _at_steps(found.weights, self.given, start)
        if weights is None:
            return found
        if weights.shape != found.weights.shape:
            raise ValueError(
                f"expected weights [batch, queries, source] = {list(found.weights.shape)}, got {list(weights.shape)}"
            )
        return Attention(weights @ memory.keys, weights, found.scores)

    @property
    def _halves(self) -> Additive | General | None:
        """The score, where it comes in two halves."""
        return self.score if isinstance(self.score, Additive | General) else None

    def extra_repr(self) -> str:
        return "" if isinstance(self.score, nn.Module) else f"score={name_of(self.score)}"


def _at_steps(own: Tensor, given: Tensor, start: int) -> Tensor:
    """The weights of the steps from `start` on with the given rows of these steps; later steps keep their own.

    given: [batch, steps, source], or a single number for all."""
    if given.numel() == 1:
        return replaced(own, given.squeeze())
    rows = torch.atleast_2d(given)[..., start : start + own.shape[1], :]
    missing = own.shape[1] - rows.shape[-2]
    return replaced(own, pad(rows, (0, 0, 0, missing), value=torch.nan))


@checked
class Hard(LookBack):
    """Looks at one key alone: a drawn one while it learns (`train()`), the likeliest one at work (`eval()`).

    It learns to look through `hard_attention.surrogate`, from the scores and weights that `decoder.run` gives.
    """

    def weigh(self, query: Tensor, memory: Memory, start: Count) -> Weigh:
        return hard_attention.sampled() if self.training else hard_attention.argmax


@checked
class Monotonic(LookBack):
    """Looks at step t at the keys at most `radius` places from t: `local_attention.local_m`."""

    def __init__(self, score: Score, radius: Count) -> None:
        super().__init__(score)
        self.radius = radius

    def weigh(self, query: Tensor, memory: Memory, start: Count) -> Weigh:
        return local_attention.local_m(self.radius, start)


@checked
class Predictive(LookBack):
    """Looks around a place that `Centre` computes from the query: `local_attention.local_p`."""

    def __init__(self, score: Score, radius: Positive, query_dim: Size, dim: Size) -> None:
        super().__init__(score)
        self.radius = radius
        self.centre = local_attention.Centre(query_dim, dim)

    def weigh(self, query: Tensor, memory: Memory, start: Count) -> Weigh:
        return local_attention.local_p(self.centre(query, memory.mask.sum(dim=-1)), self.radius)


@checked
class AttentionDecoder(Decoder):
    """A decoder that looks back: its previous state is the query, the encoder's states are keys and values.

    **Source:** Bahdanau, Cho and Bengio 2015, section 3.1. **Names:** s_{i-1} -> state, the query; c_i -> context.
    """

    def __init__(
        self,
        vocabulary: Size,
        hidden: Size,
        embedding: Size,
        context: Size,
        score: Score,
        cell: Recurrence = CELLS["gru"],
    ) -> None:
        super().__init__(vocabulary, hidden, embedding, context, cell)
        self.attention = LookBack(score)

    def prepare(self, memory: Memory) -> Memory:
        return self.attention.prepare(memory)

    def look(self, state: State, memory: Memory, weights: Tensor | None) -> tuple[Tensor, Attention]:
        attention = self.attention(state.hidden.unsqueeze(1), memory, state.place, weights)
        return attention.context.squeeze(1), attention


@checked
class ParallelDecoder(nn.Module):
    """A decoder that runs first and looks back afterwards: what it sees does not change its state. So all steps of a
    known target are computed at once.

    context, hidden -> tanh(W_c [context; hidden]) -> logits.

    **Source:** Luong, Pham and Manning 2015, section 3, equations 5 and 6, without input feeding.
    **Names:** h_t -> hidden, the query; c_t -> context; h-tilde_t -> combined.
    """

    def __init__(
        self,
        vocabulary: Size,
        hidden: Size,
        embedding: Size,
        context: Size,
        score: Score,
        cell: Recurrence = CELLS["gru"],
    ) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.kind = cell
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.positions = NoPositions()
        self.recurrent = cell.layer(embedding, hidden, batch_first=True)
        self.attention = LookBack(score)
        self.combine = nn.Linear(context + hidden, hidden)
        self.output = nn.Linear(hidden, vocabulary)

    def prepare(self, memory: Memory) -> Memory:
        """See `AttentionDecoder`."""
        return self.attention.prepare(memory)

    def start(self, memory: Memory) -> State:
        """See `AttentionDecoder`."""
        return self.kind.start(memory.summary)

    def forward(
        self,
        previous: Int[Tensor, " batch"],
        state: State,
        memory: Memory,
        weights: Float[Tensor, "batch 1 source"] | None = None,
    ) -> tuple[Float[Tensor, "batch vocabulary"], State, Attention | None]:
        """See `Seq2Seq.step`."""
        logits, state, attention = self._steps(previous.unsqueeze(1), state, memory, weights)
        return logits.squeeze(1), state, attention

    def run(
        self, target_in: Int[Tensor, "batch target"], state: State, memory: Memory
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Attention]:
        """Logits and attention of all steps, as `Decoder.run`, but all at once."""
        logits, _, attention = self._steps(target_in, state, memory, None)
        return logits, attention

    def _steps(
        self, tokens: Tensor, state: State, memory: Memory, weights: Tensor | None
    ) -> tuple[Tensor, State, Attention]:
        words = self.positions(self.embedding(tokens), state.place)
        hiddens, after = self.kind.run(self.recurrent, words, state)
        attention = self.attention(hiddens, memory, state.place, weights)
        combined = torch.tanh(self.combine(torch.cat([attention.context, hiddens], dim=-1)))
        return self.output(combined), after, attention


@checked
class Seq2Seq(nn.Module):
    """An encoder and a decoder, run together. `FixedContext`, `AttentionSeq2Seq` and `LuongSeq2Seq` build them."""

    def __init__(self, encoder: Encoder, decoder: Decoder | ParallelDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def encode(self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]) -> Memory:
        """Reads the sources. Raises ValueError for unknown ids, and for lengths that are not one for each source,
        between 1 and the width of `source`."""
        return self.decoder.prepare(self.encoder(source, lengths))

    def start(self, memory: Memory) -> State:
        """The decoder's state before the first step."""
        return self.decoder.start(memory)

    def step(
        self,
        previous: Int[Tensor, " batch"],
        state: State,
        memory: Memory,
        weights: Float[Tensor, "batch 1 source"] | None = None,
    ) -> tuple[Float[Tensor, "batch vocabulary"], State, Attention | None]:
        """One step: the previous token and state in; logits of the next token, the next state and the attention.

        `weights` replace those of the softmax: the context is then `weights @ memory.keys`. The scores are reported
        all the same. Raises ValueError for unknown ids, for weights of another shape, and when weights are given to a
        model that does not attend.
        """
        check_ids(previous, self.decoder.vocabulary, "target tokens")
        return self.decoder(previous, state, memory, weights)

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
    ) -> Float[Tensor, "batch target vocabulary"]:
        """Logits of every step when each step is given the right previous token: teacher forcing.

        The attention of every step comes with them from `decoder.run`, which takes what `encode` and `start` give.
        Raises ValueError as `encode` does, and for an empty target.
        """
        if not target_in.numel():
            raise ValueError(f"expected a target of at least one token, got shape {list(target_in.shape)}")
        check_ids(target_in, self.decoder.vocabulary, "target tokens")
        memory = self.encode(source, lengths)
        return self.decoder.run(target_in, self.start(memory), memory)[0]


@checked
class FixedContext(Seq2Seq):
    """The whole source must pass through one vector of size `hidden`. cell: an entry of `CELLS`."""

    def __init__(
        self,
        source_vocabulary: Size,
        target_vocabulary: Size,
        hidden: Size = 64,
        embedding: Size = 64,
        bidirectional: bool = True,
        cell: Recurrence = CELLS["gru"],
    ) -> None:
        encoder = Encoder(source_vocabulary, hidden, embedding, bidirectional, cell)
        super().__init__(encoder, Decoder(target_vocabulary, hidden, embedding, hidden, cell))


@checked
class AttentionSeq2Seq(Seq2Seq):
    """At every step the decoder looks back at the whole source, before its cell moves on.

    score: a factory `(query_dim, key_dim, dim) -> score`, such as the entries of `SCORES`. cell: an entry of `CELLS`.
    """

    def __init__(
        self,
        source_vocabulary: Size,
        target_vocabulary: Size,
        hidden: Size = 64,
        embedding: Size = 64,
        score: Callable[[int, int, int], Score] = Additive,
        bidirectional: bool = True,
        cell: Recurrence = CELLS["gru"],
    ) -> None:
        encoder = Encoder(source_vocabulary, hidden, embedding, bidirectional, cell)
        made = score(hidden, encoder.dim, hidden)
        super().__init__(encoder, AttentionDecoder(target_vocabulary, hidden, embedding, encoder.dim, made, cell))


@checked
class LuongSeq2Seq(Seq2Seq):
    """The decoder runs over the whole target first and looks back at the source afterwards: faster to train.

    score: a factory `(query_dim, key_dim, dim) -> score`, such as the entries of `SCORES`. cell: an entry of `CELLS`.
    """

    def __init__(
        self,
        source_vocabulary: Size,
        target_vocabulary: Size,
        hidden: Size = 64,
        embedding: Size = 64,
        score: Callable[[int, int, int], Score] = SCORES["general"],
        bidirectional: bool = True,
        cell: Recurrence = CELLS["gru"],
    ) -> None:
        encoder = Encoder(source_vocabulary, hidden, embedding, bidirectional, cell)
        made = score(hidden, encoder.dim, hidden)
        super().__init__(encoder, ParallelDecoder(target_vocabulary, hidden, embedding, encoder.dim, made, cell))


@checked
def teacher_forcing(
    model: nn.Module,
    source: Int[Tensor, "batch source"] | Float[Tensor, "batch channels height width"],
    lengths: Int[Tensor, " batch"] | Bool[Tensor, "batch rows columns"],
    target: Int[Tensor, "batch target"],
) -> Float[Tensor, ""]:
    """Mean cross-entropy, in nats per token, of `target` (BOS ... EOS, then PAD), each token given those before it.

    model: `(source, lengths, target_in) -> logits`, such as `Seq2Seq` and `Transformer`. All is moved to its device.
    Of pictures, for a `Captioner`, `lengths` says in which places of the grid may be looked.

    **Source:** Williams and Zipser 1989, "A Learning Algorithm for Continually Running Fully Recurrent Neural
    Networks".
    """
    check_targets(target)
    device = next(model.parameters(), source).device
    source, lengths, target = (part.to(device) for part in (source, lengths, target))
    logits = model(source, lengths, target[:, :-1])
    check_ids(target, logits.shape[-1], "target tokens")
    return cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
