"""A translation with every vector on its way, and what is written when some of its weights are set by hand."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.alignment import Additive
from attnlab.attention import Attention
from attnlab.checks import Count, Size, checked
from attnlab.decoding import Guided, most_probable
from attnlab.seq2seq import Decoder, Seq2Seq


class TranslationSteps(NamedTuple):
    """What an encoder and a decoder computed while they translated one source. Row t belongs to the t-th token written.

    tokens: what was written, up to and including the end. embedded: what the encoder reads of each source token. keys:
    its states, one for each of them.
    states: the decoder's; states[0] is there before the first token, states[t + 1] names token t.
    contexts: what the decoder was given of the source. probabilities: of the next token.
    scores, weights: of the source tokens; None where the context is one fixed vector.
    """

    tokens: list[int]
    embedded: Float[Tensor, "source embedding"]
    keys: Float[Tensor, "source dim"]
    states: Float[Tensor, "steps_and_start hidden"]
    contexts: Float[Tensor, "steps dim"]
    probabilities: Float[Tensor, "steps vocabulary"]
    scores: Float[Tensor, "steps source"] | None = None
    weights: Float[Tensor, "steps source"] | None = None

    @property
    def adds(self) -> Float[Tensor, "steps source dim"] | None:
        """What each source token adds to each context; None where the context is one fixed vector."""
        return None if self.weights is None else self.weights.unsqueeze(-1) * self.keys


@checked
@torch.no_grad()
def translation_steps(
    model: Seq2Seq,
    source: Int[Tensor, " source"],
    bos: Count,
    eos: Count,
    changed: Mapping[int, Mapping[int, int | float]] | None = None,
    max_steps: Size = 12,
) -> TranslationSteps:
    """The most probable token at every step, as `attnlab.decoding.greedy` finds it, with all that led to it.

    changed: step -> {key: weight}, both counted from 0. Of the model's own weights at that step these are set by hand,
    as `with_weights` does it; what follows comes from them. Raises ValueError for a model that runs
    its decoder before it looks back, for a key that is not there, a weight that is not from 0 to 1, and as `greedy`.

    **Source:** Sutskever, Vinyals and Le 2014, "Sequence to Sequence Learning with Neural Networks" (one vector);
    Bahdanau, Cho and Bengio 2015, section 3.1 (looking back). **Names:** h_j -> keys, s_i -> states, c_i -> contexts.
    """
    if not isinstance(model.decoder, Decoder):
        raise ValueError(f"expected a decoder that reads its context first, got a {type(model.decoder).__name__}")
    guided, by_hand = Guided(model), changed or {}
    state, memory, _ = guided.start(source)
    tokens, states, contexts, logits, seen = [bos], [state.hidden], [], [], []
    while len(tokens) <= max_steps and eos not in tokens[1:]:  # `bos` may be the same
        before, changes = state, by_hand.get(len(tokens) - 1)
        found, state, attention = guided.step(tokens[-1:], before, memory, None)
        if changes:
            row = _changed(attention, changes)
            found, state, attention = guided.step(tokens[-1:], before, memory, row)
        tokens.append(most_probable(found[0]))
        states.append(state.hidden)
        contexts.append(memory.summary if attention is None else attention.context[:, 0])
        logits.append(found)
        seen.append(attention)
    probabilities = torch.cat(logits).softmax(-1)
    embedded = model.encoder.embed(source.unsqueeze(0))[0]
    steps = TranslationSteps(
        tokens[1:], embedded, memory.keys[0], torch.cat(states), torch.cat(contexts), probabilities
    )
    if seen[0] is None:
        return steps
    return steps._replace(
        scores=torch.cat([attention.scores[0] for attention in seen]),
        weights=torch.cat([attention.weights[0] for attention in seen]),
    )


def _changed(attention: Attention | None, changes: Mapping[int, int | float]) -> Float[Tensor, "1 1 source"]:
    if attention is None:
        raise ValueError("expected no weights: this decoder has one fixed context and attends to nothing")
    return with_weights(attention.weights[0, 0], changes)[None, None]


@checked
def with_weights(weights: Float[Tensor, " keys"], changes: Mapping[int, int | float]) -> Float[Tensor, " keys"]:
    """Weights that sum to 1, some of them set by hand: the others share what is left, in their proportions.

    changes: {key: weight}, the last one set last. Where nothing is left for the others, or there are none, those that
    were set earlier make room for the last one; an only key keeps all of it. Raises ValueError for a key that is not
    there and a weight that is not from 0 to 1.
    """
    for key, weight in changes.items():
        if not 0 <= key < len(weights):
            raise ValueError(f"expected keys from 0 to {len(weights) - 1}, got {key}")
        if not 0 <= weight <= 1:
            raise ValueError(f"expected weights from 0 to 1, got {weight}")
    if not changes or len(weights) == 1:
        return weights
    row = torch.zeros_like(weights)
    for key, weight in changes.items():
        row[key] = weight
    free = [key for key in range(len(weights)) if key not in changes]
    if free and float(row.sum()) <= 1:
        row[free] = _portions(weights[free], 1 - float(row.sum()))
    else:
        *_, last = changes
        others = [key for key in range(len(weights)) if key != last]
        row[others] = _portions(row[others], 1 - float(row[last]))
    return row


def _portions(parts: Tensor, whole: float) -> Tensor:
    """Numbers in the proportions of `parts` that sum to `whole`; all alike where the parts are 0."""
    total = float(parts.sum())
    return parts * (whole / total) if total > 0 else torch.full_like(parts, whole / len(parts))


@checked
@torch.no_grad()
def additive_terms(
    score: Additive, query: Float[Tensor, "queries query_dim"], key: Float[Tensor, "keys key_dim"]
) -> Float[Tensor, "queries keys dim"]:
    """What each hidden number of the score's small network adds: their sum over the last axis is the score.

    terms = v * tanh(W_q query + W_k key + b), each number with its own v.

    **Source:** Bahdanau, Cho and Bengio 2015, appendix A.1.2. **Names:** as in `Additive`.
    """
    pairs = score.query(query).unsqueeze(-2) + score.project(key).unsqueeze(-3)
    return score.combine.weight[0] * torch.tanh(pairs)
