"""Exercises of lesson 07: waves that tell a place, and turns that tell a distance."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import each, positions

Wave = Callable[[Tensor], Tensor]
Join = Callable[[Tensor, Tensor, Tensor, Tensor], list[Tensor]]
"""(a, b, sin, cos) -> the two new numbers of each pair."""
Pairs = Callable[[Tensor], tuple[Tensor, ...]]


def _close(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-3, atol=1e-4)


def _angles(tokens: int, frequencies: Tensor) -> Tensor:
    """[tokens, dim / 2]: place times frequency."""
    return torch.arange(tokens).unsqueeze(1) * frequencies


def _frequencies(dim: int, base: float = 10000.0) -> Tensor:
    return base ** (-torch.arange(0, dim, 2) / dim)


# 07.sinusoidal -------------------------------------------------------------------------------------------------------


def sinusoidal(tokens: int, dim: int) -> Tensor:
    """The solution."""
    frequencies = 10000 ** (-torch.arange(0, dim, 2) / dim)  # [dim / 2]
    angles = torch.arange(tokens).unsqueeze(1) * frequencies  # [tokens, dim / 2]
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def _waves(angles: Tensor, first: Wave = torch.sin, second: Wave = torch.cos) -> Tensor:
    return torch.stack([first(angles), second(angles)], -1).flatten(1)


def _own_columns(tokens: int, dim: int, times: int = 1) -> Tensor:
    """A frequency for each column, not for each pair."""
    angles = torch.arange(tokens).unsqueeze(1) * 10000.0 ** (-times * torch.arange(dim) / dim)
    return torch.where(torch.arange(dim) % 2 == 0, angles.sin(), angles.cos())


def _place_zero(code: Tensor, tokens: int, dim: int) -> str | None:
    message = "place 0 must read 0, 1, 0, 1 ...: sine and cosine of the angle 0 by turns; yours begins {}"
    return (
        None
        if _close(code[0], positions.sinusoidal(1, dim)[0])
        else message.format(", ".join(f"{number:.3g}" for number in code[0, :4].tolist()))
    )


def _off_circle(code: Tensor, tokens: int, dim: int) -> str | None:
    squares = code.pow(2).unflatten(1, (-1, 2)).sum(-1)
    message = "columns 2i and 2i + 1 must be sine and cosine of the same angle, so that their squares sum to 1"
    return None if _close(squares, torch.ones_like(squares)) else message


def _first_wrong_pair(code: Tensor, tokens: int, dim: int) -> str | None:
    expected = positions.sinusoidal(tokens, dim)
    wrong = [i for i in range(dim // 2) if not _close(code[:, 2 * i : 2 * i + 2], expected[:, 2 * i : 2 * i + 2])]
    if not wrong:
        return None
    i = wrong[0]
    if i == 0:
        return "column 0 must hold the sines of the places themselves, 0, 1, 2 ...; yours begins " + ", ".join(
            f"{number:.3g}" for number in code[:3, 0].tolist()
        )
    return (
        f"columns 0 to {2 * i - 1} are right, column {2 * i} is not: its angle must be t / 10000^({2 * i}/{dim}) = "
        f"t / {10000 ** (2 * i / dim):.4g}"
    )


SINUSOIDAL = Exercise(
    name="07.sinusoidal",
    title="The sinusoidal code",
    statement="""Return the sinusoidal code P [tokens, dim] of the places 0 to tokens - 1.

P[t, 2i] = sin(t / 10000^(2i / dim)) and P[t, 2i + 1] = cos(t / 10000^(2i / dim)), for i from 0 to dim / 2 - 1 (Vaswani
et al. 2017, section 3.5). So each pair of neighbouring columns is a hand of a clock, and each clock is slower than the
one before.

tokens and dim are whole numbers, dim is even.""",
    axes="[tokens, dim]",
    stub="""def sinusoidal(tokens, dim):
    ...
""",
    hints=(
        "First the angles [tokens, dim / 2]: place t times the frequency of pair i. Then their sines and cosines.",
        "`torch.arange(0, dim, 2)` is 2i for all pairs at once, so the frequencies are "
        "`10000 ** (-torch.arange(0, dim, 2) / dim)`. Places as a column: `torch.arange(tokens).unsqueeze(1)`.",
        "Sines go to columns 0, 2, 4 ..., cosines to 1, 3, 5 ...: begin with `P = torch.zeros(tokens, dim)` and fill "
        "`P[:, 0::2]` and `P[:, 1::2]`.",
    ),
    solution=sinusoidal,
    spec=positions.sinusoidal,
    inputs=lambda: [(7, 6), (13, 10)],
    edges=lambda: [(1, 4), (11, 2)],
    diagnoses=(_place_zero, _off_circle, _first_wrong_pair),
    mistakes=(
        Mistake(
            "first all sines, then all cosines: the paper puts them by turns, sine in column 0, cosine in column 1",
            lambda tokens, dim: torch.cat(
                [_angles(tokens, _frequencies(dim)).sin(), _angles(tokens, _frequencies(dim)).cos()], 1
            ),
        ),
        Mistake(
            "sine and cosine are exchanged: even columns hold the sine",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim)), torch.cos, torch.sin),
        ),
        Mistake(
            "sines everywhere: odd columns hold the cosine",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim)), torch.sin, torch.sin),
        ),
        Mistake(
            "these are the angles: take their sine and cosine",
            lambda tokens, dim: _angles(tokens, _frequencies(dim)).repeat_interleave(2, 1),
        ),
        Mistake(
            "the sines alone, in half of the columns: each needs its cosine beside it",
            lambda tokens, dim: _angles(tokens, _frequencies(dim)).sin(),
        ),
        Mistake(
            "every column has a frequency of its own: sine and cosine of one pair share theirs, 2i / dim for both",
            _own_columns,
        ),
        Mistake(
            "the exponent is i / dim, or the base 100, which is the same: it must be 2i / dim, "
            "`torch.arange(0, dim, 2) / dim`, and 10000",
            lambda tokens, dim: _waves(_angles(tokens, 10000.0 ** (-torch.arange(dim // 2) / dim))),
        ),
        Mistake(
            "the exponent is 4i / dim: `torch.arange(0, dim, 2)` is 2i already",
            lambda tokens, dim: _waves(_angles(tokens, 10000.0 ** (-2 * torch.arange(0, dim, 2) / dim))),
        ),
        Mistake(
            "i was counted over the columns: it counts the pairs, so columns 2i and 2i + 1 share the exponent 2i / dim",
            lambda tokens, dim: _own_columns(tokens, dim, 2),
        ),
        Mistake(
            "the exponent ends at 1: i was divided by dim / 2 - 1; it must be 2i / dim",
            lambda tokens, dim: _waves(_angles(tokens, 10000.0 ** (-torch.arange(dim // 2) / max(dim // 2 - 1, 1)))),
        ),
        Mistake(
            "the exponent was divided without its fraction: `//` makes it 0 everywhere; use `/`",
            lambda tokens, dim: _waves(_angles(tokens, torch.ones(dim // 2))),
        ),
        Mistake(
            "multiplied by 10000^(2i / dim): t must be divided by it, so that the later pairs are slower",
            lambda tokens, dim: _waves(_angles(tokens, 1 / _frequencies(dim))),
        ),
        Mistake(
            "10000 was multiplied by 2i / dim: it must be raised to that power",
            lambda tokens, dim: _waves(_angles(tokens, 1 / (10000 * torch.arange(0, dim, 2) / dim).clamp(min=1))),
        ),
        Mistake(
            "the base is 1000: the paper's is 10000",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim, 1000.0))),
        ),
        Mistake(
            "the exponential was taken without log(10000): 10000^x = exp(x · log(10000))",
            lambda tokens, dim: _waves(_angles(tokens, torch.exp(-torch.arange(0, dim, 2) / dim))),
        ),
        Mistake(
            "log10 in place of log: 10000^x = exp(x · log(10000)), with the natural logarithm",
            lambda tokens, dim: _waves(_angles(tokens, torch.exp(-torch.arange(0, dim, 2) / dim * 4))),
        ),
        Mistake(
            "you counted the places from 1: the first token stands at place 0",
            lambda tokens, dim: sinusoidal(tokens + 1, dim)[1:],
        ),
        Mistake(
            "the angles were taken as degrees: sin and cos want radians, as they are",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim)).deg2rad()),
        ),
        Mistake(
            "the angles were multiplied by 2π: the formula has none",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim)) * 2 * torch.pi),
        ),
        Mistake(
            "rows and columns are exchanged: expected [tokens, dim], got [dim, tokens]",
            lambda tokens, dim: sinusoidal(tokens, dim).T,
        ),
        Mistake(
            "the base is 100000: the paper's is 10000",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim, 1e5))),
        ),
        Mistake(
            "the frequencies are in reverse order: the first pair is the fastest, the later ones are slower",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim).flip(0))),
        ),
        Mistake(
            "i was counted from 1: the first pair has the exponent 0",
            lambda tokens, dim: _waves(_angles(tokens, 10000.0 ** (-(torch.arange(0, dim, 2) + 2) / dim))),
        ),
        Mistake(
            "the places were divided by their number: t is the place itself, 0, 1, 2 ...",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim)) / tokens),
        ),
        Mistake(
            "the angles are negative: t / 10000^(2i / dim) is not",
            lambda tokens, dim: _waves(-_angles(tokens, _frequencies(dim))),
        ),
        Mistake(
            "the angles are doubled: t / 10000^(2i / dim), the 2 stands in the exponent alone",
            lambda tokens, dim: _waves(2 * _angles(tokens, _frequencies(dim))),
        ),
        Mistake(
            "sine and cosine were divided by 10000^(2i / dim): it is the angle that is divided",
            lambda tokens, dim: _waves(_angles(tokens, torch.ones(dim // 2))) * _frequencies(dim).repeat_interleave(2),
        ),
        Mistake(
            "first all cosines, then all sines: the paper puts them by turns, sine in column 0, cosine in column 1",
            lambda tokens, dim: torch.cat(
                [_angles(tokens, _frequencies(dim)).cos(), _angles(tokens, _frequencies(dim)).sin()], 1
            ),
        ),
        Mistake(
            "cosines everywhere: even columns hold the sine",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim)), torch.cos, torch.cos),
        ),
        Mistake(
            "the code was scaled: sine and cosine stay between -1 and 1 as they are",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim))) / dim**0.5,
        ),
        Mistake(
            "the places are in reverse order: row 0 is place 0",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim))).flip(0),
        ),
        Mistake(
            "all columns but the first two are 0: every pair needs its waves",
            lambda tokens, dim: _waves(_angles(tokens, _frequencies(dim))) * (torch.arange(dim) < 2),
        ),
        Mistake(
            "sine and cosine were added: each has a column of its own",
            lambda tokens, dim: (lambda angles: angles.sin() + angles.cos())(_angles(tokens, _frequencies(dim))),
        ),
    ),
)


# 07.rotary -----------------------------------------------------------------------------------------------------------


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
    angles = _angles(x.shape[1], _frequencies(x.shape[2])) if angles is None else angles
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


def _halves(x: Tensor) -> Tensor:
    """Pairs of numbers half a vector apart, and the result in the same order."""
    a, b = x.chunk(2, -1)
    return torch.cat(_turn(a, b, *_sin_cos(x)), -1)


def _sin_cos(x: Tensor) -> tuple[Tensor, Tensor]:
    angles = _angles(x.shape[1], _frequencies(x.shape[2]))
    return angles.sin(), angles.cos()


def _first_token(turned: Tensor, x: Tensor) -> str | None:
    message = "the first token stands at place 0: the angle is 0, and its vector must stay as it is"
    return None if _close(turned[:, 0], x[:, 0]) else message


def _length(turned: Tensor, x: Tensor) -> str | None:
    message = "a turn changes no length: some of your vectors became {}; is it [cos, -sin; sin, cos] of one angle?"
    before, after = x.norm(dim=-1), turned.norm(dim=-1)
    if _close(before, after):
        return None
    return message.format("longer" if (after - before).abs().max() == (after - before).max() else "shorter")


def _one_plane(turned: Tensor, x: Tensor) -> str | None:
    before, after = (value.pow(2).unflatten(-1, (-1, 2)).sum(-1) for value in (x, turned))
    message = "lengths are right, but numbers left their pair: the pairs are columns 0 and 1, 2 and 3, and so on"
    return None if _close(before, after) else message


def _wrong_angle(turned: Tensor, x: Tensor) -> str | None:
    """Lengths and pairs are right: then each pair was turned by some angle."""
    if x.shape[1] < 2:
        return None
    before, after = (torch.view_as_complex(value[0, 1].unflatten(-1, (-1, 2)).contiguous()) for value in (x, turned))
    found, wanted = (after / before).angle(), _frequencies(x.shape[2])
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
        "To put them by turns again: `torch.stack([new_a, new_b], dim=-1)` is [batch, tokens, dim / 2, 2], and "
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
            "the new numbers stand in halves, all first ones and then all second ones: put them by turns again",
            lambda x: torch.cat(_turn(x[..., 0::2], x[..., 1::2], *_sin_cos(x)), -1),
        ),
        Mistake(
            "the vectors were cut in halves, and joined by turns: take the pairs from columns 2i and 2i + 1",
            lambda x: _turned(x, pairs=lambda x: x.chunk(2, -1)),
        ),
        Mistake(
            "the sinusoidal code was added: here each pair is turned by the angle",
            lambda x: x + _waves(_angles(x.shape[1], _frequencies(x.shape[2]))),
        ),
        Mistake(
            "multiplied by the sinusoidal code: a turn mixes the two numbers of a pair",
            lambda x: x * _waves(_angles(x.shape[1], _frequencies(x.shape[2]))),
        ),
        Mistake(
            "multiplied by the cosine alone: the parts with the sine are missing",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * cos, b * cos]),
        ),
        Mistake(
            "the angles stand in the order of halves: both numbers of a pair need the same angle, so each must stand "
            "twice side by side, `repeat_interleave(2, dim=-1)`, not `repeat`",
            lambda x: _turned_columns(x, _angles(x.shape[1], _frequencies(x.shape[2])).repeat(1, 2)),
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
            lambda x: _turned(x, _angles(x.shape[1], 1 / _frequencies(x.shape[2]))),
        ),
        Mistake(
            "you counted the places from 1: the first token stands at place 0 and stays as it is",
            lambda x: _turned(x, _angles(x.shape[1] + 1, _frequencies(x.shape[2]))[1:]),
        ),
        Mistake(
            "the place was taken from the batch: it is the token's place in its own sentence, the axis before the last",
            lambda x: _turned(x.transpose(0, 1)).transpose(0, 1),
        ),
        Mistake(
            "every token was turned by the same angle: the angle grows with the place",
            lambda x: _turned(x, _frequencies(x.shape[2]).expand(x.shape[1], -1)),
        ),
        Mistake(
            "only the first number of each pair was replaced: both change",
            lambda x: _turned(x, join=lambda a, b, sin, cos: [a * cos - b * sin, b]),
        ),
        Mistake(
            "the angle is doubled: turned twice, or 2 t / 10000^(2i / dim); once, and the 2 stands in the exponent "
            "alone",
            lambda x: _turned(x, 2 * _angles(x.shape[1], _frequencies(x.shape[2]))),
        ),
        Mistake(
            "the angle is halved: t / 10000^(2i / dim)",
            lambda x: _turned(x, _angles(x.shape[1], _frequencies(x.shape[2])) / 2),
        ),
        Mistake(
            "only half of the pairs were turned: pairs are counted to dim / 2, and columns 2i and 2i + 1 reach to dim",
            lambda x: _first_pairs(x, x.shape[2] // 4),
        ),
        Mistake("only the first pair was turned: all are", lambda x: _first_pairs(x, 1)),
        Mistake("nothing was turned: these are the vectors as they came", lambda x: x.clone()),
        Mistake(
            "the base is 1000: it must be 10000",
            lambda x: _turned(x, _angles(x.shape[1], _frequencies(x.shape[2], 1000.0))),
        ),
        Mistake(
            "the frequencies are in reverse order: the first pair turns fastest, the later ones slower",
            lambda x: _turned(x, _angles(x.shape[1], _frequencies(x.shape[2]).flip(0))),
        ),
        Mistake(
            "the angles were taken as degrees: sin and cos want radians, as they are",
            lambda x: _turned(x, _angles(x.shape[1], _frequencies(x.shape[2])).deg2rad()),
        ),
        Mistake(
            "the angles were multiplied by 2π: the formula has none",
            lambda x: _turned(x, _angles(x.shape[1], _frequencies(x.shape[2])) * 2 * torch.pi),
        ),
        Mistake(
            "the places were divided by their number: t is the place itself, 0, 1, 2 ...",
            lambda x: _turned(x, _angles(x.shape[1], _frequencies(x.shape[2])) / x.shape[1]),
        ),
        Mistake(
            "places were counted from the end: the first token stands at place 0",
            lambda x: _turned(x, _angles(x.shape[1], _frequencies(x.shape[2])).flip(0)),
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

EXERCISES = [SINUSOIDAL, ROTARY]
