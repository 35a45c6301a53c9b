"""Sequence to sequence with recurrent networks: through one fixed vector, or looking back at every step.

Both models share the encoder and the decoder's cell. They differ in one method: where the context comes from.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnlab.alignment import Additive, Score
from attnlab.attention import Attention, attend
from attnlab.masks import padding


class Memory(NamedTuple):
    """What the encoder hands to the decoder.

    keys: one vector for each source token. mask: True where there is a token. summary: the whole source in one vector.
    projected: the keys as the decoder's score wants them, computed once for all steps; None where nothing attends.
    """

    keys: Float[Tensor, "batch source dim"]
    mask: Bool[Tensor, "batch source"]
    summary: Float[Tensor, "batch hidden"]
    projected: Float[Tensor, "batch source projected"] | None = None


class Encoder(nn.Module):
    """Reads the source with a GRU; in both directions, so that each key knows what comes before and after it.

    **Source:** Bahdanau, Cho and Bengio 2015, section 3.2. **Names:** h_j -> keys.
    """

    def __init__(self, vocabulary: int, hidden: int, embedding: int, bidirectional: bool):
        super().__init__()
        self.dim = 2 * hidden if bidirectional else hidden
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.recurrent = nn.GRU(embedding, hidden, batch_first=True, bidirectional=bidirectional)
        self.summarise = nn.Linear(self.dim, hidden)

    def forward(self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]) -> Memory:
        """source: token ids, padded at the end; lengths: how many of them count. Raises ValueError for lengths that
        are not between 1 and the width of `source`."""
        if not (int(lengths.min()) >= 1 and int(lengths.max()) <= source.shape[1]):
            raise ValueError(f"expected lengths from 1 to {source.shape[1]}, got {lengths.tolist()}")
        packed = pack_padded_sequence(self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, last = self.recurrent(packed)  # last: [directions, batch, hidden]
        keys, _ = pad_packed_sequence(outputs, batch_first=True, total_length=source.shape[1])
        summary = torch.tanh(self.summarise(torch.cat(tuple(last), dim=-1)))
        return Memory(keys.contiguous(), padding(lengths, source.shape[1]).squeeze(1), summary)


class Decoder(nn.Module):
    """One step of writing: a GRU cell is fed with the previous token and a context, and its state names the next token.

    **Source:** Cho et al. 2014, "Learning Phrase Representations using RNN Encoder-Decoder", section 2.2: the context
    is the summary, the same at every step. **Names:** h_t -> state, y_{t-1} -> previous, c -> context.
    """

    def __init__(self, vocabulary: int, hidden: int, embedding: int, context: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.cell = nn.GRUCell(embedding + context, hidden)
        self.output = nn.Linear(hidden + context, vocabulary)

    def prepare(self, memory: Memory) -> Memory:
        """What can be done once for all steps."""
        return memory

    def look(self, state: Tensor, memory: Memory, weights: Tensor | None) -> tuple[Tensor, Attention | None]:
        """The context of this step, [batch, context], and the attention that gave it."""
        if weights is not None:
            raise ValueError("expected no weights: this decoder has one fixed context and attends to nothing")
        return memory.summary, None

    def forward(self, previous, state, memory, weights=None):
        """See `Seq2Seq.step`."""
        context, attention = self.look(state, memory, weights)
        state = self.cell(torch.cat([self.embedding(previous), context], dim=-1), state)
        return self.output(torch.cat([state, context], dim=-1)), state, attention


class LookBack(nn.Module):
    """`attend` with a score of its own, for a decoder that asks the same keys at every step.

    `project` does the part of the score that depends on the keys alone (W_k key of `Additive`), once for all steps.
    """

    def __init__(self, score: Score):
        super().__init__()
        self.score = score

    def project(self, keys: Tensor) -> Tensor:
        return self.score.project(keys) if isinstance(self.score, Additive) else keys

    def forward(self, query: Tensor, projected: Tensor, keys: Tensor, mask: Tensor) -> Attention:
        """`attend(query, keys, keys, score, mask)`, with `projected = project(keys)`."""
        score = self.score.compare if isinstance(self.score, Additive) else self.score
        return attend(query, projected, keys, score, mask)

    def extra_repr(self) -> str:
        return "" if isinstance(self.score, nn.Module) else f"score={self.score.__name__}"


class AttentionDecoder(Decoder):
    """A decoder that looks back: its previous state is the query, the encoder's states are keys and values.

    **Source:** Bahdanau, Cho and Bengio 2015, section 3.1. **Names:** s_{i-1} -> state, the query; c_i -> context.
    """

    def __init__(self, vocabulary: int, hidden: int, embedding: int, context: int, score: Score):
        super().__init__(vocabulary, hidden, embedding, context)
        self.attention = LookBack(score)

    def prepare(self, memory: Memory) -> Memory:
        return memory._replace(projected=self.attention.project(memory.keys))

    def look(self, state: Tensor, memory: Memory, weights: Tensor | None) -> tuple[Tensor, Attention]:
        query, mask = state.unsqueeze(1), memory.mask.unsqueeze(1)
        attention = self.attention(query, memory.projected, memory.keys, mask)
        if weights is not None:
            attention = Attention(weights @ memory.keys, weights, attention.scores)
        return attention.context.squeeze(1), attention


class Seq2Seq(nn.Module):
    """An encoder and a decoder, run together. `FixedContext` and `AttentionSeq2Seq` build the two halves."""

    def __init__(self, encoder: Encoder, decoder: Decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def encode(self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]) -> Memory:
        """Reads the sources. Raises ValueError for lengths that are not between 1 and the width of `source`."""
        return self.decoder.prepare(self.encoder(source, lengths))

    def start(self, memory: Memory) -> Float[Tensor, "batch hidden"]:
        """The decoder's state before the first step."""
        return memory.summary

    def step(
        self,
        previous: Int[Tensor, " batch"],
        state: Float[Tensor, "batch hidden"],
        memory: Memory,
        weights: Float[Tensor, "batch 1 source"] | None = None,
    ) -> tuple[Float[Tensor, "batch vocabulary"], Float[Tensor, "batch hidden"], Attention | None]:
        """One step: the previous token and state in; logits of the next token, the next state and the attention.

        `weights` replace those of the softmax: the context is then `weights @ memory.keys`. The scores are reported
        all the same. Raises ValueError when weights are given to a model that does not attend.
        """
        return self.decoder(previous, state, memory, weights)

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
    ) -> Float[Tensor, "batch target vocabulary"]:
        """Logits of every step when each step is given the right previous token: teacher forcing."""
        memory = self.encode(source, lengths)
        state, logits = self.start(memory), []
        for previous in target_in.unbind(dim=1):
            step_logits, state, _ = self.step(previous, state, memory)
            logits.append(step_logits)
        return torch.stack(logits, dim=1)


class FixedContext(Seq2Seq):
    """The whole source must pass through one vector of size `hidden`."""

    def __init__(
        self, source_vocabulary: int, target_vocabulary: int, hidden: int = 64, embedding: int = 64,
        bidirectional: bool = True,
    ):
        encoder = Encoder(source_vocabulary, hidden, embedding, bidirectional)
        super().__init__(encoder, Decoder(target_vocabulary, hidden, embedding, context=hidden))


class AttentionSeq2Seq(Seq2Seq):
    """At every step the decoder looks back at the whole source.

    score: a factory `(query_dim, key_dim, dim) -> score`, such as the entries of `SCORES`.
    """

    def __init__(
        self, source_vocabulary: int, target_vocabulary: int, hidden: int = 64, embedding: int = 64,
        score: Callable[[int, int, int], Score] = Additive, bidirectional: bool = True,
    ):
        encoder = Encoder(source_vocabulary, hidden, embedding, bidirectional)
        made = score(hidden, encoder.dim, hidden)
        super().__init__(encoder, AttentionDecoder(target_vocabulary, hidden, embedding, encoder.dim, made))


def teacher_forcing(
    model: Seq2Seq,
    source: Int[Tensor, "batch source"],
    lengths: Int[Tensor, " batch"],
    target: Int[Tensor, "batch target"],
    pad: int = 0,
) -> Float[Tensor, ""]:
    """Mean cross-entropy, in nats per token, of `target` (BOS ... EOS, then `pad`), each token given those before it.

    **Source:** Williams and Zipser 1989, "A Learning Algorithm for Continually Running Fully Recurrent Neural
    Networks".
    """
    logits = model(source, lengths, target[:, :-1])
    return cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=pad)
