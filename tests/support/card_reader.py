"""Models of lesson 03, narrower than there, and their cards, for the tests of the explorers that show them."""

from functools import cache

import torch

from attnlab import SCORES, fit
from attnlab.tasks import cards
from attnlab.tasks.cards import CardReader, Cards, loss_at_cards

STEPS = range(0, 201, 10)


def deal(batch, seed) -> Cards:
    """Rows of cards; the same seed deals the same ones."""
    return cards.deal(batch, torch.Generator().manual_seed(seed))


@cache
def fresh(name):
    """A model with the score of that name that has learned nothing."""
    torch.manual_seed(0)
    return CardReader(SCORES[name], dim=17)


@cache
def trained():
    """A model that knows where to look."""
    torch.manual_seed(0)
    model = CardReader(SCORES["general"], dim=17)
    for _ in fit(model, lambda g: loss_at_cards(model, cards.deal(32, g)), steps=120, rate=3e-2):
        pass
    return model
