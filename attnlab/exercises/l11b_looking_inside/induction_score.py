"""Exercise 11.induction_score: does a head look at what follows the earlier copy?"""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    """The solution."""
    place = torch.arange(len(tokens), device=tokens.device)
    copied = tokens.unsqueeze(1) == tokens.roll(1)  # [queries, keys]: my token stands right before this key
    right = copied & (place > 0) & (place <= place.unsqueeze(1))
    asked = right.any(dim=1)  # queries that have an earlier copy
    return (weights * right).sum(dim=-1)[:, asked].mean(dim=-1)


def induction_score_spec(weights: Tensor, tokens: Tensor) -> Tensor:
    """The same in loops."""
    scores = []
    for head in weights:
        found = []
        for i in range(len(tokens)):
            copies = [c for c in range(i) if tokens[c] == tokens[i]]
            if copies:
                found.append(sum(head[i, c + 1] for c in copies))
        scores.append(sum(found) / len(found))
    return torch.stack(scores)


def _score(weights: Tensor, right: Tensor, over: Tensor | None = None) -> Tensor:
    """The mean weight on right places; over: of which queries, those that have one."""
    over = right.any(1) if over is None else over
    return (weights * right).sum(-1)[:, over].mean(-1)


def _after(tokens: Tensor, roll: int = 1) -> Tensor:
    """[queries, keys]: keys right after an earlier copy of the query's token; roll -1: what comes of the wrong way."""
    place = torch.arange(len(tokens))
    return (tokens.unsqueeze(1) == tokens.roll(roll)) & (place > 0) & (place <= place.unsqueeze(1))


def _copies(tokens: Tensor) -> Tensor:
    """[queries, keys]: the earlier copies themselves."""
    return (tokens.unsqueeze(1) == tokens).tril(-1)


def _nearest(right: Tensor) -> Tensor:
    """Of each row only the last right place."""
    return right & (right.flip(1).cumsum(1).flip(1) == 1)


def _all(tokens: Tensor) -> Tensor:
    return torch.ones(len(tokens), dtype=torch.bool)


def _looks(heads: int, tokens: list[int]) -> tuple:
    chance = torch.Generator().manual_seed(len(tokens))
    scores = torch.randn(heads, len(tokens), len(tokens), generator=chance)
    hidden = torch.ones(len(tokens), len(tokens), dtype=torch.bool).triu(1)
    return scores.masked_fill(hidden, -torch.inf).softmax(-1), torch.tensor(tokens)


def _looks_at_itself(heads: int, tokens: list[int]) -> tuple:
    """In the first head each token sees itself alone: most queries that have a right place give it nothing."""
    weights, ids = _looks(heads, tokens)
    weights[0] = torch.eye(len(tokens))
    return weights, ids


Measure = Callable[[Tensor, Tensor], Tensor]

INDUCTION_SCORE = Exercise(
    name="11.induction_score",
    title="Does a head look at what follows the earlier copy?",
    statement="""Return how much of its weight each head puts where an induction head looks: [heads].

The right places of a query are the keys that come right after an earlier copy of its own token; where there are
several, their weights add up. The score of a head is the mean over all queries that have a right place.

weights [heads, queries, keys], of one text under a causal mask; tokens [queries], its ids. At least one token comes
again.""",
    axes="[heads]",
    stub="""def induction_score(weights, tokens):
    ...
""",
    hints=(
        "First the places: which keys are right for which query? A comparison makes them, [queries, keys].",
        "Key j is right for query i when token j - 1 is token i, and stands before it. `tokens.roll(1)` has token "
        "j - 1 at place j; at place 0 it has one that stands nowhere.",
        "Multiply weights and places, sum over the keys, keep the queries that have a right place, "
        "`right.any(dim=1)`, and take the mean over them.",
    ),
    solution=induction_score,
    spec=induction_score_spec,
    inputs=lambda: [_looks(3, [4, 1, 3, 4, 1, 4, 4, 2, 1, 3]), _looks(2, [0, 5, 2, 0, 0, 5, 7, 2, 9])],
    edges=lambda: [_looks(2, [6, 6]), _looks(1, [1, 2, 3, 4, 1]), _looks_at_itself(2, [1, 1, 2, 1, 2])],
    mistakes=(
        Mistake(
            "this is the weight on the earlier copies themselves: an induction head looks at what came right after "
            "them",
            lambda weights, tokens: _score(weights, _copies(tokens)),
        ),
        Mistake(
            "this is the weight right before the earlier copies: look at what follows them",
            lambda weights, tokens: _score(
                weights, (tokens.unsqueeze(1) == tokens.roll(-1)).tril(-2), _after(tokens).any(1)
            ),
        ),
        Mistake(
            "this is the weight right before the earlier copies, and the mean over the queries that have such a place: "
            "look at what follows them",
            lambda weights, tokens: _score(weights, (tokens.unsqueeze(1) == tokens.roll(-1)).tril(-2)),
        ),
        Mistake(
            "this is the weight right before the copies of each token: `tokens.roll(-1)` has token j + 1 at place j; "
            "an induction head looks at what follows them, `tokens.roll(1)`",
            lambda weights, tokens: _score(weights, _after(tokens, roll=-1)),
        ),
        Mistake(
            "this is the weight on the token before: that is what a previous-token head does",
            lambda weights, tokens: _score(
                weights, torch.ones(len(tokens), len(tokens), dtype=torch.bool).tril(-1).triu(-1)
            ),
        ),
        Mistake(
            "the mean runs over all queries: those whose token was not there before have no right place, and do not "
            "count",
            lambda weights, tokens: _score(weights, _after(tokens), _all(tokens)),
        ),
        Mistake(
            "the sum was taken: the mean over the queries that have a right place is asked for",
            lambda weights, tokens: (weights * _after(tokens)).sum((1, 2)),
        ),
        Mistake(
            "only the last copy counts here: where a token has several earlier copies, all places after them are right",
            lambda weights, tokens: _score(weights, _nearest(_after(tokens))),
        ),
        Mistake(
            "only the first copy counts here: where a token has several earlier copies, all places after them are "
            "right",
            lambda weights, tokens: _score(weights, _after(tokens) & (_after(tokens).cumsum(1) == 1)),
        ),
        Mistake(
            "the mean was taken over the right places, not over the queries: a query with several adds them up",
            lambda weights, tokens: (weights * _after(tokens)).sum((1, 2)) / _after(tokens).sum(),
        ),
        Mistake(
            "place 0 counts as right where the text ends with the query's token: `roll` brings the last token round to "
            "the front; nothing stands before place 0",
            lambda weights, tokens: _score(weights, (tokens.unsqueeze(1) == tokens.roll(1)).tril()),
        ),
        Mistake(
            "the copy need not stand before the query here, so each query is a copy of itself and goes into the "
            "mean: only keys up to the query's place are right, and not place 0, to which `roll` brings the last token",
            lambda weights, tokens: _score(weights, tokens.unsqueeze(1) == tokens.roll(1)),
        ),
        Mistake(
            "the copy need not stand before the query here, so each query is a copy of itself and goes into the "
            "mean: only keys up to the query's place are right",
            lambda weights, tokens: _score(
                weights, (tokens.unsqueeze(1) == tokens.roll(1)) & (torch.arange(len(tokens)) > 0)
            ),
        ),
        Mistake(
            "this is the weight on the copies and on the query itself: an induction head looks at what stood right "
            "after the earlier copies",
            lambda weights, tokens: _score(weights, (tokens.unsqueeze(1) == tokens).tril()),
        ),
        Mistake(
            "the weights of several right places were averaged: they add up",
            lambda weights, tokens: _score(weights / _after(tokens).sum(1, keepdim=True).clamp(min=1), _after(tokens)),
        ),
        Mistake(
            "the place after the only copy may be the query's own: a token that comes twice in a row looks at itself, "
            "and that counts; compare with <=",
            lambda weights, tokens: _score(weights, _after(tokens).tril(-1), _after(tokens).any(1)),
        ),
        Mistake(
            "the highest weight was taken: the mean over the queries is asked for",
            lambda weights, tokens: (weights * _after(tokens)).sum(-1).amax(-1),
        ),
        Mistake(
            "rows and columns are exchanged: rows are queries",
            lambda weights, tokens: _score(weights.mT, _after(tokens)),
        ),
    ),
)
