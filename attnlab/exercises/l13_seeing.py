"""Exercises of lesson 13: a blind spot, a map dragged to another place, and how often each place was looked at."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.vision import captioner as specs


def _chance(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# 13.blind_spot -------------------------------------------------------------------------------------------------------


def blind_spot(scores: Tensor, allowed: Tensor) -> Tensor:
    """The solution."""
    seen = allowed.unsqueeze(1).expand_as(scores).flatten(2)
    weights = scores.flatten(2).masked_fill(~seen, -1e30).softmax(-1) * seen
    return weights.unflatten(2, scores.shape[2:])


def _look(batch: int, words: int, rows: int, columns: int, hidden: float = 0.3) -> tuple:
    chance = _chance(1000 * rows + columns)
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


# 13.drag -------------------------------------------------------------------------------------------------------------


def drag(weights: Tensor, down: int, right: int) -> Tensor:
    """The solution."""
    rows, columns = weights.shape
    row, column = (torch.arange(size, device=weights.device) for size in (rows, columns))
    row, column = row - down, column - right
    stays = ((row >= 0) & (row < rows)).unsqueeze(1) & (column >= 0) & (column < columns)
    moved = weights.roll((down, right), (0, 1)) * stays
    return moved * weights.sum() / moved.sum()


def _map(rows: int, columns: int, down: int, right: int) -> tuple:
    weights = (2 * torch.randn(rows * columns, generator=_chance(rows + 10 * columns))).softmax(0)
    share = 0.5 if rows == 5 else 1  # of a map that has been dragged before, say
    return share * weights.view(rows, columns), down, right


def _cut_off(weights: Tensor, down: int, right: int) -> Tensor:
    """Moved, and nothing made up for."""
    found = drag(weights, down, right)
    return found * weights.roll((down, right), (0, 1)).where(found > 0, 0).sum() / found.sum()


def _from_the_end(weights: Tensor, down: int, right: int) -> Tensor:
    """Asked is only whether there is such a row below and such a column to the right."""
    moved = torch.zeros_like(weights)
    for row in range(moved.shape[0]):
        for column in range(moved.shape[1]):
            if row - down < moved.shape[0] and column - right < moved.shape[1]:
                moved[row, column] = weights[row - down, column - right]
    return moved * weights.sum() / moved.sum()


def _even(weights: Tensor, down: int, right: int) -> Tensor:
    """What was lost is handed out to all places alike."""
    moved = _cut_off(weights, down, right)
    return moved + (weights.sum() - moved.sum()) / moved.numel()


def _stopped(weights: Tensor, down: int, right: int) -> Tensor:
    """What would leave stays at the edge."""
    rows, columns = weights.shape
    moved = torch.zeros_like(weights)
    row = (torch.arange(rows) + down).clamp(0, rows - 1).unsqueeze(1).expand_as(weights)
    column = (torch.arange(columns) + right).clamp(0, columns - 1).expand_as(weights)
    return moved.index_put((row, column), weights, accumulate=True)


DRAG = Exercise(
    name="13.drag",
    title="A map dragged to another place",
    statement="""Return the map of a word, moved as a whole: `down` rows down and `right` columns to the right.

Both may be negative: then it moves up or to the left. What would leave the grid is lost and does not come back in on
the other side. What is left is scaled so that it sums to what the map summed to before: it is to be a map of weights
again, which the decoder can use.

weights [rows, columns]; down, right: whole numbers. Something always stays on the grid.""",
    axes="[rows, columns]",
    stub="""def drag(weights, down, right):
    ...
""",
    hints=(
        "Three steps: move, drop what has left, scale. Which of them does `torch.roll` do, and which does it spoil?",
        "The number at [row, column] comes from [row - down, column - right], if there is such a place; else it is 0.",
        "Copy a slice into zeros. With down = 2, `moved[2:]` is `weights[: rows - 2]`; with down = -2 it is the other "
        "way round, and `max` and `min` with 0 write both in one line. Then scale: the sum must stay what it was.",
    ),
    solution=drag,
    spec=specs.dragged,
    inputs=lambda: [_map(5, 7, 1, 2), _map(5, 3, -2, 1)],
    edges=lambda: [_map(3, 5, 0, -4), _map(7, 2, 0, 0), _map(3, 3, 2, -2)],
    mistakes=(
        Mistake(
            "what leaves the grid comes back in on the other side: a picture has edges; `roll` is for a ring",
            lambda weights, down, right: weights.roll((down, right), (0, 1)),
        ),
        Mistake(
            "what is left sums to less than before: part of the weight has left the grid, so scale the rest",
            _cut_off,
        ),
        Mistake(
            "what is left was scaled to 1: scale it to what the map summed to before, which need not be 1",
            lambda weights, down, right: drag(weights / weights.sum(), down, right),
        ),
        Mistake(
            "the missing weight was handed out to all places alike: scale what is there, and empty places stay empty",
            _even,
        ),
        Mistake(
            "a softmax instead of a scale: these are weights, not scores; places without weight must keep 0",
            lambda weights, down, right: _cut_off(weights, down, right).flatten().softmax(0).view(weights.shape),
        ),
        Mistake(
            "up and down are exchanged, and left and right: the number at [row, column] comes from [row - down, "
            "column - right]",
            lambda weights, down, right: drag(weights, -down, -right),
        ),
        Mistake(
            "up and down are exchanged: row 0 is the top, so down means a larger row",
            lambda weights, down, right: drag(weights, -down, right),
        ),
        Mistake(
            "left and right are exchanged: right means a larger column",
            lambda weights, down, right: drag(weights, down, -right),
        ),
        Mistake(
            "some places come back in on the other side: an index below 0 counts from the end, so ask whether `row - "
            "down` and `column - right` are at least 0, too",
            _from_the_end,
        ),
        Mistake(
            "rows and columns are exchanged: `down` changes the row, `right` the column",
            lambda weights, down, right: drag(weights, right, down),
        ),
        Mistake(
            "rows and columns are exchanged, and what leaves the grid comes back in: `down` changes the row, `right` "
            "the column, and `roll` is for a ring",
            lambda weights, down, right: weights.roll((right, down), (0, 1)),
        ),
        Mistake(
            "only the rows move: `right` was not used",
            lambda weights, down, right: drag(weights, down, 0),
        ),
        Mistake(
            "only the columns move: `down` was not used",
            lambda weights, down, right: drag(weights, 0, right),
        ),
        Mistake(
            "what would leave piles up at the edge: it is to be lost",
            _stopped,
        ),
        Mistake(
            "what has left was cut off before the map moved, on the wrong side: the map is where it was",
            lambda weights, down, right: weights * (drag(weights, down, right) > 0),
        ),
        Mistake(
            "nothing moves: this is the map as it was",
            lambda weights, down, right: weights.clone(),
        ),
        Mistake(
            "each row is scaled for itself: one scale for the whole map, which is one look",
            lambda weights, down, right: (
                _cut_off(weights, down, right)
                * (weights.sum(1, keepdim=True) / _cut_off(weights, down, right).sum(1, keepdim=True).clamp(min=1e-9))
            ),
        ),
        Mistake(
            "the largest number is 1: the map is to sum to what it summed to before",
            lambda weights, down, right: _cut_off(weights, down, right) / _cut_off(weights, down, right).max(),
        ),
    ),
)


# 13.coverage ---------------------------------------------------------------------------------------------------------


def coverage(weights: Tensor, lengths: Tensor, total: float) -> Tensor:
    """The solution."""
    words = torch.arange(weights.shape[1], device=weights.device) < lengths.unsqueeze(1)
    received = (weights * words.unsqueeze(2)).sum(1)  # [batch, places]
    return (total - received).square().sum(1)


def coverage_spec(weights: Tensor, lengths: Tensor, total: float) -> Tensor:
    """The same in loops."""
    return torch.stack([specs.doubly_stochastic(weights[i], int(lengths[i]), total) for i in range(len(weights))])


def _captions(words: int, places: int, total: float, *lengths: int) -> tuple:
    chance = torch.Generator().manual_seed(words + 10 * places)
    return (2 * torch.randn(len(lengths), words, places, generator=chance)).softmax(-1), torch.tensor(lengths), total


def _kept(weights: Tensor, lengths: Tensor) -> Tensor:
    """Weights of padding are 0."""
    return weights * (torch.arange(weights.shape[1]) < lengths.unsqueeze(1)).unsqueeze(2)


COVERAGE = Exercise(
    name="13.coverage",
    title="How unevenly the places were looked at",
    statement="""Return the penalty of Xu et al. (2015, equation 14), one number for each caption.

Every word hands out weights that sum to 1. The penalty asks about the **other** sum: how much weight has each place
been given by all words of its caption together? How far is that from `total`? Square the distance, and add up over the
places. Caption b has `lengths[b]` words; what stands behind them is padding and counts for nothing.

weights [batch, words, places], rows sum to 1; lengths [batch]; total: the weight that each place should get.""",
    axes="[batch]",
    stub="""def coverage(weights, lengths, total):
    ...
""",
    hints=(
        "Which of the two sums is 1 whatever the model does? A penalty on that one would teach nothing.",
        "`torch.arange(words) < lengths.unsqueeze(1)` is True for words, [batch, words]. Weights of padding times 0, "
        "then the sum over the words: [batch, places], how much each place was looked at.",
        "`(total - received) ** 2`, and the sum of that over the last axis.",
    ),
    solution=coverage,
    spec=coverage_spec,
    inputs=lambda: [_captions(5, 7, 1.5, 3, 5, 2), _captions(3, 4, 0.5, 2, 3)],
    edges=lambda: [_captions(1, 5, 0.25, 1), _captions(7, 1, 7.0, 4, 7)],
    mistakes=(
        Mistake(
            "the sum goes over the places: for each word that is 1 anyway, whatever it looks at, so nothing is learned "
            "from it; sum over the words",
            lambda weights, lengths, total: (total - _kept(weights, lengths).sum(2)).square().sum(1),
        ),
        Mistake(
            "the sum goes over the places, of padding too: for each word that is 1 anyway; sum over the words that "
            "count",
            lambda weights, lengths, total: (total - weights.sum(2)).square().sum(1),
        ),
        Mistake(
            "the sum goes over the places, and each word is compared with `total`: a word always gives 1 in all; sum "
            "over the words, and compare each place",
            lambda weights, lengths, total: (
                (total - weights.sum(2)).square() * (torch.arange(weights.shape[1]) < lengths.unsqueeze(1))
            ).sum(1),
        ),
        Mistake(
            "words and padding are exchanged: the words are those with place < length",
            lambda weights, lengths, total: (total - (weights - _kept(weights, lengths)).sum(1)).square().sum(1),
        ),
        Mistake(
            "the square came before the sum over words, for words alone: first add up what a place was given, then "
            "compare",
            lambda weights, lengths, total: _kept((total - weights).square(), lengths).sum((1, 2)),
        ),
        Mistake(
            "padding was counted: caption b has only `lengths[b]` words",
            lambda weights, lengths, total: (total - weights.sum(1)).square().sum(1),
        ),
        Mistake(
            "the square came before the sum over words: first add up what a place was given, then compare",
            lambda weights, lengths, total: (total - _kept(weights, lengths)).square().sum((1, 2)),
        ),
        Mistake(
            "the square is missing: places with too much and places with too little cancel each other",
            lambda weights, lengths, total: (total - _kept(weights, lengths).sum(1)).sum(1),
        ),
        Mistake(
            "the absolute value in place of the square",
            lambda weights, lengths, total: (total - _kept(weights, lengths).sum(1)).abs().sum(1),
        ),
        Mistake(
            "the mean over places in place of the sum",
            lambda weights, lengths, total: coverage(weights, lengths, total) / weights.shape[2],
        ),
        Mistake(
            "the mean over words in place of their sum: a place is to get `total` from all words together",
            lambda weights, lengths, total: (
                (total - _kept(weights, lengths).sum(1) / lengths.unsqueeze(1)).square().sum(1)
            ),
        ),
        Mistake(
            "the root was taken in the end: the penalty is the sum of squares itself",
            lambda weights, lengths, total: coverage(weights, lengths, total).sqrt(),
        ),
        Mistake(
            "squared after adding up over places: square the distance of each place",
            lambda weights, lengths, total: (total - _kept(weights, lengths).sum(1)).sum(1).square(),
        ),
        Mistake(
            "1 was expected of each place: here it is `total`",
            lambda weights, lengths, total: coverage(weights, lengths, 1.0),
        ),
        Mistake(
            "the most that any word gave stands in place of what all gave together",
            lambda weights, lengths, total: (total - _kept(weights, lengths).amax(1)).square().sum(1),
        ),
        Mistake(
            "the sign: a penalty is large where the model errs, this one falls there",
            lambda weights, lengths, total: -coverage(weights, lengths, total),
        ),
        Mistake(
            "one word too many: words are those with place < length, not <=",
            lambda weights, lengths, total: coverage(weights, lengths + 1, total),
        ),
        Mistake(
            "the first caption's length was used for all",
            lambda weights, lengths, total: coverage(weights, lengths[:1].expand_as(lengths), total),
        ),
        Mistake(
            "these are the places one by one: add them up",
            lambda weights, lengths, total: (total - _kept(weights, lengths).sum(1)).square(),
        ),
        Mistake(
            "the captions were added up too: one number for each",
            lambda weights, lengths, total: coverage(weights, lengths, total).sum(),
        ),
        Mistake(
            "the captions were averaged: one number for each",
            lambda weights, lengths, total: coverage(weights, lengths, total).mean(),
        ),
    ),
)

EXERCISES = (BLIND_SPOT, DRAG, COVERAGE)
