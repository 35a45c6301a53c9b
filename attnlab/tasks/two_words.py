"""Sentences of two words whose chances are known, so that a search for the likeliest can be followed with a pencil."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.checks import Share, checked
from attnlab.decoding import Writer
from attnlab.tasks.base import BOS, EOS, SPECIAL, Example, Task

AFTER = {"A": {"x": 0.35, "y": 0.33, "z": 0.32}, "B": {"x": 0.9, "y": 0.05, "z": 0.05}}
"""First word -> second word -> its chance."""


@checked
class TwoWords(Task):
    """One source, a question mark, and sentences of two words: A or B, then x, y or z."""

    name = "two words"
    joint = " "
    source_vocabulary = [*SPECIAL, "?"]  # as in every task; nobody writes into it
    target_vocabulary = [*SPECIAL, *AFTER, "x", "y", "z"]
    test = (Example("?", "B x"),)

    def target_tokens(self, text: str) -> list[str]:
        return text.split()


@checked
class KnownChances(Writer):
    """Writes a sentence of `TwoWords`, and knows no more of it than how likely each word is after the one before.

    first: the chance that it begins with A; the rest is B's.
    """

    def __init__(self, first: Share) -> None:
        ids = {word: id for id, word in enumerate(TwoWords.target_vocabulary)}
        chances = torch.zeros(len(ids), len(ids))
        chances[BOS, ids["A"]], chances[BOS, ids["B"]] = first, 1 - first
        for word, following in AFTER.items():
            for after, chance in following.items():
                chances[ids[word], ids[after]] = chance
        chances[chances.sum(1) == 0, EOS] = 1.0  # after the second word
        self.logits = chances.log()

    def encode(self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]) -> Tensor:
        """The source itself: nothing is made of it."""
        return source

    def start(self, memory: Tensor) -> None:
        """No state."""

    def step(
        self, previous: Int[Tensor, " batch"], state: None, memory: Tensor, weights: Tensor | None = None
    ) -> tuple[Float[Tensor, "batch vocabulary"], None, None]:
        """The logarithms of the chances of the next word; minus infinity where there is none."""
        return self.logits[previous], None, None
