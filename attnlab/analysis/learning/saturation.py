"""How far a softmax has become a choice: the spread of its weights, and how much it still moves."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import checked


class Saturation(NamedTuple):
    """variance: of all scores. entropy: of a row of weights, as a share of the largest that it can be, ln(keys).
    gradient: the sum of d weight / d score over a row, at most 1 - 1 / keys, and 0 where the softmax no longer moves.
    Both are averaged over the rows."""

    variance: float
    entropy: float
    gradient: float


@checked
def saturation(
    weights: Float[Tensor, "*batch queries keys"], scores: Float[Tensor, "*batch queries keys"]
) -> Saturation:
    """The variance of the scores, and the entropy and the gradient of the weights that their softmax has given.

    A weight w has the derivative w (1 - w) with respect to its own score. Raises ValueError when shapes differ and for
    less than two keys, which leave no choice.

    **Source:** Vaswani et al. 2017, section 3.2.1: "for large values of d_k, the dot products grow large in magnitude,
    pushing the softmax function into regions where it has extremely small gradients". **Names:** d_k -> dim.
    """
    if weights.shape != scores.shape or weights.shape[-1] < 2:
        raise ValueError(
            f"expected weights and scores of one shape with two keys or more, got {list(weights.shape)} "
            f"and {list(scores.shape)}"
        )
    if bool((weights < 0).any()):
        raise ValueError(f"expected weights of 0 or more, got {weights.min().item()}")
    entropy = -torch.xlogy(weights, weights).sum(-1).mean() / torch.tensor(float(weights.shape[-1])).log()
    gradient = (weights * (1 - weights)).sum(-1).mean()
    return Saturation(scores.var().item(), entropy.item(), gradient.item())
