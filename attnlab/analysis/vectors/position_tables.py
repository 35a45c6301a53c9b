"""Codes of positions as tables, a row for each place: the sinusoids, and what learned positions begin with."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import checked
from attnlab.positions import sinusoidal
from attnlab.registry import Table


@checked
def untrained(places: int, dim: int) -> Float[Tensor, "places dim"]:
    """The table of `attnlab.positions.Learned` before any training: numbers of standard deviation 1, always the same.

    Raises ValueError for negative sizes.
    """
    if min(places, dim) < 0:
        raise ValueError(f"expected sizes of 0 or more, got {places} places and dim {dim}")
    return torch.randn(places, dim, generator=torch.Generator().manual_seed(0))


POSITION_TABLES: dict[str, Callable[[int, int], Tensor]] = Table({"sinusoidal": sinusoidal, "learned": untrained})
"""Name -> function `(places, dim) -> table`, where "learned" has not learned anything yet."""
