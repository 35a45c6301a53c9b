"""How the learning rate moves: a schedule is a callable `(step, steps) -> share` of the highest rate, steps from 1.

After the last step those that have fallen stay down.

Other lengths of a phase are bound with `functools.partial`: `partial(cosine, warmup=100, floor=0.1)`.
"""

from collections.abc import Callable
from math import cos, pi, sqrt

from attnlab.checks import Count, Share, Size, checked
from attnlab.registry import Table

Schedule = Callable[[int, int], float]


@checked
def constant(step: Size, steps: Size) -> float:
    """The highest rate all the time."""
    return 1.0


@checked
def linear(step: Size, steps: Size, warmup: Count = 30, floor: Share = 0.03) -> float:
    """Rises for `warmup` steps, then falls in a line to the share `floor`."""
    if step < warmup:
        return step / warmup
    return 1 - (1 - floor) * _past(step, steps, warmup)


@checked
def cosine(step: Size, steps: Size, warmup: Count = 30, floor: Share = 0.1) -> float:
    """Rises for `warmup` steps, then falls along half a wave to the share `floor`: slowly, quickly, slowly.

    **Source:** Loshchilov and Hutter 2017, "SGDR: Stochastic Gradient Descent with Warm Restarts", equation 5, without
    restarts. **Names:** eta_max -> the highest rate, eta_min -> floor.
    """
    if step < warmup:
        return step / warmup
    return floor + (1 - floor) * (1 + cos(pi * _past(step, steps, warmup))) / 2


@checked
def inverse_root(step: Size, steps: Size, warmup: Size = 30) -> float:
    """Rises for `warmup` steps (at least 1), then falls as one over the square root of the step.

    The paper's highest rate is `(dim * warmup) ** -0.5`, with 4000 steps of warm-up.

    **Source:** Vaswani et al. 2017, "Attention Is All You Need", equation 3. **Names:** step_num -> step,
    warmup_steps -> warmup, d_model -> dim.
    """
    return min(step / warmup, sqrt(warmup / step))


@checked
def cool_down(step: Size, steps: Size, last: Share = 0.6) -> float:
    """Flat, then over the `last` share of all steps in a line towards 0, which the step after the end has.

    **Source:** Hägele et al. 2024, "Scaling Laws and Compute-Optimal Training Beyond Fixed Training Durations",
    section 3 (constant rate with cool-down).
    """
    return min(1.0, max(0, steps - step + 1) / max(1.0, last * steps))


def _past(step: Size, steps: Size, warmup: Count) -> float:
    """Which share of the steps after the warm-up is done."""
    return min(1.0, (step - warmup) / max(1, steps - warmup))


SCHEDULES: dict[str, Schedule] = Table({
    "constant": constant,
    "linear": linear,
    "cosine": cosine,
    "inverse_root": inverse_root,
    "cool_down": cool_down,
})
