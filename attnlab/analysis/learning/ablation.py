"""What the parts of a recipe contribute, from trainings with and without each of them."""

from collections.abc import Mapping
from typing import NamedTuple

from attnlab.checks import checked


class Run(NamedTuple):
    """One training. steps: when it was measured. exact: the share of held-out sentences right, then. loss: at the end,
    the plain cross-entropy on held-out sentences, in nats a token."""

    steps: list[int]
    exact: list[float]
    loss: float


@checked
def factor_effects(measured: Mapping[tuple[bool, ...], int | float], factor: int) -> list[float]:
    """What switching one factor on adds to a measurement, once for each setting of all others.

    measured: {which factors are on: the measurement}. factor: the index of the one that is looked at. The mean of the
    result is the factor's main effect; where the numbers differ much, it depends on the others (interaction).
    Raises ValueError where a setting has no measurement with this factor on.

    **Source:** factorial experiments: Fisher 1935, "The Design of Experiments", chapter 6.
    """
    found = []
    for setting, without in measured.items():
        if not 0 <= factor < len(setting):
            raise ValueError(f"expected a factor from 0 to {len(setting) - 1}, got {factor}")
        if not setting[factor]:
            on = (*setting[:factor], True, *setting[factor + 1 :])
            if on not in measured:
                raise ValueError(f"expected a measurement of {on}, to compare with {setting}, got none")
            found.append(float(measured[on] - without))
    return found
