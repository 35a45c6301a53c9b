"""The area that no mean of some points can leave."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.checks import checked


@checked
def convex_hull(points: Float[Tensor, "points 2"]) -> Int[Tensor, " corners"]:
    """Which points are the corners of the smallest convex area that holds all of them.

    They are counted from 0, in their order around it, against the clock, from the leftmost (of several the lowest) on.
    A point between two corners is none.

    A context is a mean of values under weights that are not negative and sum to 1: it lies in the hull of the values.
    Raises ValueError for points that are not finite.

    **Source:** Andrew 1979, "Another efficient algorithm for convex hulls in two dimensions".
    """
    if not bool(points.isfinite().all()):
        raise ValueError(f"expected points that are numbers, got {points.tolist()}")
    places = points.tolist()
    order = sorted({tuple(place): i for i, place in reversed(list(enumerate(places)))}.items())
    if len(order) < 3:
        return torch.tensor([i for _, i in order], dtype=torch.long)
    return torch.tensor(_half(order) + _half(order[::-1]))


def _half(order: list) -> list[int]:
    """The corners of the lower half, for points from left to right; of the upper one for the way back. The last point
    begins the other half."""
    kept: list = []
    for place, i in order:
        while len(kept) > 1 and _turn(kept[-2][0], kept[-1][0], place) <= 0:
            kept.pop()
        kept.append((place, i))
    return [i for _, i in kept[:-1]]


def _turn(a: tuple, b: tuple, c: tuple) -> float:
    """Above 0 where the way from a over b to c turns to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
