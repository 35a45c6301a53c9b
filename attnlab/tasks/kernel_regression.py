"""Points measured along a line, and the score that draws a curve through them: regression, as attention does it."""

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import Size, checked

MOST = 5.0
"""Places lie between 0 and this."""


@checked
def wave(places: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch"]:
    """What is measured at a place, before the noise: sin(1.5 x) + 0.3 x."""
    return torch.sin(1.5 * places) + 0.3 * places


@checked
def measurements(seed: int = 0, points: Size = 20) -> tuple[Float[Tensor, "points 1"], Float[Tensor, "points 1"]]:
    """Keys and values: random places from 0 to 5, in order, and `wave` there with noise of standard deviation 0.3."""
    generator = torch.Generator().manual_seed(int(seed))
    places = MOST * torch.rand(points, 1, generator=generator).sort(0).values
    return places, wave(places) + 0.3 * torch.randn(points, 1, generator=generator)


@checked
def nearness(
    query: Float[Tensor, "*#batch queries 1"], key: Float[Tensor, "*#batch keys 1"]
) -> Float[Tensor, "*#batch queries keys"]:
    """A score: minus half the squared distance of every query from every key.

    `attend(query, key, value, score=nearness, temperature=bandwidth**2)` is kernel regression with a Gaussian of that
    bandwidth, in the units of the places.

    **Source:** Nadaraya 1964, "On Estimating Regression"; Watson 1964, "Smooth Regression Analysis". **Names:** x ->
    query, x_i -> key, y_i -> value, h -> bandwidth.
    """
    return -((query - key.mT) ** 2) / 2
