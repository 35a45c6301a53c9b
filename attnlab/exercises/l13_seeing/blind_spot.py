"""Exercise 13.blind_spot: a part of the picture that may not be looked at."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.vision import captioner as specs


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def blind_spot(scores: Tensor, allowed: Tensor) -> Tensor:
    """The solution."""
    seen = allowed.unsqueeze(1).expand_as(scores).flatten(2)
    weights = scores.flatten(2).masked_fill(~seen, -1e30).softmax(-1) * seen
    return weights.unflatten(2, scores.shape[2:])


def _look(batch: int, words: int, rows: int, columns: int, hidden: float = 0.3) -> tuple:
    chance = seeded(1000 * rows + columns)
    allowed = torch.rand(batch, rows, columns, generator=chance) > hidden
    return torch.randn(batch, words, rows, columns, generator=chance), allowed


def _one_dark(batch: int, words: int, rows: int, columns: int) -> tuple:
    """The last picture is hidden altogether, and the others are not."""
    scores, allowed = _look(batch, words, rows, columns)
    allowed[-1] = False
    return scores, allowed


def _shown(scores: Tensor, allowed: Tensor) -> Tensor:
    return scores.masked_fill(~allowed.unsqueeze(1), -1e30)


def _softmax(scores: Tensor) -> Tensor:
    """Over rows and columns together."""
    return scores.flatten(2).softmax(-1).view(scores.shape)


def _largest(numbers: Tensor) -> list[int]:
    numbers = numbers.nan_to_num()
    return (numbers == numbers.max()).nonzero()[0].tolist()


def _hidden_seen(result: Tensor, scores: Tensor, allowed: Tensor) -> str | None:
    if result.shape != scores.shape:
        return None
    leak = result.abs() * ~allowed.unsqueeze(1)
    if not leak.nan_to_num().any():
        return None
    b, word, row, column = _largest(leak)
    return f"picture {b} may not be looked at in row {row}, column {column}, yet word {word} gives that place weight"


def _sums(result: Tensor, scores: Tensor, allowed: Tensor) -> str | None:
    if result.shape != scores.shape:
        return None
    sums = result.sum((2, 3)) - allowed.any(2).any(1).float().unsqueeze(1)
    if not sums.isfinite().all() or sums.abs().max() < 1e-3:
        return None
    b, word = _largest(sums.abs())
    return f"the weights of word {word} of picture {b} sum to {result[b, word].sum().item():.3g} over the whole grid"


BLIND_SPOT = Exercise(
    name="13.blind_spot",
    title="A part of the picture that may not be looked at",
    statement="""Return the weights [batch, words, rows, columns] of every word of every caption.

A word looks at the whole grid at once: its weights sum to 1 over **all** places that may be looked at, rows and columns
together. A hidden place gets 0. Where all of a picture is hidden, all its weights are 0.

scores [batch, words, rows, columns]; allowed [batch, rows, columns], boolean, True = may be looked at.""",
    axes="[batch, words, rows, columns]",
    stub="""def blind_spot(scores, allowed):
    ...
""",
    hints=(
        "A grid is a row of keys that is written in several lines. Which axes have to become one before the softmax?",
        "`scores.flatten(2)` is [batch, words, places]. The mask is one for all words: `allowed.flatten(1)`"
        " needs an axis for them.",
        "Put a very low number, such as -1e30, where nothing may be seen, take the softmax of the last axis, multiply "
        "by the mask for pictures that are hidden altogether, and give rows and columns back with `.view`.",
    ),
    solution=blind_spot,
    spec=specs.blind_spot,
    inputs=lambda: [_look(2, 3, 5, 3), _look(3, 2, 3, 7)],
    edges=lambda: [_look(1, 2, 2, 3, 1.0), _look(2, 1, 1, 5), _one_dark(2, 3, 3, 2)],
    diagnoses=(_hidden_seen, _sums),
    mistakes=(
        Mistake(
            "the softmax goes over columns only, so every row of the grid gets a weight of 1: a word has one look for "
            "the whole grid; make rows and columns one axis first",
            lambda scores, allowed: _shown(scores, allowed).softmax(-1) * allowed.unsqueeze(1),
        ),
        Mistake(
            "the softmax goes over rows only, so every column of the grid gets a weight of 1: make rows and columns "
            "one axis first",
            lambda scores, allowed: _shown(scores, allowed).softmax(-2) * allowed.unsqueeze(1),
        ),
        Mistake(
            "one softmax over rows and then one over columns is not one over both",
            lambda scores, allowed: _shown(scores, allowed).softmax(-2).softmax(-1) * allowed.unsqueeze(1),
        ),
        Mistake(
            "a softmax over rows times one over columns is not one over both: make them one axis",
            lambda scores, allowed: (
                _shown(scores, allowed).softmax(-2) * _shown(scores, allowed).softmax(-1) * allowed.unsqueeze(1)
            ),
        ),
        Mistake(
            "the mask came after the softmax: what lay on the blind spot is lost, and the rest sums to less than 1",
            lambda scores, allowed: _softmax(scores) * allowed.unsqueeze(1),
        ),
        Mistake(
            "nothing is hidden: `allowed` was not used",
            lambda scores, allowed: _softmax(scores),
        ),
        Mistake(
            "where all of a picture is hidden, your weights are NaN: a sum of nothing is 0, and 0 was divided by it; "
            "there all weights are to be 0",
            lambda scores, allowed: _softmax(scores.masked_fill(~allowed.unsqueeze(1), -torch.inf)),
        ),
        Mistake(
            "where all of a picture is hidden, its places share the weight evenly: there all weights are to be 0, so "
            "multiply by the mask in the end",
            lambda scores, allowed: _softmax(_shown(scores, allowed)),
        ),
        Mistake(
            "seen and hidden are exchanged: True means may be looked at",
            lambda scores, allowed: blind_spot(scores, ~allowed),
        ),
        Mistake(
            "the scores of hidden places were set to 0: exp(0) is 1, so they still get weight; use a very low number",
            lambda scores, allowed: _softmax(scores * allowed.unsqueeze(1)),
        ),
        Mistake(
            "the scores of hidden places were set to 0 and their weights taken away afterwards: the rest sums to less "
            "than 1, since exp(0) took its share",
            lambda scores, allowed: _softmax(scores * allowed.unsqueeze(1)) * allowed.unsqueeze(1),
        ),
        Mistake(
            "the softmax goes over the words: places would share themselves among words; each word shares itself among "
            "places",
            lambda scores, allowed: scores.softmax(1) * allowed.unsqueeze(1),
        ),
        Mistake(
            "the softmax goes over words and places together: every word has a 1 of its own to give away",
            lambda scores, allowed: (
                _shown(scores, allowed).flatten(1).softmax(-1).view(scores.shape) * allowed.unsqueeze(1)
            ),
        ),
        Mistake(
            "the blind spot of the first picture was used for all: each has its own",
            lambda scores, allowed: blind_spot(scores, allowed[:1].expand_as(allowed)),
        ),
        Mistake(
            "the mask was flipped from left to right",
            lambda scores, allowed: blind_spot(scores, allowed.flip(2)),
        ),
        Mistake(
            "the mask was flipped upside down: row 0 is the top",
            lambda scores, allowed: blind_spot(scores, allowed.flip(1)),
        ),
        Mistake(
            "places stand in one axis: give the rows and columns of the grid back, `.view(scores.shape)`",
            lambda scores, allowed: blind_spot(scores, allowed).flatten(2),
        ),
        Mistake(
            "rows and columns are exchanged in the result: expected [batch, words, rows, columns]",
            lambda scores, allowed: blind_spot(scores, allowed).mT,
        ),
        Mistake(
            "these are scores: the softmax is missing",
            lambda scores, allowed: scores * allowed.unsqueeze(1),
        ),
        Mistake(
            "even weights over what may be seen: the scores were not used",
            lambda scores, allowed: blind_spot(torch.zeros_like(scores), allowed),
        ),
        Mistake(
            "the scores were divided by their sum: the softmax takes their exponentials first",
            lambda scores, allowed: (
                scores * allowed.unsqueeze(1) / (scores * allowed.unsqueeze(1)).sum((2, 3), keepdim=True)
            ),
        ),
    ),
)
