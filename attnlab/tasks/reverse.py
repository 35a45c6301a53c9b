"""Digits written backwards: ``31415`` to ``51413``. All that a model must do is to remember, or to look back."""
import random
from functools import cached_property

from attnlab.tasks.base import SPECIAL, Example, Task, quoted

DIGITS = "0123456789"


def alignment(example: Example) -> list[frozenset[int]]:
    """For each target digit the one source position it comes from."""
    return [frozenset({position}) for position in reversed(range(len(example.source)))]


class Reverse(Task):
    """Random digits of ``shortest`` to ``longest`` places, every length equally often, to the same digits backwards.

    No string of the test occurs in training.
    """

    name = "reverse"

    def __init__(self, seed: int = 0, shortest: int = 4, longest: int = 12, pairs: int = 20_000,
                 tests_per_length: int = 40):
        if not 4 <= shortest <= longest:
            raise ValueError(f"expected 4 <= shortest <= longest, so that digits can be held out; "
                             f"got shortest {shortest} and longest {longest}")
        self.seed, self.shortest, self.longest = seed, shortest, longest
        self.size, self.tests_per_length = pairs, tests_per_length
        self.source_vocabulary = self.target_vocabulary = [*SPECIAL, *DIGITS]

    @cached_property
    def test(self) -> list[Example]:
        """Held-out strings, the same number of each length, all different."""
        chance = random.Random(self.seed)
        held_out = {}
        for length in range(self.shortest, self.longest + 1):
            while len(held_out) < self.tests_per_length * (length - self.shortest + 1):
                held_out[_digits(chance, length)] = None
        return [Example(source, source[::-1]) for source in held_out]

    def pairs(self) -> list[tuple[str, str]]:
        chance = random.Random(self.seed + 1)
        held_out = {example.source for example in self.test}
        found = []
        while len(found) < self.size:
            length = self.shortest + int(chance.random() * (self.longest - self.shortest + 1))
            source = _digits(chance, length)
            if source not in held_out:
                found.append((source, source[::-1]))
        return found

    def normalise(self, text: str) -> str:
        return super().normalise(text).replace(" ", "")

    def alignment(self, example: Example) -> list[frozenset[int]]:
        """See ``attnlab.tasks.reverse.alignment``."""
        return alignment(example)

    @property
    def examples(self) -> str:
        return f"{self.shortest} to {self.longest} digits, such as {quoted('314159'[:self.longest])}"


def _digits(chance: random.Random, length: int) -> str:
    return "".join(DIGITS[int(chance.random() * 10)] for _ in range(length))
