"""Exercise 02.context: one decoder step's context."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l02_looking_back.additive import LOWEST, scores_of
from attnlab.specs import each, seq2seq

Compare = Callable[[Tensor, Tensor], Tensor]
"""A score: (query [batch, queries, hidden], key [batch, keys, dim]) -> [batch, queries, keys]."""


def context(state: Tensor, memory: Tensor, mask: Tensor, score: Compare) -> Tensor:
    """The solution."""
    scores = score(state.unsqueeze(1), memory)  # [batch, 1, source]
    weights = scores.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(dim=-1)
    return (weights @ memory).squeeze(1)


def _context_inputs(lengths: list[int], hidden: int, dim: int, size: float = 1.0) -> tuple:
    """States, memories of these lengths padded with numbers that do harm when read, and an additive score."""
    chance = torch.Generator().manual_seed(len(lengths) * 100 + hidden)
    batch, source = len(lengths), max(lengths)
    state = torch.randn(batch, hidden, generator=chance)
    mask = torch.arange(source) < torch.tensor(lengths).unsqueeze(1)
    memory = torch.where(mask.unsqueeze(2), torch.randn(batch, source, dim, generator=chance), 1.5)
    W_q, W_k = (torch.randn(size, 5, generator=chance) / size**0.5 for size in (hidden, dim))
    v = size * torch.randn(5, generator=chance)

    def score(query: Tensor, key: Tensor) -> Tensor:
        sizes = [list(one.shape) for one in (query, key)]
        if [size[2:] for size in sizes] != [[hidden], [dim]] or len(query) != len(key):
            raise ValueError(
                f"score compares queries [batch, queries, {hidden}] with keys [batch, keys, {dim}], got {sizes[0]} and "
                f"{sizes[1]}"
            )
        return scores_of(query, key, W_q, W_k, v)

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
    edges=lambda: [
        _context_inputs([1], 2, 3),
        _context_inputs([5, 1, 3, 2, 4], 5, 2),
        _context_inputs([4, 2, 3], 3, 5, size=20.0),
    ],
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
