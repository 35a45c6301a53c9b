"""Exercise 07.shift: one matrix for all places."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l07_positions.turns import base_frequencies, close
from attnlab.specs import positions


def shift(k: int, dim: int) -> Tensor:
    """The solution."""
    angles = k * 10000 ** (-torch.arange(0, dim, 2) / dim)  # [dim / 2]
    sin, cos, first = angles.sin(), angles.cos(), torch.arange(0, dim, 2)
    M = torch.zeros(dim, dim)
    M[first, first], M[first, first + 1] = cos, -sin
    M[first + 1, first], M[first + 1, first + 1] = sin, cos
    return M


def _blocks(angles: Tensor, rows: Callable[[Tensor, Tensor], list[list[Tensor]]]) -> Tensor:
    """One block of numbers [[a, b], [c, d]] for each angle, along the diagonal."""
    blocks = rows(angles.sin(), angles.cos())
    return torch.block_diag(*torch.stack([torch.stack(row, -1) for row in blocks], -2))


def _turning(sin: Tensor, cos: Tensor) -> list[list[Tensor]]:
    return [[cos, -sin], [sin, cos]]


def _shifting(angles: Tensor) -> Tensor:
    """Turns by other angles."""
    return _blocks(angles, _turning)


def _in_halves(M: Tensor) -> Tensor:
    """The same matrix for a code that has all sines first and then all cosines."""
    order = torch.cat([torch.arange(0, len(M), 2), torch.arange(1, len(M), 2)])
    return M[order][:, order]


def _clocks_mix(M: Tensor, k: int, dim: int) -> str | None:
    blocks = torch.block_diag(*torch.ones(dim // 2, 2, 2)).bool()
    message = "outside of the blocks all must be 0: no clock moves another's hand; yours has {:.3g} at [{}, {}]"
    wrong = (M.masked_fill(blocks, 0).abs() > 1e-4).nonzero()
    return message.format(M[tuple(wrong[0])].item(), *wrong[0].tolist()) if len(wrong) else None


def _hands_keep_their_length(M: Tensor, k: int, dim: int) -> str | None:
    message = "a turn changes no length, so the squares of each row sum to 1; those of row {} sum to {:.3g}"
    squares = M.pow(2).sum(dim=1)
    wrong = ((squares - 1).abs() > 1e-3).nonzero()
    return message.format(int(wrong[0]), squares[int(wrong[0])].item()) if len(wrong) else None


def _first_wrong_block(M: Tensor, k: int, dim: int) -> str | None:
    expected = positions.shift(k, dim)
    wrong = [
        i
        for i in range(dim // 2)
        if not close(M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2], expected[2 * i : 2 * i + 2, 2 * i : 2 * i + 2])
    ]
    message = "block {} is wrong: it must turn (sin a, cos a) by {} / 10000^({}/{}) = {:.4g}, forwards"
    return message.format(wrong[0], k, 2 * wrong[0], dim, k / 10000 ** (2 * wrong[0] / dim)) if wrong else None


SHIFT = Exercise(
    name="07.shift",
    title="One matrix for all places",
    statement="""Return the matrix M [dim, dim] that takes the sinusoidal code of every place to that of the place k
later: P(t) @ M = P(t + k), whatever t is.

P(t) is a row: sin(t f), cos(t f) of clock 0, then of clock 1, and so on, with f = 1 / 10000^(2c / dim) for clock c
(Vaswani et al. 2017, section 3.5).

k and dim are whole numbers, dim is even; a negative k leads back.""",
    axes="[dim, dim]",
    stub="""def shift(k, dim):
    ...
""",
    hints=(
        "Take one clock: which 2 x 2 matrix makes the row (sin(a + b), cos(a + b)) of the row (sin a, cos a)? "
        "sin(a + b) = sin a cos b + cos a sin b, and cos(a + b) = cos a cos b - sin a sin b.",
        "The columns of that matrix are read off the two formulas: the first says how much of sin a and of cos a go "
        "into the new sine. Here b is k times the clock's f, and no clock needs another's numbers.",
        "`torch.block_diag(*blocks)` puts a stack of blocks along a diagonal. Try k = 0, which must change nothing, "
        "and k = 2, which must be k = 1 twice.",
    ),
    solution=shift,
    spec=positions.shift,
    inputs=lambda: [(3, 6), (7, 10)],
    edges=lambda: [(0, 4), (-2, 8), (5, 2)],
    diagnoses=(_clocks_mix, _hands_keep_their_length, _first_wrong_block),
    mistakes=(
        Mistake(
            "this leads k places back, or it is meant for a column, M P(t): P(t) is a row and stands on the left",
            lambda k, dim: shift(-k, dim),
        ),
        Mistake(
            "both signs are plus: the cosine of a sum has a minus, cos a cos b - sin a sin b",
            lambda k, dim: _blocks(k * base_frequencies(dim), lambda sin, cos: [[cos, sin], [sin, cos]]),
        ),
        Mistake(
            "both signs are minus: the sine of a sum is sin a cos b + cos a sin b",
            lambda k, dim: _blocks(k * base_frequencies(dim), lambda sin, cos: [[cos, -sin], [-sin, cos]]),
        ),
        Mistake(
            "sine and cosine are exchanged: for k = 0 the matrix must change nothing",
            lambda k, dim: _blocks(k * base_frequencies(dim), lambda sin, cos: [[sin, -cos], [cos, sin]]),
        ),
        Mistake(
            "the cosines alone, on the diagonal: to move a hand one needs both its sine and its cosine",
            lambda k, dim: torch.diag((k * base_frequencies(dim)).cos().repeat_interleave(2)),
        ),
        Mistake(
            "all clocks turn by k: clock c turns by k / 10000^(2c / dim)",
            lambda k, dim: _shifting(float(k) * torch.ones(dim // 2)),
        ),
        Mistake(
            "this is the matrix for one place later: multiply the angles by k",
            lambda k, dim: _shifting(base_frequencies(dim)),
        ),
        Mistake(
            "k was counted from 1: this leads to the place k + 1 later",
            lambda k, dim: shift(k + 1, dim),
        ),
        Mistake("this leads to the place k - 1 later", lambda k, dim: shift(k - 1, dim)),
        Mistake(
            "the angles are doubled: k / 10000^(2c / dim), the 2 stands in the exponent alone",
            lambda k, dim: shift(2 * k, dim),
        ),
        Mistake(
            "the matrix was multiplied by k: each step is a turn, so k of them are one turn by k times the angle",
            lambda k, dim: k * shift(1, dim),
        ),
        Mistake(
            "the blocks are those of a code with all sines first and then all cosines: here they alternate",
            lambda k, dim: _in_halves(shift(k, dim)),
        ),
        Mistake(
            "the blocks are still a stack [dim / 2, 2, 2]: put them along the diagonal, `torch.block_diag(*blocks)`",
            lambda k, dim: torch.stack([shift(k, dim)[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] for i in range(dim // 2)]),
        ),
        Mistake("this changes nothing: it is the matrix for k = 0", lambda k, dim: torch.eye(dim)),
        Mistake(
            "the angles were divided by k: k places later a hand has turned k times as far",
            lambda k, dim: _shifting(base_frequencies(dim) / (k or 1)),
        ),
        Mistake(
            "the exponent is c / dim, or the base 100, which is the same: it must be 2c / dim, "
            "`torch.arange(0, dim, 2) / dim`, and 10000",
            lambda k, dim: _shifting(k * 10000.0 ** (-torch.arange(dim // 2) / dim)),
        ),
        Mistake(
            "the exponent is 4c / dim: `torch.arange(0, dim, 2)` is 2c already",
            lambda k, dim: _shifting(k * 10000.0 ** (-2 * torch.arange(0, dim, 2) / dim)),
        ),
        Mistake(
            "multiplied by 10000^(2c / dim): k must be divided by it, so that the later clocks are slower",
            lambda k, dim: _shifting(k / base_frequencies(dim)),
        ),
        Mistake("the base is 1000: the paper's is 10000", lambda k, dim: _shifting(k * base_frequencies(dim, 1000.0))),
        Mistake(
            "the frequencies are in reverse order: clock 0 is the fastest",
            lambda k, dim: _shifting(k * base_frequencies(dim).flip(0)),
        ),
        Mistake(
            "the angles were taken as degrees: sin and cos want radians, as they are",
            lambda k, dim: _shifting((k * base_frequencies(dim)).deg2rad()),
        ),
        Mistake(
            "the angles were multiplied by 2π: the formula has none",
            lambda k, dim: _shifting(2 * torch.pi * k * base_frequencies(dim)),
        ),
        Mistake(
            "the exponent was divided without its fraction: `//` makes it 0 for all but the last clocks; use `/`",
            lambda k, dim: _shifting(k * 10000.0 ** -(torch.arange(0, dim, 2) // (dim - 2 or 1))),
        ),
    ),
)
