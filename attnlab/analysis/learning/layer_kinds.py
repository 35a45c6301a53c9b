"""The four layers that the paper's table 1 compares, with random maps, to see what their outputs depend on.

What they cost is counted in `attnlab.costs`, under the same names. No biases, one head.
"""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.learning.jacobians import Layer
from attnlab.attention import attend
from attnlab.checks import checked
from attnlab.masks import window
from attnlab.registry import Table


@checked
def recurrent(
    x: Float[Tensor, "batch tokens dim"], maps: Float[Tensor, "maps dim dim"], sees: int = 3, gap: int = 1
) -> Float[Tensor, "batch tokens dim"]:
    """h_t = tanh(x_t maps[0] + h_{t-1} maps[1]), from a first state of zeros."""
    states = [torch.zeros_like(x[:, 0])]
    for token in x.unbind(dim=1):
        states.append(torch.tanh(token @ maps[0] + states[-1] @ maps[1]))
    return torch.stack(states[1:], dim=1)


@checked
def convolution(
    x: Float[Tensor, "batch tokens dim"], maps: Float[Tensor, "maps dim dim"], sees: int = 3, gap: int = 1
) -> Float[Tensor, "batch tokens dim"]:
    """Each place takes `sees` tokens together: its own and those `gap`, 2 gap, ... places before it, zeros where the
    text has not begun."""
    tokens = x.shape[1]
    shifted = [torch.cat([torch.zeros_like(x[:, : step * gap]), x], dim=1)[:, :tokens] for step in range(sees)]
    return sum((before @ maps[step] for step, before in enumerate(shifted)), torch.zeros_like(x))


@checked
def self_attention(
    x: Float[Tensor, "batch tokens dim"], maps: Float[Tensor, "maps dim dim"], sees: int = 3, gap: int = 1
) -> Float[Tensor, "batch tokens dim"]:
    """Every place attends to all; maps[0], [1], [2] make queries, keys and values."""
    return attend(x @ maps[0], x @ maps[1], x @ maps[2]).context


@checked
def restricted_attention(
    x: Float[Tensor, "batch tokens dim"], maps: Float[Tensor, "maps dim dim"], sees: int = 3, gap: int = 1
) -> Float[Tensor, "batch tokens dim"]:
    """Every place attends to the `sees` tokens around it, an odd number; at the ends there are fewer."""
    near = window(x.shape[1], radius=sees // 2)
    return attend(x @ maps[0], x @ maps[1], x @ maps[2], mask=near).context


LAYER_KINDS: dict[str, Callable[..., Tensor]] = Table({
    "recurrent": recurrent,
    "convolution": convolution,
    "self_attention": self_attention,
    "restricted_attention": restricted_attention,
})
"""Name -> function `(x, maps, sees, gap) -> x`; each takes of the last three what it needs.

**Source:** Vaswani et al. 2017, table 1 and section 4; dilated convolutions: van den Oord et al. 2016, "WaveNet",
section 2.1. **Names:** k or r -> sees, dilation -> gap.
"""


@checked
def random_layers(kind: str, depth: int, dim: int, sees: int = 3, growth: int = 1) -> list[Layer]:
    """`depth` layers of one kind of `LAYER_KINDS`, each with maps of its own, the same at every call.

    The numbers of a map are normal with variance 1 / dim, in float64.
    sees: how many tokens a convolution, or restricted attention, takes together. growth: how many times farther apart
    the convolution's tokens stand in each layer than in the one below: 1 for neighbours throughout, `sees` for the
    usual dilation 1, k, k², ...
    Raises ValueError for an unknown kind and for sizes below 1.
    """
    for name, size in {"depth": depth, "dim": dim, "sees": sees, "growth": growth}.items():
        if size < 1:
            raise ValueError(f"expected {name} of at least 1, got {size}")
    layers: list[Layer] = []
    for place in range(depth):
        generator = torch.Generator().manual_seed(place)
        maps = torch.randn(max(3, sees), dim, dim, generator=generator, dtype=torch.float64) / dim**0.5
        layers.append(partial(LAYER_KINDS[kind], maps=maps, sees=sees, gap=growth**place))
    return layers
