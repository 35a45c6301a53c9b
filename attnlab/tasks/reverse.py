"""Digits written backwards: ``31415`` to ``51413``. All that a model must do is to remember, or to look back."""

import torch
from torch import Generator

from attnlab.checks import Size, checked
from attnlab.tasks.base import BOS, EOS, SPECIAL, Batch, Example
from attnlab.tasks.strings import DIGITS, Strings


@checked
def alignment(example: Example) -> list[frozenset[int]]:
    """For each target digit the one source position it comes from."""
    return [frozenset({position}) for position in reversed(range(len(example.source)))]


@checked
class Reverse(Strings):
    """Random digits of ``shortest`` to ``longest`` places, every length equally often, to the same digits backwards.

    No string of the test occurs in training. See ``Strings`` for other symbols.
    """

    name = "reverse"

    def rewrite(self, source: str) -> str:
        return source[::-1]

    def alignment(self, example: Example) -> list[frozenset[int]]:
        """See ``attnlab.tasks.reverse.alignment``."""
        return alignment(example)


@checked
def same_length(size: Size, generator: Generator, longest: Size = 12) -> Batch:
    """`size` fresh strings of digits, to be written backwards, all of one length from 1 to `longest`: no padding.

    The ids are those of ``Reverse``. Strings of its test may be among them, the shorter the more often.
    """
    length = int(torch.randint(1, longest + 1, (), generator=generator))
    source = torch.randint(len(SPECIAL), len(SPECIAL) + len(DIGITS), (size, length), generator=generator)
    begin, end = torch.full((size, 1), BOS), torch.full((size, 1), EOS)
    return Batch(source, torch.full((size,), length), torch.cat([begin, source.flip(1), end], dim=1))
