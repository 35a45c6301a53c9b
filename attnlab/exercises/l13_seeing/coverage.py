"""Exercise 13.coverage: how unevenly the places were looked at."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.vision import captioner as specs


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
