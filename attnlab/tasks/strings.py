"""Random strings and what a rule makes of them: what copying, reversing and sorting have in common."""

import random
from functools import cached_property

from attnlab.checks import Size, checked
from attnlab.tasks.base import SPECIAL, Example, Task, quoted

DIGITS = "0123456789"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@checked
class Strings(Task):
    """Random strings of ``shortest`` to ``longest`` symbols, every length equally often, to what ``rewrite`` makes of
    them. No string of the test occurs in training.

    symbols: ``DIGITS``, ``LETTERS`` or other characters without capitals, each once.
    Raises ValueError when the shortest strings are too few to hold ``tests_per_length`` of them out.
    A subclass gives ``rewrite`` and ``alignment``.
    """

    def __init__(
        self,
        seed: int = 0,
        shortest: int = 4,
        longest: int = 12,
        pairs: Size = 20_000,
        tests_per_length: Size = 40,
        symbols: str = DIGITS,
    ) -> None:
        if len(set(symbols)) < max(2, len(symbols)) or self.normalise(symbols) != symbols:
            raise ValueError(f"expected at least two different symbols without capitals, got {quoted(symbols)}")
        if not 1 <= shortest <= longest or len(symbols) ** shortest < 2 * tests_per_length:
            raise ValueError(
                f"expected 1 <= shortest <= longest, and strings of {len(symbols)} symbols long enough "
                f"that {tests_per_length} of a length are at most half of them; got shortest {shortest} "
                f"and longest {longest}"
            )
        self.seed, self.shortest, self.longest = seed, shortest, longest
        self.size, self.tests_per_length, self.symbols = pairs, tests_per_length, symbols
        self.source_vocabulary = self.target_vocabulary = [*SPECIAL, *symbols]

    def rewrite(self, source: str) -> str:
        """The target of a source string."""
        raise NotImplementedError

    def alignment(self, example: Example) -> list[frozenset[int]]:
        """For each target symbol the source positions that it may come from."""
        raise NotImplementedError

    @cached_property
    def test(self) -> list[Example]:
        """Held-out strings, the same number of each length, all different, short ones first."""
        chance = random.Random(self.seed)
        held_out = {}
        for length in range(self.shortest, self.longest + 1):
            while len(held_out) < self.tests_per_length * (length - self.shortest + 1):
                held_out[self._drawn(chance, length)] = None
        return [Example(source, self.rewrite(source)) for source in held_out]

    def pairs(self) -> list[tuple[str, str]]:
        chance = random.Random(self.seed + 1)
        held_out = {example.source for example in self.test}
        found = []
        while len(found) < self.size:
            length = self.shortest + int(chance.random() * (self.longest - self.shortest + 1))
            source = self._drawn(chance, length)
            if source not in held_out:
                found.append((source, self.rewrite(source)))
        return found

    def normalise(self, text: str) -> str:
        return super().normalise(text).replace(" ", "")

    @property
    def examples(self) -> str:
        if self.symbols == DIGITS:
            return f"{self.shortest} to {self.longest} digits, such as {quoted('314159'[: self.longest])}"
        return (
            f"{self.shortest} to {self.longest} of the symbols {quoted(self.symbols)}, such as "
            f"{quoted(self.test[-1].source)}"
        )

    def _drawn(self, chance: random.Random, length: int) -> str:
        return "".join(self.symbols[int(chance.random() * len(self.symbols))] for _ in range(length))
