"""Exercise 03.follow: a W that asks for the next letter."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake


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
last letter comes the first), any other key 0, wherever they lie. All other numbers of W are 0.

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
