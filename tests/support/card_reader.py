"""The model of lesson 03 and its cards, for the tests of the explorers that show it."""

from functools import cache
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attnlab import SCORES, attend, fit
from attnlab.analysis import right_answers

STEPS = range(0, 201, 10)


class Examples(NamedTuple):
    letters: torch.Tensor
    digits: torch.Tensor
    right: torch.Tensor


class CardReader(nn.Module):
    """Narrower than in the lesson."""

    def __init__(self, score, dim=17):
        super().__init__()
        self.letter, self.digit, self.place = nn.Embedding(5, dim), nn.Embedding(10, dim), nn.Embedding(5, dim)
        self.question = nn.Parameter(torch.randn(2, 5, dim))
        self.answer = nn.Linear(dim, 10)
        self.score = score(dim, dim, dim)

    def forward(self, letters, digits, **look):
        key = (self.letter(letters) + self.digit(digits) + self.place.weight).unsqueeze(1)
        seen = attend(self.question, key, key, self.score, **look)
        return self.answer(seen.context), seen


def deal(batch, seed):
    """Rows of cards; the same seed deals the same ones."""
    generator = torch.Generator().manual_seed(seed)
    letters = torch.rand(batch, 5, generator=generator).argsort(1)
    places = torch.arange(5).expand(batch, 5)
    digits = torch.randint(10, (batch, 5), generator=generator)
    return Examples(letters, digits, torch.stack([places, letters.argsort(1)], 1))


@cache
def fresh(name):
    """A model with the score of that name that has learned nothing."""
    torch.manual_seed(0)
    return CardReader(SCORES[name])


@cache
def trained():
    """A model that knows where to look."""
    torch.manual_seed(0)
    model = CardReader(SCORES["general"])

    def loss(generator):
        cards = deal(32, int(torch.randint(10**6, (), generator=generator)))
        answers, _ = model(cards.letters, cards.digits)
        return cross_entropy(answers.flatten(0, 2), right_answers(cards.digits, cards.right).flatten())

    for _ in fit(model, loss, steps=120, rate=3e-2):
        pass
    return model
