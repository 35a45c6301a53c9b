"""How alike the vectors of a sequence become on their way through a network.

Where all of them point the same way, the matrix of vectors has rank one, and no later layer can tell the tokens apart.
"""

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

from attnlab.analysis.learning.jacobians import Layer
from attnlab.checks import checked


@checked
@torch.no_grad()
def hidden_states(layers: Iterable[Layer], x: Float[Tensor, "tokens dim"]) -> Float[Tensor, "depths tokens dim"]:
    """The vectors before the first layer and after each, when x goes through these layers in turn."""
    states = [x]
    for layer in layers:
        states.append(layer(states[-1].unsqueeze(0))[0])
    return torch.stack(states)


@checked
def cosine_similarities(x: Float[Tensor, "*batch tokens dim"]) -> Float[Tensor, "*batch tokens tokens"]:
    """The cosine of the angle between any two vectors of a sequence: 1 for one direction, 0 for a right angle.

    The length of the vectors does not matter; a vector of zeros has no direction, and the cosine 0 with all others.
    """
    largest = x.abs().amax(dim=-1, keepdim=True)
    directions = normalize(x / largest.where(largest > 0, 1.0), dim=-1)  # squares of tiny numbers would be 0
    return directions @ directions.mT


@checked
def mean_cosine(x: Float[Tensor, "*batch tokens dim"]) -> Float[Tensor, "*batch"]:
    """How alike the vectors of a sequence are: the mean cosine of all pairs of two places. 1: all are one direction.

    Raises ValueError for fewer than two vectors.

    **Source:** Shi et al. 2022, "Revisiting Over-smoothing in BERT from the Perspective of Graph", section 3; what it
    becomes with depth: Dong, Cordonnier and Loukas 2021, "Attention is Not All You Need: Pure Attention Loses Rank
    Doubly Exponentially with Depth". **Names:** CosSim -> `mean_cosine`.
    """
    count = x.shape[-2]
    if count < 2:
        raise ValueError(f"expected at least two vectors to compare, got {count}")
    cosines = cosine_similarities(x)
    diagonal = cosines.diagonal(dim1=-2, dim2=-1)
    return (cosines.sum((-2, -1)) - diagonal.sum(-1)) / (count * (count - 1))
