"""Exercise 06.causal: the causal mask."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import masks


def first_place(wrong: Tensor) -> list[int]:
    return wrong.nonzero()[0].tolist()


def causal(queries: int, keys: int) -> Tensor:
    """The solution."""
    place = torch.arange(keys - queries, keys)  # where the queries stand
    return torch.arange(keys) <= place.unsqueeze(1)


def causal_spec(queries: int, keys: int) -> Tensor:
    """The same in loops."""
    return masks.causal(queries, keys, start=keys - queries)


def _shifted(queries: int, keys: int, diagonal: int = 0) -> Tensor:
    """True up to a diagonal, counted from that of a query's own place."""
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries + diagonal)


def square(queries: int, keys: int) -> Tensor:
    """Queries that are taken for the first tokens."""
    return torch.ones(queries, keys, dtype=torch.bool).tril()


def minus_infinity(mask: Tensor) -> Tensor:
    return torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)


def _future(mask: Tensor, queries: int, keys: int) -> str | None:
    leak = mask & ~causal_spec(queries, keys)
    if not leak.any():
        return None
    i, j = first_place(leak)
    return f"the future leaks: query {i} stands at place {keys - queries + i} and must not see place {j}"


def _past(mask: Tensor, queries: int, keys: int) -> str | None:
    lost = ~mask & causal_spec(queries, keys)
    if not lost.any():
        return None
    i, j = first_place(lost)
    return (
        f"query {i} stands at place {keys - queries + i} and may see all places up to it, itself too; here it does "
        f"not see place {j}"
    )


CAUSAL = Exercise(
    name="06.causal",
    title="The causal mask",
    statement="""Return the causal mask [queries, keys], boolean, True = may attend.

A text has `keys` tokens so far. The queries are the **last** `queries` of them: all of them in training, perhaps only
one when a text is written and the keys of the earlier tokens are kept. Each query may look at every token before it and
at itself, and never at one that follows.

queries and keys are whole numbers, 1 <= queries <= keys.""",
    axes="[queries, keys]",
    stub="""def causal(queries, keys):
    ...
""",
    hints=(
        "Row i is a query, column j a key. Write down the place of each in the text, counted from 0; then the mask is "
        "one comparison of the two.",
        "Key j stands at place j. The first query stands at place keys - queries, the last one at keys - 1.",
        "Make a column of the queries' places with `unsqueeze(1)`: compared with a row of the keys' places it "
        "broadcasts to [queries, keys].",
    ),
    solution=causal,
    spec=causal_spec,
    inputs=lambda: [(5, 5), (3, 7)],
    edges=lambda: [(1, 11), (1, 1)],
    diagnoses=(_future, _past),
    mistakes=(
        Mistake(
            "the past is hidden and the future seen: that is the upper triangle; take the lower one",
            lambda queries, keys: torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries),
        ),
        Mistake(
            "the past is hidden and the future seen, and the queries stand at the first places: take the lower "
            "triangle, and move it",
            lambda queries, keys: torch.ones(queries, keys, dtype=torch.bool).triu(),
        ),
        Mistake(
            "True and False are exchanged: here True means may attend", lambda queries, keys: ~_shifted(queries, keys)
        ),
        Mistake(
            "True and False are exchanged, and the queries stand at the first places: True means may attend, and the "
            "last query sees all keys",
            lambda queries, keys: ~square(queries, keys),
        ),
        Mistake(
            "the queries stand at the first places: they are the last tokens of the text, so query 0 stands at place "
            "keys - queries, and the last query sees all keys",
            square,
        ),
        Mistake(
            "no query sees itself: it may look at its own token, so compare with <=, not with <",
            lambda queries, keys: _shifted(queries, keys, -1),
        ),
        Mistake(
            "no query sees itself, and the queries stand at the first places: compare with <=, and add keys - queries",
            lambda queries, keys: torch.ones(queries, keys, dtype=torch.bool).tril(-1),
        ),
        Mistake(
            "the next token leaks: each query sees one place too far, just the token that it must predict",
            lambda queries, keys: _shifted(queries, keys, 1),
        ),
        Mistake(
            "the triangle was moved the wrong way: query 0 stands at place keys - queries, not at queries - keys",
            lambda queries, keys: torch.ones(queries, keys, dtype=torch.bool).tril(queries - keys),
        ),
        Mistake(
            "numbers 1 and 0 in place of True and False: the mask must be boolean; a comparison makes one",
            lambda queries, keys: _shifted(queries, keys).float(),
        ),
        Mistake(
            "numbers 1 and 0 in place of True and False, and the queries stand at the first places: a comparison of "
            "places gives booleans",
            lambda queries, keys: square(queries, keys).float(),
        ),
        Mistake(
            "0 and -inf are for adding to scores: here the mask itself is asked for, boolean, True = may attend",
            lambda queries, keys: minus_infinity(_shifted(queries, keys)),
        ),
        Mistake(
            "0 and -inf are for adding to scores, and the queries stand at the first places: the boolean mask is asked "
            "for, and its last row is all True",
            lambda queries, keys: minus_infinity(square(queries, keys)),
        ),
        Mistake(
            "rows and columns are exchanged: expected [queries, keys], got [keys, queries]",
            lambda queries, keys: _shifted(queries, keys).T,
        ),
        Mistake("a row for every token: only the last `queries` of them ask", lambda queries, keys: square(keys, keys)),
        Mistake(
            "everybody sees everything: that is no mask at all",
            lambda queries, keys: torch.ones(queries, keys, dtype=torch.bool),
        ),
        Mistake(
            "the triangle lies upside down: row 0 is the first query and sees the least",
            lambda queries, keys: _shifted(queries, keys).flip(0),
        ),
        Mistake(
            "the triangle lies the other way round: column 0 is the first key, which every query may see",
            lambda queries, keys: _shifted(queries, keys).flip(1),
        ),
        Mistake(
            "nobody sees anything: True means may attend",
            lambda queries, keys: torch.zeros(queries, keys, dtype=torch.bool),
        ),
        Mistake(
            "every query sees what the first one sees: each sees one place more than the one before it",
            lambda queries, keys: _shifted(queries, keys)[:1].expand(queries, -1),
        ),
        Mistake(
            "the queries see what came before all of them, and not one another: query i also sees the queries before "
            "it and itself",
            lambda queries, keys: (torch.arange(keys) < keys - queries).expand(queries, -1),
        ),
        Mistake(
            "the queries see one another, but not the keys of the earlier tokens: those are the past of all of them",
            lambda queries, keys: _shifted(queries, keys) & (torch.arange(keys) >= keys - queries),
        ),
        Mistake(
            "each query sees itself and one place before: it may look at all that came before it",
            lambda queries, keys: _shifted(queries, keys) & ~_shifted(queries, keys, -2),
        ),
        Mistake(
            "two future tokens leak: places count from 0, so compare key j with keys - queries + i",
            lambda queries, keys: _shifted(queries, keys, 2),
        ),
        Mistake(
            "no query sees itself or the token before it: compare j with keys - queries + i",
            lambda queries, keys: _shifted(queries, keys, -2),
        ),
        Mistake(
            "-inf stands where a query may look: a mask to be added has 0 there; here the boolean mask itself is asked "
            "for, True = may attend",
            lambda queries, keys: minus_infinity(~_shifted(queries, keys)),
        ),
        Mistake(
            "0 and a very low number are for adding to scores: here the mask itself is asked for, boolean, True = may "
            "attend",
            lambda queries, keys: torch.zeros(queries, keys).masked_fill(~_shifted(queries, keys), -1e9),
        ),
        Mistake(
            "each query sees itself alone: it may look at all that came before it, too",
            lambda queries, keys: _shifted(queries, keys) & ~_shifted(queries, keys, -1),
        ),
    ),
)
