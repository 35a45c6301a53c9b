"""Keys with values, in random order, to the values in the order of the keys: ``c4a7b1`` to ``714``.

The first value wanted is that of a, the second that of b: so a step knows which key it wants, and only the content of
the source says where that stands. Eight values in a known order can also be kept in mind, without looking.
"""

import random
from functools import cached_property
from itertools import product
from math import factorial

from jaxtyping import Int64
from torch import Tensor

from attnlab.checks import Size, checked
from attnlab.tasks.base import SPECIAL, Example, Task, quoted
from attnlab.tasks.strings import DIGITS, LETTERS


@checked
class Lookup(Task):
    """``keys`` letters from a on, each once and with a digit, to the digits in alphabetical order of the letters.

    A source token is a key together with its value, so that a matrix has one column for each key. No source of the
    test occurs in training.
    """

    name = "lookup"

    def __init__(self, seed: int = 0, keys: int = 8, pairs: Size = 20_000, tests: Size = 400) -> None:
        if not 3 <= keys <= len(LETTERS):
            raise ValueError(f"expected 3 to {len(LETTERS)} keys, got {keys}")
        if (all_sources := factorial(keys) * len(DIGITS) ** keys) < 2 * tests:
            raise ValueError(f"{keys} keys make {all_sources} sources: too few to hold {tests} of them out")
        self.seed, self.size, self.tests = seed, pairs, tests
        self.keys = LETTERS[:keys]
        self.source_vocabulary = [*SPECIAL, *(key + value for key, value in product(self.keys, DIGITS))]
        self.target_vocabulary = [*SPECIAL, *DIGITS]

    @cached_property
    def test(self) -> list[Example]:
        """Held-out sources, all different."""
        chance, held_out = random.Random(self.seed), {}
        while len(held_out) < self.tests:
            held_out[self._drawn(chance)] = None
        return [Example(source, self._answer(source)) for source in held_out]

    def pairs(self) -> list[tuple[str, str]]:
        chance, held_out, found = random.Random(self.seed + 1), {example.source for example in self.test}, []
        while len(found) < self.size:
            source = self._drawn(chance)
            if source not in held_out:
                found.append((source, self._answer(source)))
        return found

    def normalise(self, text: str) -> str:
        return super().normalise(text).replace(" ", "")

    def tokens(self, text: str) -> list[str]:
        text = self.normalise(text)
        return [text[i : i + 2] for i in range(0, len(text), 2)]

    def read(self, text: str) -> Int64[Tensor, " source"]:
        """Ids of typed keys and values. ValueError, with help, unless every key is there once."""
        ids = super().read(text)
        self._order(text)
        return ids

    def alignment(self, example: Example) -> list[frozenset[int]]:
        """For each target digit the one place of its key."""
        order = self._order(example.source)
        return [frozenset({order.index(key)}) for key in self.keys]

    def _order(self, text: str) -> list[str]:
        order = [token[0] for token in self.tokens(text)]
        if sorted(order) != list(self.keys):
            raise ValueError(
                f"{quoted(text)} does not hold each key from a to {self.keys[-1]} once; I know {self.examples}"
            )
        return order

    @property
    def examples(self) -> str:
        return f"the keys a to {self.keys[-1]} in any order, each with a digit, such as {quoted(self.test[0].source)}"

    def _unknown(self, text: str, unknown: list[str]) -> str:
        return f"{quoted(text)} holds {quoted(unknown[0])}, which is no key with a digit; I know {self.examples}"

    def _drawn(self, chance: random.Random) -> str:
        order = sorted(self.keys, key=lambda _: chance.random())
        return "".join(key + DIGITS[int(chance.random() * len(DIGITS))] for key in order)

    def _answer(self, source: str) -> str:
        return "".join(token[1] for token in sorted(self.tokens(source)))
