"""Exercise 03.local: a window around a predicted place."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import each
from attnlab.specs.local_attention import local_p


def local(scores: Tensor, centre: Tensor, radius: int | float) -> Tensor:
    """The solution."""
    places = torch.arange(scores.shape[-1], device=scores.device)
    distance = places - centre.unsqueeze(-1)  # [batch, queries, keys]
    weights = scores.masked_fill(distance.abs() > radius, -torch.inf).softmax(dim=-1)
    deviation = radius / 2
    return weights * torch.exp(-(distance**2) / (2 * deviation**2))


def local_spec(scores: Tensor, centre: Tensor, radius: int | float) -> Tensor:
    """The same in loops."""
    everywhere = torch.ones(scores.shape[1:], dtype=torch.bool)
    return each(lambda scores, centre: local_p(scores, everywhere, centre, radius), scores, centre)


def _local_inputs(batch: int, queries: int, keys: int, radius: int | float) -> tuple:
    """Centres between the places, so that none lies just at the window's edge."""
    chance = torch.Generator().manual_seed(batch * 100 + keys)
    scores = torch.randn(batch, queries, keys, generator=chance)
    centre = (torch.rand(batch, queries, generator=chance) * (keys - 1)).round(decimals=1)
    return scores, centre.masked_fill(centre % 1 == 0, 0.3), radius


def _at_the_edge() -> tuple:
    """Centres on whole places, and a whole radius: keys lie just at the window's edge."""
    scores, centre, radius = _local_inputs(2, 3, 11, 2)
    return scores, centre.round(), radius


def _low_scores() -> tuple:
    """Real scores about -60."""
    scores, centre, radius = _local_inputs(2, 3, 7, 2.0)
    return scores - 60, centre, radius


Curve = Callable[[Tensor, int | float], Tensor | int]
"""(distance, deviation) -> what each weight is multiplied by."""


def _windowed(
    scores: Tensor, centre: Tensor, radius: int | float, gauss: Curve | None = None, begin: int = 0
) -> Tensor:
    """The softmax in the window, times another curve of distance and deviation."""
    distance = torch.arange(scores.shape[-1]) + begin - centre.unsqueeze(-1)
    hidden = distance.abs() > radius
    weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(-1).masked_fill(hidden, 0)
    return weights * (gauss or _bell)(distance, radius / 2)


def _bell(distance: Tensor, deviation: int | float) -> Tensor:
    return torch.exp(-(distance**2) / (2 * deviation**2))


def _distance(scores: Tensor, centre: Tensor) -> Tensor:
    return torch.arange(scores.shape[-1]) - centre.unsqueeze(-1)


def _outside(weights: Tensor, scores: Tensor, centre: Tensor, radius: int | float) -> str | None:
    message = f"a key further than the radius, {radius:g}, from the centre has weight: there it must be 0"
    return message if weights[_distance(scores, centre).abs() > radius].any() else None


LOCAL = Exercise(
    name="03.local",
    title="A window around a predicted place",
    statement="""Return the weights [batch, queries, keys] of Luong's local attention (local-p).

Each query has predicted the place where it wants to look, a number between two keys perhaps. Only keys whose distance
to this centre is at most `radius` count: a softmax over them alone makes weights of the scores. Then each weight is
multiplied by exp(-distance² / (2 · deviation²)) with deviation = radius / 2. Rows are not divided by their sum again.

scores [batch, queries, keys]; centre [batch, queries], places from 0 to keys - 1; radius: a number, 1 or more.""",
    axes="[batch, queries, keys]",
    stub="""def local(scores, centre, radius):
    ...
""",
    hints=(
        "First the distances of all keys from all centres, [batch, queries, keys]; they say who is in the window, and "
        "how high the bell curve is.",
        "`torch.arange(keys) - centre.unsqueeze(-1)`: the axis that was put in lets places and centres broadcast. Hide "
        "scores beyond the radius with -inf, before the softmax.",
        "Distances are already there: the bell is a function of them, with σ = radius / 2. Multiply the weights "
        "by it after the softmax, and do not divide again: nobody else gets what it takes away.",
    ),
    solution=local,
    spec=local_spec,
    inputs=lambda: [_local_inputs(2, 3, 7, 2.0), _local_inputs(3, 5, 11, 3.0)],
    edges=lambda: [_at_the_edge(), _local_inputs(2, 1, 1, 1.0), _local_inputs(2, 3, 7, 2.5), _low_scores()],
    diagnoses=(diagnoses.negative, _outside),
    mistakes=(
        Mistake(
            "a number such as -30 in place of -inf: where the real scores are lower than that, keys outside of the "
            "window take their share",
            lambda scores, centre, radius: (
                scores.masked_fill(_distance(scores, centre).abs() > radius, -30.0).softmax(-1)
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "there is no window: keys beyond the radius still have weight",
            lambda scores, centre, radius: scores.softmax(-1) * _bell(_distance(scores, centre), radius / 2),
        ),
        Mistake(
            "the window came after the softmax: keys outside took their share first; hide them before it",
            lambda scores, centre, radius: (
                scores.softmax(-1)
                * _bell(_distance(scores, centre), radius / 2)
                * (_distance(scores, centre).abs() <= radius)
            ),
        ),
        Mistake(
            "hidden scores became 0, but exp(0) is 1: outside of the window they must be -inf",
            lambda scores, centre, radius: (
                scores.masked_fill(_distance(scores, centre).abs() > radius, 0).softmax(-1)
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "the window came after the softmax, and the bell curve is missing: hide the keys outside before the "
            "softmax",
            lambda scores, centre, radius: scores.softmax(-1) * (_distance(scores, centre).abs() <= radius),
        ),
        Mistake(
            "the window is half as wide as it must be: keys count up to the radius, half of it is the deviation",
            lambda scores, centre, radius: (
                torch.nan_to_num(
                    scores.masked_fill(_distance(scores, centre).abs() > radius / 2, -torch.inf).softmax(-1)
                )
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "the bell curve is missing: this is the softmax in the window",
            lambda scores, centre, radius: _windowed(scores, centre, radius, lambda distance, deviation: 1),
        ),
        Mistake(
            "this is the bell curve alone: the scores count too, by a softmax in the window",
            lambda scores, centre, radius: (
                _bell(_distance(scores, centre), radius / 2) * (_distance(scores, centre).abs() <= radius)
            ),
        ),
        Mistake(
            "your rows sum to 1: they were divided by their sum again, or the curve went into the softmax; Luong "
            "multiplies after the softmax and leaves it so",
            lambda scores, centre, radius: (lambda weights: weights / weights.sum(-1, keepdim=True))(
                _windowed(scores, centre, radius)
            ),
        ),
        Mistake(
            "the curve was multiplied with the scores, before the softmax: it belongs to the weights, after it",
            lambda scores, centre, radius: _windowed(
                scores * _bell(_distance(scores, centre), radius / 2), centre, radius, lambda distance, deviation: 1
            ),
        ),
        Mistake(
            "the curve was added to the scores: the weights are multiplied by it",
            lambda scores, centre, radius: _windowed(
                scores + _bell(_distance(scores, centre), radius / 2), centre, radius, lambda distance, deviation: 1
            ),
        ),
        Mistake(
            "the deviation is the radius: it must be half of it",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: _bell(distance, radius)
            ),
        ),
        Mistake(
            "the 2 in the exponent is missing: -distance² / (2 · deviation²)",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: torch.exp(-(distance**2) / deviation**2)
            ),
        ),
        Mistake(
            "brackets: `/ 2 * deviation**2` multiplies by deviation²; it belongs under the line: `/ (2 * "
            "deviation**2)`",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: torch.exp(-(distance**2) / 2 * deviation**2)
            ),
        ),
        Mistake(
            "brackets: `radius / 2**2` is radius / 4; the deviation is squared as a whole, `(radius / 2)**2`",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: torch.exp(-(distance**2) / (2 * deviation / 2))
            ),
        ),
        Mistake(
            "the deviation is not squared: -distance² / (2 · deviation²)",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: torch.exp(-(distance**2) / (2 * deviation))
            ),
        ),
        Mistake(
            "the distance is not squared: -distance² / (2 · deviation²)",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: torch.exp(-distance.abs() / (2 * deviation**2))
            ),
        ),
        Mistake(
            "the minus in the exponent is missing: far keys must count less, not more",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: 1 / _bell(distance, deviation)
            ),
        ),
        Mistake(
            "this curve has the area 1, it was divided by deviation · √(2π): Luong's has the height 1",
            lambda scores, centre, radius: _windowed(
                scores,
                centre,
                radius,
                lambda distance, deviation: _bell(distance, deviation) / (deviation * (2 * torch.pi) ** 0.5),
            ),
        ),
        Mistake(
            "you counted the places from 1: the first key stands at place 0",
            lambda scores, centre, radius: _windowed(scores, centre, radius, begin=1),
        ),
        Mistake(
            "the centre was rounded: it may lie between two keys, and only so does a gradient reach it",
            lambda scores, centre, radius: _windowed(scores, centre.round(), radius),
        ),
        Mistake(
            "the centre was cut to a whole place: it may lie between two keys, and only so does a gradient reach it",
            lambda scores, centre, radius: _windowed(scores, centre.floor(), radius),
        ),
        Mistake(
            "the softmax ran over the queries: each query shares its weight out among its keys, the last axis",
            lambda scores, centre, radius: (
                scores.masked_fill(_distance(scores, centre).abs() > radius, torch.finfo(scores.dtype).min).softmax(1)
                * (_distance(scores, centre).abs() <= radius)
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "the softmax is missing: the curve was multiplied with the scores, of which the hidden ones are still -inf",
            lambda scores, centre, radius: (
                scores.masked_fill(_distance(scores, centre).abs() > radius, -torch.inf)
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "the softmax is missing: the curve was multiplied with the scores",
            lambda scores, centre, radius: (
                scores.masked_fill(_distance(scores, centre).abs() > radius, 0)
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "half of the window is missing: keys before the centre count as well as those behind it",
            lambda scores, centre, radius: (
                torch.nan_to_num(
                    scores.masked_fill(
                        (_distance(scores, centre) > radius) | (_distance(scores, centre) < 0), -torch.inf
                    ).softmax(-1)
                )
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "half of the window is missing: keys behind the centre count as well as those before it",
            lambda scores, centre, radius: (
                torch.nan_to_num(
                    scores.masked_fill(
                        (_distance(scores, centre) < -radius) | (_distance(scores, centre) > 0), -torch.inf
                    ).softmax(-1)
                )
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "the deviation is twice the radius: it must be half of it",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: _bell(distance, 2 * radius)
            ),
        ),
        Mistake(
            "the exponent was halved once more: -distance² / (2 · deviation²) has one 2 under the line",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: _bell(distance, deviation) ** 0.5
            ),
        ),
        Mistake(
            "a straight slope in place of the bell curve: exp(-distance² / (2 · deviation²))",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: (1 - distance.abs() / radius).clamp(min=0)
            ),
        ),
        Mistake(
            "the bell curve was divided by its sum over the keys: Luong's has the height 1",
            lambda scores, centre, radius: _windowed(
                scores,
                centre,
                radius,
                lambda distance, deviation: (lambda curve: curve / curve.sum(-1, keepdim=True))(
                    _bell(distance, deviation)
                ),
            ),
        ),
        Mistake(
            "the bell curve was added: the weights are multiplied by it",
            lambda scores, centre, radius: (
                _windowed(scores, centre, radius, lambda distance, deviation: 1)
                + _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "the window is inverted: keys near the centre were hidden, those far from it kept",
            lambda scores, centre, radius: (
                scores.masked_fill(_distance(scores, centre).abs() <= radius, torch.finfo(scores.dtype).min).softmax(-1)
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "the window is twice as wide as it must be: keys count up to the radius on both sides",
            lambda scores, centre, radius: _windowed(
                scores, centre, 2 * radius, lambda distance, deviation: _bell(distance, deviation / 2)
            ),
        ),
        Mistake(
            "the sign is wrong: the lowest score got the highest weight",
            lambda scores, centre, radius: _windowed(-scores, centre, radius),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
            lambda scores, centre, radius: _windowed(
                _windowed(scores, centre, radius, lambda distance, deviation: 1), centre, radius
            ),
        ),
        Mistake(
            "sigmoid in place of the softmax: each weight was found by itself",
            lambda scores, centre, radius: (
                scores.sigmoid().masked_fill(_distance(scores, centre).abs() > radius, 0)
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "exp without the division: the weights in a window must be divided by their sum",
            lambda scores, centre, radius: (
                scores.exp().masked_fill(_distance(scores, centre).abs() > radius, 0)
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "argmax: all weight on the best key of the window; the softmax shares it out",
            lambda scores, centre, radius: torch.nn.functional.one_hot(
                scores.masked_fill(_distance(scores, centre).abs() > radius, torch.finfo(scores.dtype).min).argmax(-1),
                scores.shape[-1],
            ).float(),
        ),
        Mistake(
            "in the bell curve the centre was rounded: it may lie between two keys, and only so does a gradient reach "
            "it",
            lambda scores, centre, radius: _windowed(
                scores, centre, radius, lambda distance, deviation: _bell(_distance(scores, centre.round()), deviation)
            ),
        ),
        Mistake(
            "window and bell curve are missing: this is the softmax over all keys",
            lambda scores, centre, radius: scores.softmax(-1),
        ),
        Mistake(
            "a key that lies just at the radius belongs to the window: hide only distances larger than it",
            lambda scores, centre, radius: (
                torch.nan_to_num(scores.masked_fill(_distance(scores, centre).abs() >= radius, -torch.inf).softmax(-1))
                * _bell(_distance(scores, centre), radius / 2)
            ),
        ),
        Mistake(
            "the numbers are right, but the centre was detached: through the bell curve it learns where to look",
            lambda scores, centre, radius: _windowed(scores, centre.detach(), radius),
        ),
    ),
)
