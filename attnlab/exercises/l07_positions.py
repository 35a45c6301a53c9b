"""Exercises of lesson 07: a turn that leads k places on, a score that pays for distance, turns that tell it."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import each, positions

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


# 07.shift -----------------------------------------------------------------------------------------------------------


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
        if not _close(M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2], expected[2 * i : 2 * i + 2, 2 * i : 2 * i + 2])
    ]
    message = "block {} is wrong: it must turn (sin a, cos a) by {} / 10000^({}/{}) = {:.4g}, forwards"
    return message.format(wrong[0], k, 2 * wrong[0], dim, k / 10000 ** (2 * wrong[0] / dim)) if wrong else None


SHIFT = Exercise(
    name="07.shift",
    title="One matrix for all places",
    statement="""Return the matrix M [dim, dim] that takes the sinusoidal code of every place to that of the place k
later: P(t) @ M = P(t + k), whatever t is.

P(t) is a row: sin(t f), cos(t f) of clock 0, then of clock 1, and so on, with f = 1 / 10000^(2i / dim) for clock i
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
            lambda k, dim: _blocks(k * _frequencies(dim), lambda sin, cos: [[cos, sin], [sin, cos]]),
        ),
        Mistake(
            "both signs are minus: the sine of a sum is sin a cos b + cos a sin b",
            lambda k, dim: _blocks(k * _frequencies(dim), lambda sin, cos: [[cos, -sin], [-sin, cos]]),
        ),
        Mistake(
            "sine and cosine are exchanged: for k = 0 the matrix must change nothing",
            lambda k, dim: _blocks(k * _frequencies(dim), lambda sin, cos: [[sin, -cos], [cos, sin]]),
        ),
        Mistake(
            "the cosines alone, on the diagonal: to move a hand one needs both its sine and its cosine",
            lambda k, dim: torch.diag((k * _frequencies(dim)).cos().repeat_interleave(2)),
        ),
        Mistake(
            "all clocks turn by k: clock i turns by k / 10000^(2i / dim)",
            lambda k, dim: _shifting(float(k) * torch.ones(dim // 2)),
        ),
        Mistake(
            "this is the matrix for one place later: multiply the angles by k",
            lambda k, dim: _shifting(_frequencies(dim)),
        ),
        Mistake(
            "k was counted from 1: this leads to the place k + 1 later",
            lambda k, dim: shift(k + 1, dim),
        ),
        Mistake("this leads to the place k - 1 later", lambda k, dim: shift(k - 1, dim)),
        Mistake(
            "the angles are doubled: k / 10000^(2i / dim), the 2 stands in the exponent alone",
            lambda k, dim: shift(2 * k, dim),
        ),
        Mistake(
            "the matrix was multiplied by k: each step is a turn, so k of them are one turn by k times the angle",
            lambda k, dim: k * shift(1, dim),
        ),
        Mistake(
            "the blocks are those of a code with all sines first and then all cosines: here they stand by turns",
            lambda k, dim: _in_halves(shift(k, dim)),
        ),
        Mistake(
            "the blocks are still a stack [dim / 2, 2, 2]: put them along the diagonal, `torch.block_diag(*blocks)`",
            lambda k, dim: torch.stack([shift(k, dim)[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] for i in range(dim // 2)]),
        ),
        Mistake("this changes nothing: it is the matrix for k = 0", lambda k, dim: torch.eye(dim)),
        Mistake(
            "the angles were divided by k: k places later a hand has turned k times as far",
            lambda k, dim: _shifting(_frequencies(dim) / (k or 1)),
        ),
        Mistake(
            "the exponent is i / dim, or the base 100, which is the same: it must be 2i / dim, "
            "`torch.arange(0, dim, 2) / dim`, and 10000",
            lambda k, dim: _shifting(k * 10000.0 ** (-torch.arange(dim // 2) / dim)),
        ),
        Mistake(
            "the exponent is 4i / dim: `torch.arange(0, dim, 2)` is 2i already",
            lambda k, dim: _shifting(k * 10000.0 ** (-2 * torch.arange(0, dim, 2) / dim)),
        ),
        Mistake(
            "multiplied by 10000^(2i / dim): k must be divided by it, so that the later clocks are slower",
            lambda k, dim: _shifting(k / _frequencies(dim)),
        ),
        Mistake("the base is 1000: the paper's is 10000", lambda k, dim: _shifting(k * _frequencies(dim, 1000.0))),
        Mistake(
            "the frequencies are in reverse order: clock 0 is the fastest",
            lambda k, dim: _shifting(k * _frequencies(dim).flip(0)),
        ),
        Mistake(
            "the angles were taken as degrees: sin and cos want radians, as they are",
            lambda k, dim: _shifting((k * _frequencies(dim)).deg2rad()),
        ),
        Mistake(
            "the angles were multiplied by 2π: the formula has none",
            lambda k, dim: _shifting(2 * torch.pi * k * _frequencies(dim)),
        ),
        Mistake(
            "the exponent was divided without its fraction: `//` makes it 0 for all but the last clocks; use `/`",
            lambda k, dim: _shifting(k * 10000.0 ** -(torch.arange(0, dim, 2) // (dim - 2 or 1))),
        ),
    ),
)


# 07.alibi -----------------------------------------------------------------------------------------------------------


def alibi(scores: Tensor, slopes: Tensor) -> Tensor:
    """The solution."""
    queries, keys = scores.shape[-2:]
    places = torch.arange(keys, device=scores.device)
    distance = places[keys - queries :].unsqueeze(1) - places  # [queries, keys], negative for what follows
    lowered = scores - slopes.view(-1, 1, 1) * distance
    return lowered.masked_fill(distance < 0, -torch.inf).softmax(dim=-1)


def _alibi_inputs(batch: int, heads: int, queries: int, keys: int) -> tuple:
    generator = torch.Generator().manual_seed(100 * heads + 10 * queries + keys)
    return torch.randn(batch, heads, queries, keys, generator=generator), torch.rand(heads, generator=generator) + 0.2


def _distance(scores: Tensor) -> Tensor:
    """[queries, keys]: how many places the key stands before the query."""
    queries, keys = scores.shape[-2:]
    return torch.arange(keys - queries, keys).unsqueeze(1) - torch.arange(keys)


def _from_the_front(scores: Tensor) -> Tensor:
    """The same if the queries were the first tokens."""
    queries, keys = scores.shape[-2:]
    return torch.arange(queries).unsqueeze(1) - torch.arange(keys)


def _weights(lowered: Tensor, distance: Tensor, least: int = 0) -> Tensor:
    return lowered.masked_fill(distance < least, -torch.inf).softmax(dim=-1)


def _steep(slopes: Tensor) -> Tensor:
    return slopes.view(-1, 1, 1)


def _sees_the_future(weights: Tensor, scores: Tensor, slopes: Tensor) -> str | None:
    seen = ((_distance(scores) < 0) & (weights.abs() > 1e-6)).nonzero()
    message = "the future leaks: query {} stands at place {} and has weight on the key at place {}"
    if not len(seen):
        return None
    *_, i, j = seen[0].tolist()
    return message.format(i, scores.shape[-1] - scores.shape[-2] + i, j)


def _rows_of_one(weights: Tensor, scores: Tensor, slopes: Tensor) -> str | None:
    sums = weights.sum(dim=-1)
    message = "each row of weights must sum to 1: the softmax over the keys comes last; one of yours sums to {:.3g}"
    wrong = (sums - 1).abs() > 1e-4
    return message.format(sums[wrong][0].item()) if wrong.any() else None


def _steepness(weights: Tensor, scores: Tensor, slopes: Tensor) -> str | None:
    """What was taken off for one more place of distance, read off the last query's weights."""
    if scores.shape[-1] < 2:
        return None
    logs = (weights[:, :, -1].log() - scores[:, :, -1]).diff(dim=-1)[..., -1]  # [batch, heads]
    wrong = ((logs - slopes).abs() > 1e-3).nonzero()
    message = "in head {} one more place of distance lowers the score by {:.3g}; its slope is {:.3g}"
    return (
        message.format(int(wrong[0, 1]), logs[tuple(wrong[0])].item(), slopes[wrong[0, 1]].item())
        if len(wrong)
        else None
    )


ALIBI = Exercise(
    name="07.alibi",
    title="Weights with ALiBi",
    statement="""Return the weights [batch, heads, queries, keys] of attention with ALiBi under a causal mask.

From each score its distance in places, times the slope of its head, is taken off. A query looks at itself and at what
stands before it, at nothing else. The softmax over the keys comes last (Press et al. 2022, section 3).

scores [batch, heads, queries, keys] are masked by nobody yet; slopes [heads]. The queries are the **last** `queries` of
the `keys` tokens, as in 06.causal: all of them in training, one when a text is written.""",
    axes="[batch, heads, queries, keys]",
    stub="""def alibi(scores, slopes):
    ...
""",
    hints=(
        "First the distances [queries, keys]: where does the first query stand, if the queries are the last tokens? "
        "On paper, for 2 queries and 5 keys.",
        "Every head has its own slope. To reach the axis of the heads it needs two axes behind it: "
        "`slopes.view(-1, 1, 1)` is [heads, 1, 1].",
        "A distance below 0 is a key in the future. Such scores become -inf before the softmax (lesson 06), not 0 and "
        "not after it.",
    ),
    solution=alibi,
    spec=lambda scores, slopes: each(lambda one: positions.causal_alibi(one, slopes), scores),
    inputs=lambda: [_alibi_inputs(2, 3, 5, 5), _alibi_inputs(2, 4, 2, 6)],
    edges=lambda: [_alibi_inputs(1, 2, 1, 7), _alibi_inputs(3, 1, 1, 1)],
    diagnoses=(_sees_the_future, _rows_of_one, _steepness),
    mistakes=(
        Mistake(
            "far keys count more: the distance was added, or it was counted as j - i, which is below 0 for what stands "
            "before, and taken off; take slope · (i - j) off",
            lambda scores, slopes: _weights(scores + _steep(slopes) * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "the causal mask is missing: keys after the query have weight; that the distance lowers them, too, does "
            "not hide them",
            lambda scores, slopes: (scores - _steep(slopes) * _distance(scores).abs()).softmax(dim=-1),
        ),
        Mistake(
            "the causal mask is missing, and what follows gains by its distance, since that is negative there",
            lambda scores, slopes: (scores - _steep(slopes) * _distance(scores)).softmax(dim=-1),
        ),
        Mistake(
            "the mask alone: no distance was taken off", lambda scores, slopes: _weights(scores, _distance(scores))
        ),
        Mistake(
            "the queries stand at the first places: they are the last tokens, query 0 stands at place keys - queries",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _from_the_front(scores), _from_the_front(scores)),
        ),
        Mistake(
            "the mask is right, but the distances are those of queries at the first places: query 0 stands at place "
            "keys - queries",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _from_the_front(scores).abs(), _distance(scores)),
        ),
        Mistake(
            "no query sees itself: its own distance is 0, and it may look",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _distance(scores), _distance(scores), 1),
        ),
        Mistake(
            "the next token leaks: only distances of 0 and more may be seen",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _distance(scores), _distance(scores), -1),
        ),
        Mistake(
            "the past is hidden and the future seen: mask the keys that follow",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _distance(scores).abs(), -_distance(scores)),
        ),
        Mistake(
            "every head has the slope of the first one: each has its own",
            lambda scores, slopes: _weights(scores - slopes[0] * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "every head has the mean of the slopes: each has its own",
            lambda scores, slopes: _weights(scores - slopes.mean() * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "the slopes are in reverse order: the first belongs to head 0",
            lambda scores, slopes: _weights(scores - _steep(slopes.flip(0)) * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "the slopes were left out: every place takes 1 off in each head",
            lambda scores, slopes: _weights(scores - _distance(scores), _distance(scores)),
        ),
        Mistake(
            "the slope was raised to the power of the distance: slope times distance is taken off the score",
            lambda scores, slopes: _weights(
                scores - _steep(slopes) ** _distance(scores).clamp(min=0), _distance(scores)
            ),
        ),
        Mistake(
            "the distance was squared: it is taken as it is",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _distance(scores) ** 2, _distance(scores)),
        ),
        Mistake(
            "the distance was divided by the slope: multiply",
            lambda scores, slopes: _weights(scores - _distance(scores) / _steep(slopes), _distance(scores)),
        ),
        Mistake(
            "the scores were multiplied by the bias: it is added to them",
            lambda scores, slopes: _weights(scores * -_steep(slopes) * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "the bias was taken off the weights: it belongs to the scores, before the softmax",
            lambda scores, slopes: (
                _weights(scores, _distance(scores)) - _steep(slopes) * _distance(scores).clamp(min=0)
            ),
        ),
        Mistake(
            "the mask came after the softmax: the rows no longer sum to 1, and the future has left its trace (06)",
            lambda scores, slopes: (
                (scores - _steep(slopes) * _distance(scores).abs()).softmax(dim=-1) * (_distance(scores) >= 0)
            ),
        ),
        Mistake(
            "masked scores were set to 0: a score of 0 is a score like any other; -inf hides",
            lambda scores, slopes: (
                (scores - _steep(slopes) * _distance(scores)).masked_fill(_distance(scores) < 0, 0.0).softmax(dim=-1)
            ),
        ),
        Mistake(
            "these are the scores: the softmax over the keys is missing",
            lambda scores, slopes: (scores - _steep(slopes) * _distance(scores)).masked_fill(
                _distance(scores) < 0, -torch.inf
            ),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even, and the "
            "future has weight",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _distance(scores), _distance(scores)).softmax(
                dim=-1
            ),
        ),
        Mistake(
            "the softmax went over the heads: it goes over the keys, the last axis",
            lambda scores, slopes: (
                (scores - _steep(slopes) * _distance(scores))
                .masked_fill(_distance(scores) < 0, -torch.inf)
                .softmax(dim=1)
                .nan_to_num()
            ),
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


def _waves(x: Tensor) -> Tensor:
    """The sinusoidal code of its places."""
    return torch.stack(_sin_cos(x), -1).flatten(1)


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

EXERCISES = [SHIFT, ALIBI, ROTARY]
