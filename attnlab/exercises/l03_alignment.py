"""Exercises of lesson 03: a score and what it can be made to look for, and a window that a query places for itself."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import alignment, each
from attnlab.specs.attention import all_scores
from attnlab.specs.local_attention import local_p


def _weights_not_scores(scores: Tensor, *_: object) -> str | None:
    ones = torch.ones(scores.shape[:-1])
    message = "your rows sum to 1: these are weights, the scores are asked for, before any softmax"
    return message if scores.shape[-1] > 1 and torch.allclose(scores.sum(-1), ones, atol=1e-4) else None


# 03.general ----------------------------------------------------------------------------------------------------------


def general(query: Tensor, key: Tensor, W: Tensor) -> Tensor:
    """The solution."""
    return query @ W.mT @ key.mT


def general_spec(query: Tensor, key: Tensor, W: Tensor) -> Tensor:
    """The same in loops."""

    def score(query: Tensor, key: Tensor, place: int) -> Tensor:
        return alignment.general(query, key, W.mT)

    return each(lambda query, key: all_scores(query, key, score), query, key)


def _general_inputs(batch: int, queries: int, keys: int, query_dim: int, key_dim: int) -> tuple:
    chance = torch.Generator().manual_seed(batch * 100 + keys)
    query, key = (torch.randn(batch, *size, generator=chance) for size in ((queries, query_dim), (keys, key_dim)))
    return query, key, torch.randn(key_dim, query_dim, generator=chance) / (query_dim * key_dim) ** 0.5


GENERAL = Exercise(
    name="03.general",
    title="Luong's general score",
    statement="""Return the scores [batch, queries, keys] of Luong's general score.

The score of a query with a key is the dot product of W query with key. W is kept as torch keeps it, as the weight of an
`nn.Linear(query_dim, key_dim)`. No softmax here: the scores themselves are asked for.

query [batch, queries, query_dim]; key [batch, keys, key_dim]; W [key_dim, query_dim].""",
    axes="[batch, queries, keys]",
    stub="""def general(query, key, W):
    ...
""",
    hints=(
        "Two matrix products, no loop. `@` multiplies the last two axes and leaves the batch alone.",
        "A linear layer multiplies its rows by its weight turned round, [query_dim, key_dim] here. Then the queries, "
        "[batch, queries, key_dim], are as long as the keys.",
        "For the second product the keys must lie on their side, [batch, key_dim, keys]: `key.mT` turns the last two "
        "axes round.",
    ),
    solution=general,
    spec=general_spec,
    inputs=lambda: [_general_inputs(2, 3, 5, 7, 2), _general_inputs(3, 5, 2, 3, 11)],
    edges=lambda: [_general_inputs(1, 1, 7, 5, 3), _general_inputs(2, 3, 1, 1, 2)],
    diagnoses=(_weights_not_scores,),
    mistakes=(
        Mistake(
            "these are weights: the scores are asked for, before any softmax",
            lambda query, key, W: general(query, key, W).softmax(-1),
        ),
        Mistake(
            "this is a softmax over queries: leave the softmax out here; and where one comes, it runs over the keys",
            lambda query, key, W: general(query, key, W).softmax(1),
        ),
        Mistake(
            "rows and columns are exchanged: expected [batch, queries, keys], got [batch, keys, queries]",
            lambda query, key, W: general(query, key, W).mT,
        ),
        Mistake(
            "the scores were divided by the square root of the query's size: that is for the scaled dot product; here "
            "W learns the scale",
            lambda query, key, W: general(query, key, W) / query.shape[-1] ** 0.5,
        ),
        Mistake(
            "the scores were divided by the square root of the key's size: that is for the scaled dot product; here "
            "W learns the scale",
            lambda query, key, W: general(query, key, W) / key.shape[-1] ** 0.5,
        ),
        Mistake(
            "tanh around the product: tanh belongs to the additive score, this one is a plain product",
            lambda query, key, W: general(query, key, W).tanh(),
        ),
        Mistake(
            "tanh of the projected query: this score has no tanh", lambda query, key, W: (query @ W.mT).tanh() @ key.mT
        ),
        Mistake(
            diagnoses.KEYS_RESHAPED,
            lambda query, key, W: query @ W.mT @ key.reshape(key.mT.shape),
        ),
        Mistake(
            "W was reshaped, which deals its numbers out anew: `W.mT` turns it round",
            lambda query, key, W: query @ W.reshape(W.mT.shape) @ key.mT,
        ),
        Mistake(
            "query and key were added: the general score multiplies them",
            lambda query, key, W: ((query @ W.mT).unsqueeze(2) + key.unsqueeze(1)).sum(-1),
        ),
        Mistake(
            "an axis too many: the last one, of the products, must be summed",
            lambda query, key, W: (query @ W.mT).unsqueeze(2) * key.unsqueeze(1),
        ),
        Mistake(
            "averaged over the size: the products of a dot product are summed",
            lambda query, key, W: ((query @ W.mT).unsqueeze(2) * key.unsqueeze(1)).mean(-1),
        ),
        Mistake(
            "queries met the keys of other sentences: the axis of the batch was summed away or mixed up",
            lambda query, key, W: torch.einsum("bqm,nm,ckn->bqk", query, W, key),
        ),
        Mistake(
            "every query met the keys of the first sentence: each has keys of its own",
            lambda query, key, W: query @ W.mT @ key[:1].mT,
        ),
        Mistake(
            "W was turned into weights by a softmax: it is used as it is",
            lambda query, key, W: query @ W.mT.softmax(-1) @ key.mT,
        ),
        Mistake(
            "W was turned into weights by a softmax over its columns' numbers: it is used as it is",
            lambda query, key, W: query @ W.mT.softmax(0) @ key.mT,
        ),
        Mistake("tanh of W: it is used as it is", lambda query, key, W: query @ W.mT.tanh() @ key.mT),
        Mistake("tanh of the keys: this score has no tanh", lambda query, key, W: query @ W.mT @ key.tanh().mT),
        Mistake(
            "sigmoid around the product: the scores themselves are asked for",
            lambda query, key, W: general(query, key, W).sigmoid(),
        ),
        Mistake(
            "the exponential belongs to a softmax: the scores themselves are asked for",
            lambda query, key, W: general(query, key, W).exp(),
        ),
        Mistake("the sign is gone: a score may be negative", lambda query, key, W: general(query, key, W).abs()),
        Mistake(
            "negative scores became 0: a score may be negative", lambda query, key, W: general(query, key, W).relu()
        ),
        Mistake(
            "these are logarithms of weights: the scores are asked for, before any softmax",
            lambda query, key, W: general(query, key, W).log_softmax(-1),
        ),
        Mistake(
            "this is a softmax of the whole matrix: the scores are asked for, before any softmax",
            lambda query, key, W: general(query, key, W).flatten(1).softmax(-1).reshape(len(query), query.shape[1], -1),
        ),
        Mistake(
            "the highest score of each row was subtracted: that belongs to a softmax, leave the scores as they are",
            lambda query, key, W: general(query, key, W) - general(query, key, W).amax(-1, keepdim=True),
        ),
        Mistake(
            "query and key were subtracted: the general score multiplies them",
            lambda query, key, W: ((query @ W.mT).unsqueeze(2) - key.unsqueeze(1)).sum(-1),
        ),
        Mistake(
            "this is minus the squared distance: the general score is a product",
            lambda query, key, W: -((query @ W.mT).unsqueeze(2) - key.unsqueeze(1)).pow(2).sum(-1),
        ),
        Mistake(
            "the projected queries were brought to length 1; the general score leaves them as they are",
            lambda query, key, W: torch.nn.functional.normalize(query @ W.mT, dim=-1) @ key.mT,
        ),
        Mistake(
            "every row holds the scores of the first query: each has its own",
            lambda query, key, W: general(query, key, W)[:, :1].expand(-1, query.shape[1], -1),
        ),
        Mistake("these are the projected keys: the product with the queries is missing", lambda query, key, W: key @ W),
        Mistake(
            "these are the projected queries: the product with the keys is missing", lambda query, key, W: query @ W.mT
        ),
        Mistake(
            "these are cosines: the vectors were brought to length 1; the general score leaves them as they are",
            lambda query, key, W: (
                torch.nn.functional.normalize(query @ W.mT, dim=-1) @ torch.nn.functional.normalize(key, dim=-1).mT
            ),
        ),
    ),
)


# 03.follow -----------------------------------------------------------------------------------------------------------


def follow(letters: int, places: int, gain: float) -> Tensor:
    """The solution."""
    W = torch.zeros(letters + places, letters + places)
    W[:letters, :letters] = gain * torch.eye(letters).roll(1, dims=1)
    return W


def follow_spec(letters: int, places: int, gain: float) -> Tensor:
    """The same in loops."""
    W = torch.zeros(letters + places, letters + places)
    for asked in range(letters):
        W[asked, (asked + 1) % letters] = gain
    return W


def _following(letters: int) -> Tensor:
    """[letter of the query, letter of the key]: 1 where the second comes after the first."""
    return torch.eye(letters).roll(1, dims=1)


def _for_letters(block: Tensor, places: int) -> Tensor:
    """W with this block for the letters, and 0 wherever a place says something."""
    return torch.block_diag(block, torch.zeros(places, places))


def _places_count(W: Tensor, letters: int, places: int, gain: float) -> str | None:
    outside = W.clone()
    outside[:letters, :letters] = 0
    if not outside.any() or not W.isfinite().all():
        return None
    i, j = outside.nonzero()[0].tolist()
    return (
        f"W[{i}, {j}] must be 0: with {letters} letters, rows and columns from {letters} on are what a place says, and "
        "that must not count"
    )


FOLLOW = Exercise(
    name="03.follow",
    title="A W that asks for the next letter",
    statement="""Return the W [dim, dim] of the general score, queryᵀ W key, by which a query finds the next letter.

Queries and keys say a letter and a place: of the first `letters` numbers one is 1 and the others are 0, and so with the
`places` numbers behind them; dim is their sum. A key with the letter after the query's gets the score `gain` (after the
last letter comes the first), any other key 0, wherever they lie. What W does not need is 0.

letters, places: whole numbers; gain: a number.""",
    axes="[dim, dim]",
    stub="""def follow(letters, places, gain):
    ...
""",
    hints=(
        "In queryᵀ W key, a query with a single 1 reads off one row of W, and such a key one number of that row. So "
        "W[i, j] is the score of a query that says i with a key that says j.",
        "What a place says must not count, in the query or in the key. Which rows and which columns are 0, then?",
        "With `torch.eye(letters)` each letter would look for itself. Moved by one column, and around at the end, it "
        "looks for another.",
    ),
    solution=follow,
    spec=follow_spec,
    inputs=lambda: [(4, 3, 2.0), (5, 7, 8.0)],
    edges=lambda: [(1, 2, 3.0), (2, 1, 0.5)],
    diagnoses=(_places_count,),
    mistakes=(
        Mistake(
            "each letter looks for itself, as with the dot product: move the ones by a column",
            lambda letters, places, gain: _for_letters(gain * torch.eye(letters), places),
        ),
        Mistake(
            "each query looks for the letter before its own: rows of W are the query's numbers, columns the key's",
            lambda letters, places, gain: _for_letters(gain * _following(letters).mT, places),
        ),
        Mistake(
            "`roll` without `dims` moves the numbers as one long row, so that the last 1 came up into the first row: "
            "`roll(1, dims=1)` moves each row by itself",
            lambda letters, places, gain: _for_letters(gain * torch.eye(letters).roll(1), places),
        ),
        Mistake(
            "the last letter looks for nothing: after it comes the first",
            lambda letters, places, gain: _for_letters(gain * _following(letters).triu(1), places),
        ),
        Mistake(
            "the last letter looks for the first place, the number behind the letters: after it comes the first letter",
            lambda letters, places, gain: (
                gain
                * torch.eye(letters + places).roll(1, dims=1)
                * (torch.arange(letters + places) < letters).unsqueeze(1)
            ),
        ),
        Mistake(
            "the gain is missing",
            lambda letters, places, gain: _for_letters(_following(letters), places),
        ),
        Mistake(
            "places are compared, too: what they say must not count",
            lambda letters, places, gain: torch.block_diag(gain * _following(letters), gain * torch.eye(places)),
        ),
        Mistake(
            "places are compared, too, each with the next: only letters follow each other here",
            lambda letters, places, gain: gain * torch.eye(letters + places).roll(1, dims=1),
        ),
        Mistake(
            "the places stand first here: the letters are the first numbers",
            lambda letters, places, gain: torch.block_diag(torch.zeros(places, places), gain * _following(letters)),
        ),
        Mistake(
            "this is the block of the letters alone: W has a row and a column for each place, too",
            lambda letters, places, gain: gain * _following(letters),
        ),
        Mistake(
            "every letter but the next gets the gain: it is the other way round",
            lambda letters, places, gain: _for_letters(gain * (1 - _following(letters)), places),
        ),
        Mistake(
            "these are weights: the softmax comes after the score, and not over W",
            lambda letters, places, gain: follow(letters, places, gain).softmax(-1),
        ),
        Mistake(
            "each letter looks for the one after the next: move the ones by one column only",
            lambda letters, places, gain: _for_letters(gain * torch.eye(letters).roll(2, dims=1), places),
        ),
    ),
)


# 03.local ------------------------------------------------------------------------------------------------------------


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
        "Distances are already there: the bell is a function of them, with σ = radius / 2. Multiply it onto the "
        "weights after the softmax, and do not divide again: nobody else gets what it takes away.",
    ),
    solution=local,
    spec=local_spec,
    inputs=lambda: [_local_inputs(2, 3, 7, 2.0), _local_inputs(3, 5, 11, 3.0)],
    edges=lambda: [_at_the_edge(), _local_inputs(2, 1, 1, 1.0)],
    diagnoses=(diagnoses.negative, _outside),
    mistakes=(
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
            "the numbers are right, but the centre was detached: by the bell curve it learns where to look",
            lambda scores, centre, radius: _windowed(scores, centre.detach(), radius),
        ),
    ),
)

EXERCISES = [GENERAL, FOLLOW, LOCAL]
