"""Which input reaches which output of a network, and how strongly: the sizes of the derivatives between them."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.functional import jacobian

from attnlab.checks import checked

Layer = Callable[[Float[Tensor, "1 tokens dim"]], Float[Tensor, "1 tokens dim"]]
"""What a network is made of: from a batch of one sequence to another, as a module is called."""


class Sensitivity(NamedTuple):
    """Vectors inside a network, and how each of their numbers depends on each number of the network's input.

    vectors: [tokens, dim]. jacobian: their derivative with respect to the input, [tokens, dim, inputs, input_dim].
    """

    vectors: Float[Tensor, "tokens dim"]
    jacobian: Float[Tensor, "tokens dim inputs input_dim"]

    @property
    def norms(self) -> Float[Tensor, "tokens inputs"]:
        """One number for each pair of vectors: the Frobenius norm of the derivative of one with respect to the other.
        Exactly 0 where no way leads from the input to the output."""
        return self.jacobian.square().sum(dim=(1, 3)).sqrt()


@checked
def at_input(x: Float[Tensor, "tokens dim"]) -> Sensitivity:
    """The input itself: each of its numbers depends on nothing but itself. Raises ValueError when it has no rows."""
    if x.ndim != 2 or not x.numel():
        raise ValueError(f"expected vectors [tokens, dim], at least one, got shape {list(x.shape)}")
    return Sensitivity(x, torch.eye(x.numel(), dtype=x.dtype, device=x.device).view(*x.shape, *x.shape))


@checked
def one_layer_further(layer: Layer, before: Sensitivity) -> Sensitivity:
    """What `layer` makes of the vectors, and the chain rule: its own Jacobian times the one before."""
    alone = partial(_without_batch, layer)
    own = jacobian(alone, before.vectors, vectorize=True)  # [tokens, dim, tokens before, dim before]
    with torch.no_grad():
        return Sensitivity(alone(before.vectors), torch.tensordot(own, before.jacobian, dims=2))


def _without_batch(layer: Layer, x: Tensor) -> Tensor:
    return layer(x.unsqueeze(0))[0]


@checked
def jacobian_norms(layers: Iterable[Layer], x: Float[Tensor, "tokens dim"]) -> Float[Tensor, "outputs inputs"]:
    """How strongly each output vector answers to each input vector, when x goes through these layers in turn.

    A row is an output, a column an input; the number is the Frobenius norm of the derivative of one vector with
    respect to the other. 0 means exactly 0: the output does not depend on that input. The inputs of a row that are not
    0 are its receptive field. float64 tells small derivatives from rounding. Raises ValueError for x without rows.

    **Source:** the layer-wise product is the chain rule; receptive fields measured by derivatives: Luo et al. 2016,
    "Understanding the Effective Receptive Field in Deep Convolutional Neural Networks", section 2.
    """
    found = at_input(x)
    for layer in layers:
        found = one_layer_further(layer, found)
    return found.norms
