"""Digits written again: ``31415`` to ``31415``. The place says where to look, the content does not matter."""

from attnlab.checks import checked
from attnlab.tasks.base import Example
from attnlab.tasks.strings import Strings


@checked
class Copy(Strings):
    """Random digits of ``shortest`` to ``longest`` places, every length equally often, to the same digits.

    No string of the test occurs in training. See ``Strings`` for other symbols.
    """

    name = "copy"

    def rewrite(self, source: str) -> str:
        return source

    def alignment(self, example: Example) -> list[frozenset[int]]:
        """For each target digit the one source position it comes from: its own."""
        return [frozenset({position}) for position in range(len(example.source))]
