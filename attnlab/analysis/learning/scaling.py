"""How a cost grows with the size: a power law, fitted to measurements."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from attnlab.checks import Positive, checked


class PowerLaw(NamedTuple):
    """cost = factor * size ** exponent. exponent: 1 is linear, 2 quadratic. factor: the cost at size 1."""

    exponent: float
    factor: float

    @checked
    def at(self, size: Positive) -> float:
        """The cost of one size, in the unit of the measurements."""
        return self.factor * size**self.exponent


@checked
def power_law(measured: Mapping[int, int | float]) -> PowerLaw:
    """The power law that fits best to {size: cost}: least squares between the logarithms.

    On logarithmic axes it is a straight line, and the exponent is its slope. All measurements count alike: an error of
    10 % is the same for a short time as for a long one. Raises ValueError for fewer than two sizes and for sizes or
    costs that are not positive numbers.

    **Source:** Goldsmith, Aiken and Wilkerson 2007, "Measuring Empirical Computational Complexity" (powerlaw fits).
    """
    if len(measured) < 2:
        raise ValueError(f"expected at least two sizes, got {list(measured)}")
    if wrong := [pair for pair in measured.items() if not all(0 < x < math.inf for x in pair)]:
        raise ValueError(f"expected sizes and costs above 0, got a cost of {wrong[0][1]} at size {wrong[0][0]}")
    x = [math.log(size) for size in measured]
    y = [math.log(cost) for cost in measured.values()]
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    covariance = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    exponent = covariance / math.fsum((a - mean_x) ** 2 for a in x)
    return PowerLaw(exponent, math.exp(mean_y - exponent * mean_x))
