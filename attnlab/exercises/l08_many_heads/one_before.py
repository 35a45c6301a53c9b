"""Exercise 08.one_before: a head that reads the one before."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import multihead as specs


def one_before(letters: int, places: int, strength: int) -> Tensor:
    """The solution."""
    W_q, W_k = torch.zeros(2, letters + places, places)
    for place in range(places):
        W_k[letters + place, place] = 1  # a key carries its own place
    for place in range(1, places):
        W_q[letters + place, place - 1] = strength  # a query asks for the place before its own
    return torch.stack([W_q, W_k])


def _place_maps(letters: int, places: int, asks: Tensor, answers: Tensor) -> Tensor:
    """Maps that leave the letters out: what each place asks, and what it answers, [places, places]."""
    nothing = torch.zeros(letters, places)
    return torch.stack([torch.cat([nothing, asks]), torch.cat([nothing, answers])])


def _before(places: int) -> Tensor:
    """One at [place, place - 1]."""
    return torch.ones(places - 1).diag(-1)


def _letters_matter(maps: Tensor, letters: int, places: int, strength: int) -> str | None:
    if not maps[:, :letters].any():
        return None
    return "the rows of the letters, the first ones, must be 0 in both maps: what is read depends on places alone"


def _read_instead(maps: Tensor, letters: int, places: int, strength: int) -> str | None:
    """Which token a place reads that should read the one before."""
    query, key = maps[:, letters:]
    weights = (query @ key.T / places**0.5).softmax(-1)
    for place in range(1, places):
        share, most = weights[place].max(-1)
        if most != place - 1:
            return f"as a head, these maps let the token at place {place} read place {int(most)} most ({share:.2f})"
    return None


ONE_BEFORE = Exercise(
    name="08.one_before",
    title="A head that reads the one before",
    statement="""Return the maps of a head that reads the token before: [2, dim, head_dim], first W_q, then W_k.

A token is a row x of dim = letters + places numbers: its letter, a 1 among the first `letters` numbers, and its place,
a 1 among the last `places`. head_dim is `places`. The key x W_k is the token's own place, as it is. The query x W_q is
`strength` times the place before its own; the first token, with none before it, asks for nothing, all 0. Letters do not
matter.

letters, places, strength: whole numbers.""",
    axes="[2, letters + places, places]",
    stub="""def one_before(letters, places, strength):
    ...
""",
    hints=(
        "Row r of a map is what a token adds to its query, or to its key, if its number r is 1. So rows 0 to letters - "
        "1 of both maps belong to the letters, the rest to the places.",
        "The rows of the places: in W_k place p stands in row letters + p and hands on its own place, so a 1 in column "
        "p.",
        "In W_q the same row asks for the place before: `strength` in column p - 1. Begin with `torch.zeros`; the "
        "first place asks for nothing.",
    ),
    solution=one_before,
    spec=specs.one_before,
    inputs=lambda: [(3, 5, 8), (4, 7, 6)],
    edges=lambda: [(1, 2, 9), (5, 3, 1)],
    diagnoses=(_letters_matter, _read_instead),
    mistakes=(
        Mistake(
            "it reads itself: each query asks for its own place, and should ask for the one before, column p - 1",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * torch.eye(places), torch.eye(places)
            ),
        ),
        Mistake(
            "it reads the next one: the query of place p asks in column p + 1, and the one before stands in column p "
            "- 1",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * _before(places).T, torch.eye(places)
            ),
        ),
        Mistake(
            "queries and keys are exchanged, so every token is found by the next one's place, and reads the next one: "
            "W_q comes first",
            lambda letters, places, strength: one_before(letters, places, strength).flip(0),
        ),
        Mistake(
            "the maps are turned over: x W needs a row for each number of x, [dim, head_dim], not [head_dim, dim]",
            lambda letters, places, strength: one_before(letters, places, strength).mT,
        ),
        Mistake(
            "this head reads one before, too: its keys say which place may come next. But here a key is its own place, "
            "and the query does the shifting",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * torch.eye(places), _before(places).T
            ),
        ),
        Mistake(
            "queries and keys are both shifted: then a query meets the key of its own place again, and it reads itself",
            lambda letters, places, strength: _place_maps(letters, places, strength * _before(places), _before(places)),
        ),
        Mistake(
            "the first token asks for the last place, as if the text were a ring: it has none before it, its query is "
            "all 0",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * torch.eye(places).roll(1, 0), torch.eye(places)
            ),
        ),
        Mistake(
            "the first token reads itself: it has none before it, its query is all 0",
            lambda letters, places, strength: _place_maps(
                letters,
                places,
                strength * (_before(places) + torch.eye(places, 1) @ torch.eye(1, places)),
                torch.eye(places),
            ),
        ),
        Mistake(
            "it reads two before: column p - 2; the one before stands in column p - 1",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * torch.ones(places - 2).diag(-2), torch.eye(places)
            ),
        ),
        Mistake(
            "the strength is missing: with queries of length 1 the scores are so small that the row stays nearly even",
            lambda letters, places, strength: one_before(letters, places, 1),
        ),
        Mistake(
            "the strength is in both maps, so it counts twice: keys are the place as it is",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * _before(places), strength * torch.eye(places)
            ),
        ),
        Mistake(
            "the strength is in the keys: here queries are strong, and keys are the place as it is",
            lambda letters, places, strength: _place_maps(
                letters, places, _before(places), strength * torch.eye(places)
            ),
        ),
        Mistake(
            "the places were taken for the first numbers of x: those are the letters, the places come behind them",
            lambda letters, places, strength: one_before(letters, places, strength).roll(places, 1),
        ),
        Mistake(
            "the rows of the letters are missing: x has letters + places numbers, and a map needs a row for each",
            lambda letters, places, strength: one_before(letters, places, strength)[:, letters:],
        ),
        Mistake(
            "the keys are all 0: then all scores are 0, and every row stays even",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * _before(places), torch.zeros(places, places)
            ),
        ),
        Mistake(
            "these are the scores of the places, not the maps that make them: [2, dim, head_dim], W_q and W_k stacked",
            lambda letters, places, strength: strength * _before(places),
        ),
        Mistake(
            "this is W_q alone: return both, `torch.stack([W_q, W_k])`",
            lambda letters, places, strength: one_before(letters, places, strength)[0],
        ),
    ),
)
