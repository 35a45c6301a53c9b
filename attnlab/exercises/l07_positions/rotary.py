"""Exercise 07.rotary: rotary positions."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l07_positions.turns import base_frequencies, close
from attnlab.specs import each, positions

Join = Callable[[Tensor, Tensor, Tensor, Tensor], list[Tensor]]
"""(a, b, sin, cos) -> the two new numbers of each pair."""
Pairs = Callable[[Tensor], tuple[Tensor, ...]]


def _angles(tokens: int, frequencies: Tensor) -> Tensor:
    """[tokens, dim / 2]: place times frequency."""
    return torch.arange(tokens).unsqueeze(1) * frequencies


def rotary(x: Tensor) -> Tensor:
    """The solution."""
    tokens, dim = x.shape[-2:]
    frequencies = 10000 ** (-torch.arange(0, dim, 2, device=x.device) / dim)  # [dim / 2]
    angles = torch.arange(tokens, device=x.device).unsqueeze(1) * frequencies  # [tokens, dim / 2]
    a, b = x[..., 0::2], x[..., 1::2]
    turned = [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()]
    return torch.stack(turned, dim=-1).flatten(-2)


def _rotary_inputs(batch: int, tokens: int, dim: int) -> tuple:
    return (torch.randn(batch, tokens, dim, generator=torch.Generator().manual_seed(batch * 100 + tokens)),)


def _turned(x: Tensor, angles: Tensor | None = None, join: Join | None = None, pairs: Pairs | None = None) -> Tensor:
    """The turn with other angles, another matrix, or other pairs."""
    angles = _angles(x.shape[1], base_frequencies(x.shape[2])) if angles is None else angles
    a, b = (x[..., 0::2], x[..., 1::2]) if pairs is None else pairs(x)
    sin, cos = angles.sin(), angles.cos()
    return torch.stack((join or _turn)(a, b, sin, cos), -1).flatten(-2)


def _turn(a: Tensor, b: Tensor, sin: Tensor, cos: Tensor) -> list[Tensor]:
    return [a * cos - b * sin, a * sin + b * cos]


def _turned_columns(x: Tensor, angles: Tensor) -> Tensor:
    """The turn with an angle for every column."""
    other = torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)
    return x * angles.cos() + other * angles.sin()


def _first_pairs(x: Tensor, count: int) -> Tensor:
    """Only the first pairs turned."""
    return torch.cat([_turned(x)[..., : 2 * count], x[..., 2 * count :]], -1)


def _waves(x: Tensor) -> Tensor:
    """The sinusoidal code of its places."""
    return torch.stack(_sin_cos(x), -1).flatten(1)


def _halves(x: Tensor) -> Tensor:
    """Pairs of numbers half a vector apart, and the result in the same order."""
    a, b = x.chunk(2, -1)
    return torch.cat(_turn(a, b, *_sin_cos(x)), -1)


def _sin_cos(x: Tensor) -> tuple[Tensor, Tensor]:
    angles = _angles(x.shape[1], base_frequencies(x.shape[2]))
    return angles.sin(), angles.cos()


def _first_token(turned: Tensor, x: Tensor) -> str | None:
    message = "the first token stands at place 0: the angle is 0, and its vector must stay as it is"
    return None if close(turned[:, 0], x[:, 0]) else message


def _length(turned: Tensor, x: Tensor) -> str | None:
    message = "a turn changes no length: some of your vectors became {}; is it [cos, -sin; sin, cos] of one angle?"
    before, after = x.norm(dim=-1), turned.norm(dim=-1)
    if close(before, after):
        return None
    return message.format("longer" if (after - before).abs().max() == (after - before).max() else "shorter")


def _one_plane(turned: Tensor, x: Tensor) -> str | None:
    before, after = (value.pow(2).unflatten(-1, (-1, 2)).sum(-1) for value in (x, turned))
    message = "lengths are right, but numbers left their pair: the pairs are columns 0 and 1, 2 and 3, and so on"
    return None if close(before, after) else message


def _wrong_angle(turned: Tensor, x: Tensor) -> str | None:
    """Lengths and pairs are right: then each pair was turned by some angle."""
    if x.shape[1] < 2:
        return None
    before, after = (torch.view_as_complex(value[0, 1].unflatten(-1, (-1, 2)).contiguous()) for value in (x, turned))
    found, wanted = (after / before).angle(), base_frequencies(x.shape[2])
    wrong = ((found - wanted).abs() > 1e-3).nonzero()
    if not len(wrong):
        return None
    i = int(wrong[0])
    return (
        f"at place 1 columns {2 * i} and {2 * i + 1} were turned by the angle {round(found[i].item(), 5):.4g}; "
        f"it must be 1 / 10000^({2 * i}/{x.shape[2]}) = {wanted[i].item():.4g}"
    )


ROTARY = Exercise(
    name="07.rotary",
    title="Rotary positions",
    statement="""Return `x` with each token turned by its place, [batch, tokens, dim].

Columns 2i and 2i + 1 of a vector are a point (a, b) in the plane. At place t it is turned by the angle
t / 10000^(2i / dim): (a, b) becomes (a cos - b sin, a sin + b cos). Do it to queries and keys, and their dot product
knows how far apart they stand, and nothing else of their places (Su et al. 2021, equation 34).

x [batch, tokens, dim], dim is even; the first token stands at place 0.""",
    axes="[batch, tokens, dim]",
    stub="""def rotary(x):
    ...
""",
    hints=(
        "The angles [tokens, dim / 2] are those of the sinusoidal code. The points are `a = x[..., 0::2]` and "
        "`b = x[..., 1::2]`, both [batch, tokens, dim / 2].",
        "Angles and points have the same last two axes, so `a * angles.cos()` broadcasts over the batch. Compute both "
        "new numbers from the old a and b.",
        "To interleave them again: `torch.stack([new_a, new_b], dim=-1)` is [batch, tokens, dim / 2, 2], and "
        "`.flatten(-2)` joins the last two axes.",
    ),
    solution=rotary,
    spec=lambda x: each(positions.rotary, x),
    inputs=lambda: [_rotary_inputs(2, 5, 6), _rotary_inputs(3, 7, 10)],
    edges=lambda: [_rotary_inputs(2, 1, 4), _rotary_inputs(1, 13, 2)],
    diagnoses=(_first_token, _length, _one_plane, _wrong_angle),
    mistakes=(
        Mistake(
            "turned the other way round: the minus belongs to the first number, (a cos - b sin, a sin + b cos)",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * cos + b * sin, b * cos - a * sin]),
        ),
        Mistake(
            "both signs are plus: the first number is a cos - b sin; without the minus it is no turn",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * cos + b * sin, a * sin + b * cos]),
        ),
        Mistake(
            "both signs are minus: the second number is a sin + b cos",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * cos - b * sin, a * sin - b * cos]),
        ),
        Mistake(
            "the second number was made of the new a: keep the old one until both are computed",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * cos - b * sin, (a * cos - b * sin) * sin + b * cos]),
        ),
        Mistake(
            "sine and cosine are exchanged: at place 0 the angle is 0, and nothing must change",
            lambda x: _turned(x, join=lambda a, b, sin, cos: _turn(a, b, cos, sin)),
        ),
        Mistake(
            "the pairs come from two halves of the vector, as in some programs: here neighbours are a pair, columns 2i "
            "and 2i + 1",
            _halves,
        ),
        Mistake(
            "the new numbers stand in halves, all first ones and then all second ones: interleave them again",
            lambda x: torch.cat(_turn(x[..., 0::2], x[..., 1::2], *_sin_cos(x)), -1),
        ),
        Mistake(
            "the vectors were cut in halves, and interleaved: take the pairs from columns 2i and 2i + 1",
            lambda x: _turned(x, pairs=lambda x: x.chunk(2, -1)),
        ),
        Mistake(
            "the sinusoidal code was added: here each pair is turned by the angle",
            lambda x: x + _waves(x),
        ),
        Mistake(
            "multiplied by the sinusoidal code: a turn mixes the two numbers of a pair",
            lambda x: x * _waves(x),
        ),
        Mistake(
            "multiplied by the cosine alone: the parts with the sine are missing",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * cos, b * cos]),
        ),
        Mistake(
            "the angles stand in the order of halves: both numbers of a pair need the same angle, so each must stand "
            "twice side by side, `repeat_interleave(2, dim=-1)`, not `repeat`",
            lambda x: _turned_columns(x, _angles(x.shape[1], base_frequencies(x.shape[2])).repeat(1, 2)),
        ),
        Mistake(
            "every number has an angle of its own: the two of a pair share theirs, t / 10000^(2i / dim)",
            lambda x: _turned_columns(x, _angles(x.shape[1], 10000.0 ** (-torch.arange(x.shape[2]) / x.shape[2]))),
        ),
        Mistake(
            "all pairs turn at the same speed: pair i turns by t / 10000^(2i / dim)",
            lambda x: _turned(x, _angles(x.shape[1], torch.ones(x.shape[2] // 2))),
        ),
        Mistake(
            "the exponent is i / dim, or the base 100, which is the same: it must be 2i / dim, "
            "`torch.arange(0, dim, 2) / dim`, and 10000",
            lambda x: _turned(x, _angles(x.shape[1], 10000.0 ** (-torch.arange(x.shape[2] // 2) / x.shape[2]))),
        ),
        Mistake(
            "the exponent is 4i / dim: `torch.arange(0, dim, 2)` is 2i already",
            lambda x: _turned(x, _angles(x.shape[1], 10000.0 ** (-2 * torch.arange(0, x.shape[2], 2) / x.shape[2]))),
        ),
        Mistake(
            "multiplied by 10000^(2i / dim): t must be divided by it, so that the later pairs are slower",
            lambda x: _turned(x, _angles(x.shape[1], 1 / base_frequencies(x.shape[2]))),
        ),
        Mistake(
            "you counted the places from 1: the first token stands at place 0 and stays as it is",
            lambda x: _turned(x, _angles(x.shape[1] + 1, base_frequencies(x.shape[2]))[1:]),
        ),
        Mistake(
            "the place was taken from the batch: it is the token's place in its own sentence, the axis before the last",
            lambda x: _turned(x.transpose(0, 1)).transpose(0, 1),
        ),
        Mistake(
            "every token was turned by the same angle: the angle grows with the place",
            lambda x: _turned(x, base_frequencies(x.shape[2]).expand(x.shape[1], -1)),
        ),
        Mistake(
            "only the first number of each pair was replaced: both change",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * cos - b * sin, b]),
        ),
        Mistake(
            "the angle is doubled: turned twice, or 2 t / 10000^(2i / dim); once, and the 2 stands in the exponent "
            "alone",
            lambda x: _turned(x, 2 * _angles(x.shape[1], base_frequencies(x.shape[2]))),
        ),
        Mistake(
            "the angle is halved: t / 10000^(2i / dim)",
            lambda x: _turned(x, _angles(x.shape[1], base_frequencies(x.shape[2])) / 2),
        ),
        Mistake(
            "only half of the pairs were turned: pairs are counted to dim / 2, and columns 2i and 2i + 1 reach to dim",
            lambda x: _first_pairs(x, x.shape[2] // 4),
        ),
        Mistake("only the first pair was turned: all are", lambda x: _first_pairs(x, 1)),
        Mistake("nothing was turned: these are the vectors as they came", lambda x: x.clone()),
        Mistake(
            "the base is 1000: it must be 10000",
            lambda x: _turned(x, _angles(x.shape[1], base_frequencies(x.shape[2], 1000.0))),
        ),
        Mistake(
            "the frequencies are in reverse order: the first pair turns fastest, the later ones slower",
            lambda x: _turned(x, _angles(x.shape[1], base_frequencies(x.shape[2]).flip(0))),
        ),
        Mistake(
            "the angles were taken as degrees: sin and cos want radians, as they are",
            lambda x: _turned(x, _angles(x.shape[1], base_frequencies(x.shape[2])).deg2rad()),
        ),
        Mistake(
            "the angles were multiplied by 2π: the formula has none",
            lambda x: _turned(x, _angles(x.shape[1], base_frequencies(x.shape[2])) * 2 * torch.pi),
        ),
        Mistake(
            "the places were divided by their number: t is the place itself, 0, 1, 2 ...",
            lambda x: _turned(x, _angles(x.shape[1], base_frequencies(x.shape[2])) / x.shape[1]),
        ),
        Mistake(
            "places were counted from the end: the first token stands at place 0",
            lambda x: _turned(x, _angles(x.shape[1], base_frequencies(x.shape[2])).flip(0)),
        ),
        Mistake(
            "the exponent was divided by the number of tokens: 2i / dim",
            lambda x: _turned(x, _angles(x.shape[1], 10000.0 ** (-torch.arange(0, x.shape[2], 2) / x.shape[1]))),
        ),
        Mistake(
            "the first number has the cosine alone and the second the sine: each needs both, (a cos - b sin, a sin + b "
            "cos)",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * cos, b * sin]),
        ),
        Mistake(
            "the first number was made of the new b: keep the old one until both are computed",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * cos - (a * sin + b * cos) * sin, a * sin + b * cos]),
        ),
        Mistake(
            "the two new numbers of each pair are exchanged: (a cos - b sin, a sin + b cos)",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * sin + b * cos, a * cos - b * sin]),
        ),
        Mistake(
            "every sentence was given the vectors of the first one: keep the axis of the batch",
            lambda x: _turned(x)[:1].expand_as(x),
        ),
        Mistake(
            "an axis too many: the pairs must be joined again, `flatten(-2)`",
            lambda x: _turned(x).unflatten(-1, (-1, 2)),
        ),
    ),
)
