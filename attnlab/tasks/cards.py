"""Five cards in a row, each with a letter and a digit: what is on the third card, and what is on card c?

A question by place is answered by where a card lies, whatever is on it; one by letter by what is on it, wherever it
lies. So a score that sees only one of the two is found out.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.attention import Attention, attend
from attnlab.checks import Size, checked

CARDS, DIGITS = 5, 10


class Cards(NamedTuple):
    """letters, digits: from 0, in the order in which the cards lie; no letter lies twice. right: where the card lies
    that each question asks for, first the five by place, then the five by letter."""

    letters: Int64[Tensor, "batch 5"]
    digits: Int64[Tensor, "batch 5"]
    right: Int64[Tensor, "batch 2 5"]


@checked
def deal(size: Size, generator: Generator) -> Cards:
    """`size` fresh rows of cards."""
    letters = torch.rand(size, CARDS, generator=generator).argsort(dim=1)
    digits = torch.randint(DIGITS, (size, CARDS), generator=generator)
    places = torch.arange(CARDS).expand(size, CARDS)
    return Cards(letters, digits, torch.stack([places, letters.argsort(dim=1)], dim=1))


@checked
class CardReader(nn.Module):
    """The smallest model that has to find a card: all that it decides is where to look.

    score(dim, dim, dim) makes the module that compares questions with cards, as in `attnlab.SCORES`. A card's key, and
    its value too, is the sum of three vectors: of its letter, its digit and its place. Each question is a vector.
    """

    def __init__(self, score: Callable[[int, int, int], Callable[[Tensor, Tensor], Tensor]], dim: Size = 32) -> None:
        super().__init__()
        self.letter, self.digit = nn.Embedding(CARDS, dim), nn.Embedding(DIGITS, dim)
        self.place, self.question = nn.Embedding(CARDS, dim), nn.Parameter(torch.randn(2, CARDS, dim))
        self.answer = nn.Linear(dim, DIGITS)
        self.score = score(dim, dim, dim)

    def forward(
        self, letters: Int64[Tensor, "batch 5"], digits: Int64[Tensor, "batch 5"], **look: Any
    ) -> tuple[Float[Tensor, "batch 2 5 10"], Attention]:
        """Logits of the digit that answers each question, and where was looked for it. look: as for `attend`."""
        key = self.letter(letters) + self.digit(digits) + self.place.weight
        key = key.unsqueeze(1)  # the same cards for both kinds of question
        seen = attend(self.question, key, key, self.score, **look)
        return self.answer(seen.context), seen


@checked
def answers_of(cards: Cards) -> Int64[Tensor, "batch 2 5"]:
    """The digit that answers each question."""
    return cards.digits.unsqueeze(1).expand_as(cards.right).gather(2, cards.right)


@checked
def loss_at_cards(model: CardReader, cards: Cards) -> Float[Tensor, ""]:
    """The mean cross-entropy of all ten answers, in nats."""
    logits, _ = model(cards.letters, cards.digits)
    return cross_entropy(logits.flatten(0, 2), answers_of(cards).flatten())


@checked
@torch.no_grad()
def right_at_cards(model: CardReader, cards: Cards, **look: Any) -> Float[Tensor, " 2"]:
    """The share of right answers to questions by place and by letter. look: as for `attend`, such as `temperature`."""
    logits, _ = model(cards.letters, cards.digits, **look)
    return (logits.argmax(dim=-1) == answers_of(cards)).float().mean(dim=(0, 2))
