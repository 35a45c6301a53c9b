"""Exercises of lesson 02: additive attention with a mask, and the context of one decoder step."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import alignment, each, seq2seq
from attnlab.specs.attention import all_scores, softmax

LOWEST = torch.finfo(torch.float32).min

Compare = Callable[[Tensor, Tensor], Tensor]
"""A score: (query [batch, queries, hidden], key [batch, keys, dim]) -> [batch, queries, keys]."""


# 02.additive ---------------------------------------------------------------------------------------------------------


def additive_weights(query: Tensor, key: Tensor, W_q: Tensor, W_k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """The solution."""
    pairs = (query @ W_q).unsqueeze(2) + (key @ W_k).unsqueeze(1)  # [batch, queries, keys, dim]
    scores = torch.tanh(pairs) @ v  # [batch, queries, keys]
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return weights.masked_fill(~mask, 0)  # a row of nothing but -inf became NaN


def additive_spec(query: Tensor, key: Tensor, W_q: Tensor, W_k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """The same in loops."""

    def score(query: Tensor, key: Tensor, place: int) -> Tensor:
        return alignment.additive(query, key, W_q, W_k, torch.zeros_like(v), v)

    return each(lambda query, key, mask: softmax(all_scores(query, key, score), mask), query, key, mask)


def _additive_inputs(batch: int, queries: int, keys: int, query_dim: int, key_dim: int, dim: int) -> tuple:
    """Scores spread by about 1, so that no weight is close to 0 or 1: a saturated softmax would hide mistakes."""
    chance = torch.Generator().manual_seed(batch * 100 + keys)
    query, key = (torch.randn(batch, *size, generator=chance) for size in ((queries, query_dim), (keys, key_dim)))
    W_q = torch.randn(query_dim, dim, generator=chance) / query_dim**0.5
    W_k = torch.randn(key_dim, dim, generator=chance) / key_dim**0.5
    v = 2.5 * torch.randn(dim, generator=chance) / dim**0.5
    return query, key, W_q, W_k, v, _holes(batch, queries, keys)


def _holes(batch: int, queries: int, keys: int) -> Tensor:
    """A mask with both True and False in every row and column, and not the same in every row."""
    place = torch.arange(queries).unsqueeze(1) + torch.arange(keys) + torch.arange(batch).reshape(-1, 1, 1)
    return place % 3 != 0


def _nothing_to_see() -> tuple:
    *inputs, mask = _additive_inputs(2, 3, 5, 3, 2, 7)
    mask[1, 2] = False
    return *inputs, mask


def _pairs(query: Tensor, key: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    return (query @ W_q).unsqueeze(2) + (key @ W_k).unsqueeze(1)


def _scores(query: Tensor, key: Tensor, W_q: Tensor, W_k: Tensor, v: Tensor) -> Tensor:
    return torch.tanh(_pairs(query, key, W_q, W_k)) @ v


def _weights(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    return scores.masked_fill(~mask, LOWEST).softmax(dim=dim).masked_fill(~mask, 0)


ADDITIVE = Exercise(
    name="02.additive",
    title="Additive attention with a mask",
    statement="""Return the weights [batch, queries, keys] of additive attention.

The score of a query with a key is v · tanh(query W_q + key W_k). Each row of weights is a softmax of its scores over
the keys. Where `mask` is False the weight is 0; a row in which nothing may be attended to holds only zeros.

query [batch, queries, query_dim]; key [batch, keys, key_dim]; W_q [query_dim, dim]; W_k [key_dim, dim]; v [dim];
mask [batch, queries, keys], True = may attend.""",
    axes="[batch, queries, keys]",
    stub="""def additive_weights(query, key, W_q, W_k, v, mask):
    ...
""",
    hints=(
        "Each query meets each key. Give the projected queries an axis for the keys, the projected keys one for the "
        "queries, and let broadcasting add them: [batch, queries, 1, dim] + [batch, 1, keys, dim].",
        "tanh, then `@ v`, leaves scores [batch, queries, keys]. Put the mask on the scores, before the softmax: "
        "`scores.masked_fill(~mask, -torch.inf)`. Then softmax over the last axis, the keys.",
        "A row of nothing but -inf becomes NaN in the softmax, which divides 0 by 0. After the softmax fill the hidden "
        "places with 0 once more.",
    ),
    solution=additive_weights,
    spec=additive_spec,
    inputs=lambda: [_additive_inputs(2, 3, 5, 7, 11, 13), _additive_inputs(1, 5, 7, 3, 2, 5)],
    edges=lambda: [_nothing_to_see(), _additive_inputs(3, 1, 7, 2, 3, 11)],
    diagnoses=(diagnoses.negative, diagnoses.hidden, diagnoses.row_sums),
    mistakes=(
        Mistake(
            "softmax over queries: your columns sum to 1, but each query has to share its weight out among the keys, "
            "the last axis",
            lambda query, key, W_q, W_k, v, mask: _weights(_scores(query, key, W_q, W_k, v), mask, dim=1),
        ),
        Mistake(
            "softmax over the whole batch or matrix at once: each row must sum to 1 by itself",
            lambda query, key, W_q, W_k, v, mask: _weights(
                _scores(query, key, W_q, W_k, v).flatten(1), mask.flatten(1)
            ).reshape(mask.shape),
        ),
        Mistake(
            "the mask came after the softmax: rows no longer sum to 1, since hidden words took their share first",
            lambda query, key, W_q, W_k, v, mask: _scores(query, key, W_q, W_k, v).softmax(-1) * mask,
        ),
        Mistake(
            "hidden scores became 0, but exp(0) is 1, so they still get weight: before the softmax they must be very "
            "low",
            lambda query, key, W_q, W_k, v, mask: (_scores(query, key, W_q, W_k, v) * mask).softmax(-1),
        ),
        Mistake(
            "the mask was added as numbers 0 and 1: hidden words must be shut out, not lowered by 1",
            lambda query, key, W_q, W_k, v, mask: (_scores(query, key, W_q, W_k, v) + mask).softmax(-1),
        ),
        Mistake(
            "the mask is inverted: you hid the words and read the padding; True means may attend",
            lambda query, key, W_q, W_k, v, mask: _weights(_scores(query, key, W_q, W_k, v), ~mask),
        ),
        Mistake(
            "the mask is not used: hidden words still have weight",
            lambda query, key, W_q, W_k, v, mask: _scores(query, key, W_q, W_k, v).softmax(-1),
        ),
        Mistake(
            "tanh is missing: without it the query adds the same to all of a row's scores and cancels in the softmax",
            lambda query, key, W_q, W_k, v, mask: _weights(_pairs(query, key, W_q, W_k) @ v, mask),
        ),
        Mistake(
            "tanh came last: it belongs around the sum of the projections, and v weighs what it returns",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.tanh(_pairs(query, key, W_q, W_k) @ v), mask),
        ),
        Mistake(
            "sigmoid in place of tanh",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.sigmoid(_pairs(query, key, W_q, W_k)) @ v, mask),
        ),
        Mistake(
            "relu in place of tanh",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.relu(_pairs(query, key, W_q, W_k)) @ v, mask),
        ),
        Mistake(
            "v is missing: you summed what tanh returns; v says how much each part of it counts",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.tanh(_pairs(query, key, W_q, W_k)).sum(-1), mask),
        ),
        Mistake(
            "the query has no effect: it is missing, or tanh was taken of query and key apart, so that the query adds "
            "the same to all scores of its row and cancels in the softmax; tanh belongs around the sum of both",
            lambda query, key, W_q, W_k, v, mask: _weights(
                ((query @ W_q).tanh().unsqueeze(2) + (key @ W_k).tanh().unsqueeze(1)) @ v, mask
            ),
        ),
        Mistake(
            "query and key were multiplied: that is a dot product; the additive score adds the projections",
            lambda query, key, W_q, W_k, v, mask: _weights((query @ W_q) @ (key @ W_k).mT, mask),
        ),
        Mistake(
            "query and key were multiplied inside tanh: the additive score adds the projections",
            lambda query, key, W_q, W_k, v, mask: _weights(
                torch.tanh((query @ W_q).unsqueeze(2) * (key @ W_k).unsqueeze(1)) @ v, mask
            ),
        ),
        Mistake(
            "the scores were divided by the square root of the width: that is for dot products, additive scores stay "
            "as they are",
            lambda query, key, W_q, W_k, v, mask: _weights(_scores(query, key, W_q, W_k, v) / len(v) ** 0.5, mask),
        ),
        Mistake(
            "the sign is wrong: the best match got the lowest weight",
            lambda query, key, W_q, W_k, v, mask: _weights(-_scores(query, key, W_q, W_k, v), mask),
        ),
        Mistake(
            "these are the scores: the softmax over the keys is missing",
            lambda query, key, W_q, W_k, v, mask: _scores(query, key, W_q, W_k, v).masked_fill(~mask, 0),
        ),
        Mistake(
            "these are the masked scores: the softmax over the keys is missing",
            lambda query, key, W_q, W_k, v, mask: _scores(query, key, W_q, W_k, v).masked_fill(~mask, -torch.inf),
        ),
        Mistake(
            "exp without the division: each row must be divided by its sum",
            lambda query, key, W_q, W_k, v, mask: _scores(query, key, W_q, W_k, v).exp() * mask,
        ),
        Mistake(
            "log_softmax in place of softmax: these are logarithms of the weights",
            lambda query, key, W_q, W_k, v, mask: (
                _scores(query, key, W_q, W_k, v).masked_fill(~mask, -torch.inf).log_softmax(-1)
            ),
        ),
        Mistake(
            "sigmoid in place of the softmax: each weight was found by itself, so rows do not sum to 1",
            lambda query, key, W_q, W_k, v, mask: _scores(query, key, W_q, W_k, v).sigmoid() * mask,
        ),
        Mistake(
            "argmax: all weight on the best key; softmax shares it out, and only so can the scores be learned",
            lambda query, key, W_q, W_k, v, mask: torch.nn.functional.one_hot(
                _scores(query, key, W_q, W_k, v).masked_fill(~mask, LOWEST).argmax(-1), mask.shape[-1]
            ).float(),
        ),
        Mistake(
            "rows and columns are exchanged: expected [batch, queries, keys], got [batch, keys, queries]",
            lambda query, key, W_q, W_k, v, mask: _weights(_scores(query, key, W_q, W_k, v), mask).mT,
        ),
        Mistake(
            "the encoder's states are forgotten: without the keys all visible words of a row have the same weight",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.zeros(mask.shape), mask),
        ),
        Mistake(
            "the keys were subtracted: the additive score adds the projections",
            lambda query, key, W_q, W_k, v, mask: _weights(_scores(query, -key, W_q, W_k, v), mask),
        ),
        Mistake(
            "v came before tanh: tanh first, and v weighs what it returns",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.tanh(_pairs(query, key, W_q, W_k) * v).sum(-1), mask),
        ),
        Mistake(
            "tanh came twice: once, around the sum of the projections",
            lambda query, key, W_q, W_k, v, mask: _weights(_pairs(query, key, W_q, W_k).tanh().tanh() @ v, mask),
        ),
        Mistake(
            "the keys went through tanh by themselves and then once more in the sum: one tanh, around the sum",
            lambda query, key, W_q, W_k, v, mask: _weights(
                torch.tanh((query @ W_q).unsqueeze(2) + (key @ W_k).tanh().unsqueeze(1)) @ v, mask
            ),
        ),
        Mistake(
            "tanh and v are missing: you summed the projections",
            lambda query, key, W_q, W_k, v, mask: _weights(_pairs(query, key, W_q, W_k).sum(-1), mask),
        ),
        Mistake(
            "averaged over the width in place of the sum: the score is v · tanh(...), a sum",
            lambda query, key, W_q, W_k, v, mask: _weights(_scores(query, key, W_q, W_k, v) / len(v), mask),
        ),
        Mistake(
            "the scores were divided by the square root of the query's size: that is for dot products, additive scores "
            "stay as they are",
            lambda query, key, W_q, W_k, v, mask: _weights(
                _scores(query, key, W_q, W_k, v) / query.shape[-1] ** 0.5, mask
            ),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
            lambda query, key, W_q, W_k, v, mask: _weights(_weights(_scores(query, key, W_q, W_k, v), mask), mask),
        ),
        Mistake(
            "the softmax came twice, the second time without the mask: hidden words have weight again",
            lambda query, key, W_q, W_k, v, mask: _weights(_scores(query, key, W_q, W_k, v), mask).softmax(-1),
        ),
        Mistake(
            "the exponential is missing: scores can be negative, weights cannot",
            lambda query, key, W_q, W_k, v, mask: (lambda seen: seen / seen.sum(-1, keepdim=True))(
                _scores(query, key, W_q, W_k, v) * mask
            ),
        ),
        Mistake(
            "hidden scores became 0 before the softmax, where exp(0) is 1, and were hidden again behind it: what they "
            "took is lost, and rows no longer sum to 1",
            lambda query, key, W_q, W_k, v, mask: (_scores(query, key, W_q, W_k, v) * mask).softmax(-1) * mask,
        ),
        Mistake(
            "every weight is 0; was it what may be seen that you hid before the softmax, and what may not behind it? "
            "`masked_fill` fills where its mask is True, so both times it must be `~mask`",
            lambda query, key, W_q, W_k, v, mask: torch.zeros(mask.shape),
        ),
        Mistake(
            "NaN where a row may attend to nothing: a softmax of nothing but -inf divides 0 by 0; such a row must "
            "hold zeros",
            lambda query, key, W_q, W_k, v, mask: (
                _scores(query, key, W_q, W_k, v).masked_fill(~mask, -torch.inf).softmax(-1)
            ),
        ),
        Mistake(
            "a row that may attend to nothing shares its weight out evenly; it must hold zeros: fill the hidden places "
            "once more after the softmax",
            lambda query, key, W_q, W_k, v, mask: (
                _scores(query, key, W_q, W_k, v).masked_fill(~mask, LOWEST).softmax(-1)
            ),
        ),
        Mistake(
            "the weights are right, but their gradient is NaN: -inf was added to the scores, and the NaN of an empty "
            "row flows back through the sum; masked_fill stops it",
            lambda query, key, W_q, W_k, v, mask: (
                (_scores(query, key, W_q, W_k, v) + torch.zeros(mask.shape).masked_fill(~mask, -torch.inf))
                .softmax(-1)
                .masked_fill(~mask, 0)
            ),
        ),
    ),
)


# 02.context ----------------------------------------------------------------------------------------------------------


def context(state: Tensor, memory: Tensor, mask: Tensor, score: Compare) -> Tensor:
    """The solution."""
    scores = score(state.unsqueeze(1), memory)  # [batch, 1, source]
    weights = scores.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(dim=-1)
    return (weights @ memory).squeeze(1)


def _context_inputs(lengths: list[int], hidden: int, dim: int) -> tuple:
    """States, memories of these lengths padded with numbers that do harm when read, and an additive score."""
    chance = torch.Generator().manual_seed(len(lengths) * 100 + hidden)
    batch, source = len(lengths), max(lengths)
    state = torch.randn(batch, hidden, generator=chance)
    mask = torch.arange(source) < torch.tensor(lengths).unsqueeze(1)
    memory = torch.where(mask.unsqueeze(2), torch.randn(batch, source, dim, generator=chance), 1.5)
    W_q, W_k = (torch.randn(size, 5, generator=chance) / size**0.5 for size in (hidden, dim))
    v = torch.randn(5, generator=chance)

    def score(query: Tensor, key: Tensor) -> Tensor:
        sizes = [list(one.shape) for one in (query, key)]
        if [size[2:] for size in sizes] != [[hidden], [dim]] or len(query) != len(key):
            raise ValueError(
                f"score compares queries [batch, queries, {hidden}] with keys [batch, keys, {dim}], got {sizes[0]} and "
                f"{sizes[1]}"
            )
        return _scores(query, key, W_q, W_k, v)

    return state, memory, mask, score


def _hidden(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask.unsqueeze(1), LOWEST)


def _step_weights(state: Tensor, memory: Tensor, mask: Tensor, score: Compare) -> Tensor:
    return _hidden(score(state.unsqueeze(1), memory), mask).softmax(-1)


def _padding_counts(result: Tensor, state: Tensor, memory: Tensor, mask: Tensor, score: Compare) -> str | None:
    """Right where there is no padding, wrong wherever there is."""
    right = [
        torch.allclose(one, other, rtol=1e-4, atol=1e-5)
        for one, other in zip(result, context(state, memory, mask, score), strict=True)
    ]
    if not any(right) or right != mask.all(1).tolist():
        return None
    return "right for sentences without padding, wrong for those with: padding has weight, or words have lost some"


CONTEXT = Exercise(
    name="02.context",
    title="One decoder step's context",
    statement="""Return the context [batch, dim] of one decoder step.

The decoder's state is the query; the encoder's states, `memory`, are keys and values. `score` compares them:
score(query [batch, queries, hidden], key [batch, keys, dim]) gives scores [batch, queries, keys]. A softmax over the
source makes them weights, and the context is the memory averaged with these weights. Padding must not count.

state [batch, hidden]; memory [batch, source, dim]; mask [batch, source], True = a word, False = padding; every source
has at least one word.""",
    axes="[batch, dim]",
    stub="""def context(state, memory, mask, score):
    ...
""",
    hints=(
        "The state is one query: give it an axis for queries, `state.unsqueeze(1)`, and `score` returns "
        "[batch, 1, source].",
        "Fill the scores with -inf where `mask.unsqueeze(1)` is False, then softmax over the last axis, the source.",
        "weights [batch, 1, source] @ memory [batch, source, dim] is [batch, 1, dim]; `squeeze(1)` takes the axis of "
        "the one query away.",
    ),
    solution=context,
    diagnoses=(_padding_counts,),
    spec=lambda state, memory, mask, score: each(
        lambda state, memory, mask: seq2seq.context(state, memory, mask, score), state, memory, mask
    ),
    inputs=lambda: [_context_inputs([7, 4, 2], 3, 5), _context_inputs([3, 5], 11, 7)],
    edges=lambda: [_context_inputs([1], 2, 3), _context_inputs([5, 1, 3, 2, 4], 5, 2)],
    mistakes=(
        Mistake(
            "these are the weights: the context is the memory averaged with them",
            lambda *inputs: _step_weights(*inputs).squeeze(1),
        ),
        Mistake(
            "the axis of the one query is still there: expected [batch, dim], got [batch, 1, dim]; squeeze(1) takes it "
            "away",
            lambda *inputs: _step_weights(*inputs) @ inputs[1],
        ),
        Mistake(
            "weighted, but not summed: expected [batch, dim], got [batch, source, dim]",
            lambda *inputs: _step_weights(*inputs).mT * inputs[1],
        ),
        Mistake(
            "every state of the encoder counts the same, padding too: they were summed instead of weighted, or the "
            "softmax ran over the axis of the one query, where it makes each weight 1; it must run over the source, "
            "the last axis",
            lambda state, memory, mask, score: memory.sum(1),
        ),
        Mistake(
            "every word counts the same: they were summed instead of weighted, or the softmax ran over the axis of the "
            "one query, where it makes each weight 1; it must run over the source, the last axis",
            lambda state, memory, mask, score: (memory * mask.unsqueeze(2)).sum(1),
        ),
        Mistake(
            "averaged instead of weighted: every state of the encoder counts the same, padding too",
            lambda state, memory, mask, score: memory.mean(1),
        ),
        Mistake(
            "averaged instead of weighted: every word counts the same",
            lambda state, memory, mask, score: (memory * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True),
        ),
        Mistake(
            "weighted and then averaged: the weights sum to 1 already, so do not divide by the length again",
            lambda *inputs: (_step_weights(*inputs).mT * inputs[1]).mean(1),
        ),
        Mistake(
            "the softmax is missing: you weighted with the raw scores",
            lambda state, memory, mask, score: (
                score(state.unsqueeze(1), memory).masked_fill(~mask.unsqueeze(1), 0) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "softmax and mask are missing: you weighted with the raw scores, padding too",
            lambda state, memory, mask, score: (score(state.unsqueeze(1), memory) @ memory).squeeze(1),
        ),
        Mistake(
            "the mask is not used: padding has weight",
            lambda state, memory, mask, score: (score(state.unsqueeze(1), memory).softmax(-1) @ memory).squeeze(1),
        ),
        Mistake(
            "the mask came after the softmax: the weights of the words no longer sum to 1",
            lambda state, memory, mask, score: (
                (score(state.unsqueeze(1), memory).softmax(-1) * mask.unsqueeze(1)) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "hidden scores became 0, but exp(0) is 1, so padding still has weight: they must be -inf",
            lambda state, memory, mask, score: (
                (score(state.unsqueeze(1), memory) * mask.unsqueeze(1)).softmax(-1) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "the mask is inverted: you hid the words and read the padding",
            lambda state, memory, mask, score: (
                _hidden(score(state.unsqueeze(1), memory), ~mask).softmax(-1) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "softmax over the batch: each sentence has its own weights, over its own words",
            lambda state, memory, mask, score: (
                _hidden(score(state.unsqueeze(1), memory), mask).softmax(0) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "argmax: you took the one best state; the context is an average of all, weighted",
            lambda state, memory, mask, score: memory[
                torch.arange(len(state)), _hidden(score(state.unsqueeze(1), memory), mask).argmax(-1).squeeze(1)
            ],
        ),
        Mistake(
            "the last place of the memory, not a context: at this place there may be padding, and looking back at all "
            "places is what attention is for",
            lambda state, memory, mask, score: memory[:, -1],
        ),
        Mistake(
            "the encoder's last state: that is the fixed context of lesson 01; here every word may be looked at",
            lambda state, memory, mask, score: memory[torch.arange(len(state)), mask.sum(1) - 1],
        ),
        Mistake(
            "the softmax ran over the axis of the one query, where each word's weight is 1 by itself, and that of "
            "padding NaN, exp(-inf) divided by itself; it must run over the source, the last axis",
            lambda state, memory, mask, score: (
                score(state.unsqueeze(1), memory).masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(1) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "the softmax ran over the whole batch at once: each sentence has its own weights, which sum to 1",
            lambda state, memory, mask, score: (
                _hidden(score(state.unsqueeze(1), memory), mask).flatten().softmax(0).reshape(len(state), 1, -1)
                @ memory
            ).squeeze(1),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even, and gives "
            "padding weight",
            lambda *inputs: (_step_weights(*inputs).softmax(-1) @ inputs[1]).squeeze(1),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
            lambda *inputs: (_hidden(_step_weights(*inputs), inputs[2]).softmax(-1) @ inputs[1]).squeeze(1),
        ),
        Mistake(
            "the mask is inverted: you hid the words and read the padding, and a sentence without padding became NaN",
            lambda state, memory, mask, score: (
                score(state.unsqueeze(1), memory).masked_fill(mask.unsqueeze(1), -torch.inf).softmax(-1) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "the mask was added as numbers 0 and 1: padding must be shut out, not lowered by 1",
            lambda state, memory, mask, score: (
                (score(state.unsqueeze(1), memory) + mask.unsqueeze(1)).softmax(-1) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "padding became zeros, but its scores still take part: hide them before the softmax",
            lambda state, memory, mask, score: (
                score(state.unsqueeze(1), memory * mask.unsqueeze(2)).softmax(-1) @ (memory * mask.unsqueeze(2))
            ).squeeze(1),
        ),
        Mistake(
            "the softmax is missing: you weighted with the raw scores, and those of padding are -inf",
            lambda state, memory, mask, score: (
                score(state.unsqueeze(1), memory).masked_fill(~mask.unsqueeze(1), -torch.inf) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "sigmoid in place of the softmax: each weight was found by itself, so they do not sum to 1",
            lambda state, memory, mask, score: (
                (score(state.unsqueeze(1), memory).sigmoid() * mask.unsqueeze(1)) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "exp without the division: the weights must sum to 1",
            lambda state, memory, mask, score: (
                (score(state.unsqueeze(1), memory).exp() * mask.unsqueeze(1)) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "the scores were divided by the square root of the memory's size: `score` has done all that is needed",
            lambda state, memory, mask, score: (
                _hidden(score(state.unsqueeze(1), memory) / memory.shape[-1] ** 0.5, mask).softmax(-1) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "argmax, padding too: you took the one state with the highest score; the context is an average of all "
            "words, weighted",
            lambda state, memory, mask, score: memory[
                torch.arange(len(state)), score(state.unsqueeze(1), memory).argmax(-1).squeeze(1)
            ],
        ),
        Mistake(
            "the first place of the memory, not a context: looking back at all places is what attention is for",
            lambda state, memory, mask, score: memory[:, 0],
        ),
        Mistake(
            "tanh of the context: the average itself is asked for",
            lambda *inputs: (_step_weights(*inputs) @ inputs[1]).squeeze(1).tanh(),
        ),
        Mistake(
            "these are the scores: the softmax and the average are missing",
            lambda state, memory, mask, score: score(state.unsqueeze(1), memory).squeeze(1),
        ),
        Mistake(
            "the sign is wrong: the worst match got the highest weight",
            lambda state, memory, mask, score: (
                _hidden(-score(state.unsqueeze(1), memory), mask).softmax(-1) @ memory
            ).squeeze(1),
        ),
        Mistake(
            "every sentence was given the context of the first one: keep the axis of the batch",
            lambda *inputs: (_step_weights(*inputs) @ inputs[1]).squeeze(1)[:1].expand(len(inputs[0]), -1),
        ),
    ),
)

EXERCISES = [ADDITIVE, CONTEXT]
