"""Exercise 14.draw: a place that is drawn, and what may learn from it."""

from collections.abc import Callable
from math import log, pi

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.vision import glimpses as specs

Draw = Callable[[], Tensor]


class Noise:
    """Standard normal numbers [batch, 2], other ones with each call."""

    def __init__(self, batch: int) -> None:
        self.batch = batch
        self.calls = 0

    def __call__(self) -> Tensor:
        self.calls += 1
        return self._of(self.calls)

    @property
    def first(self) -> Tensor:
        """What the first call gives."""
        return self._of(1)

    def _of(self, call: int) -> Tensor:
        return torch.randn(self.batch, 2, generator=torch.Generator().manual_seed(100 * self.batch + call))


def draw(mean: Tensor, noise: float, randn: Draw) -> Tensor:
    """The solution."""
    place = (mean + noise * randn()).detach()
    return _beside(place, _log_p(place, mean, noise))


def draw_spec(mean: Tensor, noise: float, randn: Draw) -> Tensor:
    """The same, one place after the other."""
    rows = []
    for centre, epsilon in zip(mean, randn(), strict=True):
        place = (centre + noise * epsilon).detach()
        rows.append(torch.cat([place, specs.log_density(place, centre, noise)[None]]))
    return torch.stack(rows)


def _beside(place: Tensor, log_p: Tensor) -> Tensor:
    return torch.cat([place, log_p.unsqueeze(1)], dim=1)


def _log_p(place: Tensor, mean: Tensor, noise: float) -> Tensor:
    return -(place - mean).square().sum(1) / (2 * noise**2) - log(2 * pi * noise**2)


def _drawn(mean: Tensor, noise: float, randn: Draw, log_p: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """The right place, beside another ln p of it."""
    place = (mean + noise * randn()).detach()
    return _beside(place, log_p(place, mean))


def _elsewhere(mean: Tensor, noise: float, place: Tensor) -> Tensor:
    return _beside(place.detach(), _log_p(place.detach(), mean, noise))


def _drew_again(result: Tensor, mean: Tensor, noise: float, randn: Noise) -> str | None:
    """A diagnosis: what was returned belongs to two draws, or to the last of several."""
    if randn.calls < 2:
        return None
    return (
        "you drew more than once, and each call of `randn()` gives other numbers: draw one place, return it, and "
        "compute ln p of that very place; of another one the policy would learn what it has not tried"
    )


def _another_draw(result: Tensor, mean: Tensor, noise: float, randn: Noise) -> str | None:
    """A diagnosis: ln p fits the place, but it was not drawn with `randn`."""
    place, log_p = result[:, :2], result[:, 2]
    drawn = torch.isclose(place, mean + noise * randn.first, atol=1e-4).any()
    if drawn or not torch.allclose(log_p, _log_p(place, mean, noise), atol=1e-3):
        return None
    return "ln p fits your places, but they were not drawn with `randn()`: take epsilon from the function that is given"


def _means(batch: int) -> tuple:
    mean = torch.rand(batch, 2, generator=torch.Generator().manual_seed(batch)) - 0.5
    return mean, 0.1 + batch / 20, Noise(batch)


DRAW = Exercise(
    name="14.draw",
    title="A place that is drawn, and what may learn from it",
    statement="""Draw a place around each mean and return it beside ln p of having drawn it: [batch, 3], which are
across, down and ln p in nats.

place = mean + noise * epsilon, with epsilon = randn(). Its density is that of a normal distribution around the mean
with standard deviation `noise` on both axes, which are independent. Nothing is cut off at the edges here.

The policy learns from ln p alone. So the gradient must be right, too: what pulls the mean towards the place, and what
must not?

mean [batch, 2]; noise a number above 0; randn() gives standard normal numbers [batch, 2].""",
    axes="[batch, 3]",
    stub="""def draw(mean, noise, randn):
    ...
""",
    hints=(
        "ln of a normal density is -distance² / (2 noise²) - ln(noise √(2π)) on each axis. Two independent axes add.",
        "REINFORCE asks: where must the mean move to make this place likelier? The place stays where it is. If it "
        "moves along with the mean, their distance never changes.",
        "Exactly one thing is detached, the place, and before ln p is computed from it. The mean in ln p is not.",
    ),
    solution=draw,
    spec=draw_spec,
    inputs=lambda: [_means(5), _means(7)],
    edges=lambda: [_means(2), _means(11)],
    diagnoses=(_drew_again, _another_draw),
    mistakes=(
        Mistake(
            "no gradient reaches `mean`. Either the mean was detached along with the place, or ln p was computed from "
            "a place that moves along with the mean. The gaze would stay where it began, and nobody would notice: "
            "what sees and remembers still learns",
            lambda mean, noise, randn: draw(mean.detach(), noise, randn),
        ),
        Mistake(
            "the place is still attached to the mean: ln p then has no gradient, for both move together, and the "
            "classifier's loss moves the gaze through the place; detach what was drawn",
            lambda mean, noise, randn: (lambda place: _beside(place, _log_p(place, mean, noise)))(
                mean + noise * randn()
            ),
        ),
        Mistake(
            "ln p is right, but the place that you return is still attached to the mean: the classifier's gradient "
            "leaks into the policy; return the detached one",
            lambda mean, noise, randn: (lambda place: _beside(place, _log_p(place.detach(), mean, noise)))(
                mean + noise * randn()
            ),
        ),
        Mistake(
            "the mean in ln p is detached and the place is not: the pull has the wrong sign, and the classifier moves "
            "the gaze; exchange the two",
            lambda mean, noise, randn: (lambda place: _beside(place, _log_p(place, mean.detach(), noise)))(
                mean + noise * randn()
            ),
        ),
        Mistake(
            "the constant of the density is missing: subtract ln(2π noise²), so that it is ln p itself",
            lambda mean, noise, randn: _drawn(
                mean, noise, randn, lambda place, m: -(place - m).square().sum(1) / (2 * noise**2)
            ),
        ),
        Mistake(
            "the constant was subtracted for one axis only: there are two, ln(2π noise²) in all",
            lambda mean, noise, randn: _drawn(
                mean, noise, randn, lambda place, m: _log_p(place, m, noise) + log(2 * pi * noise**2) / 2
            ),
        ),
        Mistake(
            "divided by 2 noise: it is 2 noise²",
            lambda mean, noise, randn: _drawn(
                mean,
                noise,
                randn,
                lambda place, m: -(place - m).square().sum(1) / (2 * noise) - log(2 * pi * noise**2),
            ),
        ),
        Mistake(
            "divided by noise²: it is 2 noise²",
            lambda mean, noise, randn: _drawn(
                mean,
                noise,
                randn,
                lambda place, m: -(place - m).square().sum(1) / noise**2 - log(2 * pi * noise**2),
            ),
        ),
        Mistake(
            "the density was that of a standard deviation of noise²: `noise` is the standard deviation, which is what "
            "`torch.distributions.Normal` wants, too",
            lambda mean, noise, randn: _drawn(mean, noise, randn, lambda place, m: _log_p(place, m, noise**2)),
        ),
        Mistake(
            "that is ln p of epsilon, which is spread by 1: the place is spread by `noise`, and only its ln p depends "
            "on the mean",
            lambda mean, noise, randn: _drawn(
                mean, noise, randn, lambda place, m: _log_p((place - m) / noise, 0 * m, 1.0)
            ),
        ),
        Mistake(
            "averaged over the two axes: independent axes add up, ln p is a sum",
            lambda mean, noise, randn: _drawn(mean, noise, randn, lambda place, m: _log_p(place, m, noise) / 2),
        ),
        Mistake(
            "the sign is wrong: that is -ln p",
            lambda mean, noise, randn: _drawn(mean, noise, randn, lambda place, m: -_log_p(place, m, noise)),
        ),
        Mistake(
            "that is p, not ln p",
            lambda mean, noise, randn: _drawn(mean, noise, randn, lambda place, m: _log_p(place, m, noise).exp()),
        ),
        Mistake(
            "epsilon was not scaled: the place is mean + noise * epsilon",
            lambda mean, noise, randn: _elsewhere(mean, noise, mean + randn()),
        ),
        Mistake(
            "epsilon was scaled by noise²: `noise` is the standard deviation",
            lambda mean, noise, randn: _elsewhere(mean, noise, mean + noise**2 * randn()),
        ),
        Mistake(
            "places beyond -1 and 1 were brought back to the edge: nothing is cut off here, and ln p is of the place "
            "that was drawn",
            lambda mean, noise, randn: _elsewhere(mean, noise, (mean + noise * randn()).clamp(-1, 1)),
        ),
        Mistake(
            "nothing was drawn: the place is the mean itself, so no place is ever tried out",
            lambda mean, noise, randn: _elsewhere(mean, noise, mean),
        ),
    ),
)
