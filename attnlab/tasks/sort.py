"""Digits in order: ``31415`` to ``11345``. The content says where to look: for the smallest one not yet written."""

from attnlab.checks import checked
from attnlab.tasks.base import Example
from attnlab.tasks.strings import Strings


@checked
class Sort(Strings):
    """Random digits of ``shortest`` to ``longest`` places, every length equally often, to the same digits in order.

    No string of the test occurs in training; one of the same digits in another order may. See ``Strings`` for other
    symbols.
    """

    name = "sort"

    def rewrite(self, source: str) -> str:
        return "".join(sorted(source))

    def alignment(self, example: Example) -> list[frozenset[int]]:
        """For each target digit the source positions that hold this digit: equal ones cannot be told apart."""
        return [
            frozenset(place for place, symbol in enumerate(example.source) if symbol == wanted)
            for wanted in example.target
        ]
