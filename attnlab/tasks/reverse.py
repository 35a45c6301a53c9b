"""Digits written backwards: ``31415`` to ``51413``. All that a model must do is to remember, or to look back."""

from attnlab.checks import checked
from attnlab.tasks.base import Example
from attnlab.tasks.strings import Strings


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
