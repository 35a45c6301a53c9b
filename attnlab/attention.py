"""Attention: scores become weights, weights average the values. This file holds the only softmax over keys."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnlab.alignment import Score, scaled_dot
from attnlab.checks import Positive, checked

Weigh = Callable[[Tensor, Tensor], Tensor]


class Attention(NamedTuple):
    """What `attend` found.

    context: [..., queries, value_dim], the average of the values under the weights.
    weights: [..., queries, keys], each row sums to 1, or is all 0 where nothing may be attended to.
    scores: [..., queries, keys] as the score gave them: before mask, temperature and softmax.
    """

    context: Float[Tensor, "*batch queries value_dim"]
    weights: Float[Tensor, "*batch queries keys"]
    scores: Float[Tensor, "*batch queries keys"]


@checked
def masked_softmax(
    scores: Float[Tensor, "*batch queries keys"], allowed: Bool[Tensor, "*#batch #queries #keys"]
) -> Float[Tensor, "*batch queries keys"]:
    """The softmax of each row over the keys that are allowed; every other weight is 0, and so is a row without any.

    scores: where allowed finite, and above the lowest number of their type; anything elsewhere. allowed: boolean,
    True = may attend.
    """
    # The lowest number instead of -inf: the softmax of a row of -inf alone is NaN, also on the way back.
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~allowed, lowest).softmax(dim=-1).masked_fill(~allowed, 0.0)


@checked
def attend(
    query: Float[Tensor, "*#batch queries query_dim"],
    key: Float[Tensor, "*#batch keys key_dim"],
    value: Float[Tensor, "*#batch keys value_dim"],
    score: Score = scaled_dot,
    mask: Bool[Tensor, "..."] | None = None,
    temperature: Positive = 1.0,
    weigh: Weigh = masked_softmax,
) -> Attention:
    """context = softmax(score(query, key) / temperature) value, over the keys that `mask` allows.

    mask: boolean, True = may attend, of any shape that broadcasts to [..., queries, keys].
    temperature: above 1 the weights are flatter, below 1 sharper; no unit.
    weigh: `(scores / temperature, allowed) -> weights`, all of one shape; another one than the softmax makes attention
    hard (`hard_attention.py`) or local (`local_attention.py`).
    A score of -inf forbids its key as a mask does. A query with nothing to attend to gets weights and context 0.

    Raises ValueError when shapes do not fit, when the mask is not boolean or does not broadcast, when a score is
    NaN or +inf, when the division makes one infinite, and when the temperature is not a positive finite number. To
    look at the scores, each call waits for the device: on CUDA that is a synchronisation, which torch's fused kernel
    has not.

    **Source:** Bahdanau, Cho and Bengio 2015, equations 5 and 6; Vaswani et al. 2017, equation 1.
    **Names:** e -> scores, alpha -> weights, c -> context; Q, K, V -> query, key, value.
    """
    _check_inputs(query, key, value)
    scores = score(query, key)  # [..., queries, keys]
    tempered = scores / temperature
    _check_scores(scores, tempered, query, key)
    allowed = tempered > -torch.inf
    if mask is not None:
        check_mask(mask, scores)
        allowed = allowed & mask
    weights = weigh(tempered, allowed)
    _check_weights(weights, scores)
    return Attention(weights @ value, weights, scores)


def _check_inputs(query: Tensor, key: Tensor, value: Tensor) -> None:
    got = f"got query {list(query.shape)}, key {list(key.shape)}, value {list(value.shape)}"
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise ValueError(f"expected query [..., queries, dim], key and value [..., keys, dim]; {got}")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(f"expected one value for every key; {got}")
    try:  # numpy's, here and elsewhere: torch's own imports its compiler's sympy, 30 MB
        np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    except ValueError:
        raise ValueError(f"expected the axes before the last two to be the same, or 1; {got}") from None


def _check_scores(scores: Tensor, tempered: Tensor, query: Tensor, key: Tensor) -> None:
    expected = [query.shape[-2], key.shape[-2]]
    if list(scores.shape[-2:]) != expected:
        raise ValueError(
            f"expected a score to return [..., queries, keys] = [..., {expected[0]}, {expected[1]}], "
            f"got {list(scores.shape)}"
        )
    if bool(tempered.isfinite().all()):
        return
    wrong = tempered[~tempered.isfinite() & (scores != -torch.inf)]
    if wrong.numel():
        raise ValueError(
            f"expected scores that are numbers, got {wrong[0].item()} in {wrong.numel()} of {scores.numel()} places"
        )


def _check_weights(weights: Tensor, scores: Tensor) -> None:
    if weights.shape != scores.shape:
        raise ValueError(
            f"expected weigh to return weights for the scores {list(scores.shape)}, got {list(weights.shape)}"
        )


@checked
def check_mask(mask: Bool[Tensor, "..."], scores: Tensor) -> None:
    """Raises ValueError when a mask does not broadcast to the scores."""
    try:
        fits = np.broadcast_shapes(mask.shape, scores.shape) == scores.shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"expected a mask that broadcasts to the scores {list(scores.shape)}, got {list(mask.shape)}")


@checked
def replaced(
    own: Float[Tensor, "*batch queries keys"], given: Float[Tensor, "..."]
) -> Float[Tensor, "*batch queries keys"]:
    """Weights with the given rows in place of their own; a row with a NaN leaves them as they are. For `override`.

    given: what broadcasts to [..., queries, keys]; else ValueError.
    """
    try:
        rows = given.to(own).expand_as(own)
    except RuntimeError:
        raise ValueError(
            f"expected weights that broadcast to [..., queries, keys] = {list(own.shape)}, got {list(given.shape)}"
        ) from None
    return torch.where(rows.isnan().any(dim=-1, keepdim=True), own, rows)
