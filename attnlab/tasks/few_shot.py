"""Examples of a rule, then a question: the rule is another one in each sequence, so it must be read from the examples.

A model that gets better with each example is said to learn in context. Whether it infers the rule or does something
simpler is told by the baselines beside it: ``lookup`` and ``mirror``.
"""

import random
from functools import cached_property
from itertools import product
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Generator, Tensor

from attnlab.checks import Count, Size, checked
from attnlab.tasks.strings import LETTERS


class Shots(NamedTuple):
    """Questions and answers in turn: ``inputs`` and ``targets`` ``[batch, tokens]``, the target of a place being the
    next input. The answers are the targets of places 0, 2, 4, ...: the answer at place 2n comes after n examples."""

    inputs: Int64[Tensor, "batch tokens"]
    targets: Int64[Tensor, "batch tokens"]

    @property
    def answers(self) -> Int64[Tensor, "batch pairs"]:
        """The targets that count; the others are questions, which nobody can foresee."""
        return self.targets[:, ::2]


@checked
def accuracy(logits: Float[Tensor, "batch tokens vocabulary"], shots: Shots) -> Float[Tensor, " pairs"]:
    """The share of right answers after 0, 1, 2, ... examples."""
    return (logits[:, ::2].argmax(-1) == shots.answers).float().mean(0)


@checked
class LetterMapping:
    """A new mapping from ``keys`` letters to letters in each sequence: ``k v k v ...``, ``pairs`` of them.

    The keys are drawn with repetition. An answer that was already given can be looked up; a new one can only be
    guessed. Raises ValueError for numbers out of range.
    """

    name = "letter mapping"

    def __init__(self, keys: int = 6, pairs: int = 17) -> None:
        if not 1 <= keys <= len(LETTERS) or pairs < 1:
            raise ValueError(f"expected 1 to {len(LETTERS)} keys and at least 1 pair, got {keys} keys, {pairs} pairs")
        self.keys, self.pairs = keys, pairs
        self.vocabulary = list(LETTERS)

    def batch(self, size: Size, generator: Generator) -> Shots:
        """``size`` fresh sequences, each with its own mapping, on the generator's device."""
        letters, place = len(LETTERS), generator.device
        keys = _shuffled(size, letters, generator)[:, : self.keys]
        values = torch.randint(letters, (size, self.keys), generator=generator, device=place)
        asked = torch.randint(self.keys, (size, self.pairs), generator=generator, device=place)
        return _shots(keys.gather(1, asked), values.gather(1, asked))

    def lookup(self, examples: Count) -> float:
        """The accuracy after so many examples of who looks up keys already shown and guesses the others."""
        shown = 1 - (1 - 1 / self.keys) ** examples
        return shown + (1 - shown) / len(LETTERS)


@checked
class Votes:
    """Yes or no by a vote of ``bits`` voters: each counts for, against or not at all, and the first one breaks a tie.

    In each sequence another vote decides; the inputs (one token for all bits) come without repetition, so that no
    answer can be looked up. ``held_out`` of the functions are never in ``batch``, only in ``unseen``. With 4 bits there
    are 48 functions, with 3 bits 14.

    All of them are odd: the answer to the opposite input (every bit turned) is the opposite answer. Who knows only
    this is right more and more often without seeing through the vote: ``mirror``.

    seed: decides which functions are held out. Raises ValueError for numbers out of range.
    """

    name = "votes"

    def __init__(self, bits: int = 4, pairs: int = 12, held_out: int = 9, seed: int = 0) -> None:
        if not 2 <= bits <= 6 or not 1 <= pairs <= 2**bits:
            raise ValueError(
                f"expected 2 to 6 bits, and from 1 to 2^bits pairs, since no input comes twice; got "
                f"{bits} bits and {pairs} pairs"
            )
        self.bits, self.pairs, self.seed = bits, pairs, seed
        if not 1 <= held_out < len(self.functions):
            raise ValueError(
                f"expected to hold out 1 to {len(self.functions) - 1} of the {len(self.functions)} "
                f"functions of {bits} bits, got {held_out}"
            )
        self.held_out = held_out
        self.vocabulary = ["".join(map(str, voters)) for voters in product((0, 1), repeat=bits)] + ["no", "yes"]

    @cached_property
    def functions(self) -> Bool[Tensor, "functions inputs"]:
        """The answers of each function to each input; row by row another one, all that there are."""
        inputs = list(product((-1, 1), repeat=self.bits))
        found = {
            tuple(_vote(weights, voters) for voters in inputs) for weights in product((-1, 0, 1), repeat=self.bits)
        }
        return torch.tensor(sorted(found))

    @cached_property
    def split(self) -> tuple[Bool[Tensor, "training inputs"], Bool[Tensor, "unseen inputs"]]:
        """The functions of training and those held out."""
        chance = random.Random(self.seed)
        order = sorted(range(len(self.functions)), key=lambda _: chance.random())
        return self.functions[sorted(order[self.held_out :])], self.functions[sorted(order[: self.held_out])]

    def batch(self, size: Size, generator: Generator) -> Shots:
        """``size`` fresh sequences with functions of the training, on the generator's device."""
        return self._drawn(self.split[0], size, generator)

    def unseen(self, size: Size, generator: Generator) -> Shots:
        """``size`` fresh sequences with held-out functions, on the generator's device."""
        return self._drawn(self.split[1], size, generator)

    def lookup(self, examples: Count) -> float:
        """The accuracy of who looks up inputs already shown: one half, since none comes twice."""
        return 0.5

    def mirror(self, examples: Count) -> float:
        """The accuracy after so many examples of who turns the answer of the opposite input, if shown, or else guesses.

        Raises ValueError when there are no inputs left to ask.
        """
        others = 2**self.bits - 1
        if not 0 <= examples <= others:
            raise ValueError(f"expected 0 to {others} examples, got {examples}")
        return 0.5 + 0.5 * examples / others

    def _drawn(self, functions: Tensor, size: Size, generator: Generator) -> Shots:
        inputs = _shuffled(size, 2**self.bits, generator)[:, : self.pairs]
        functions = functions.to(generator.device)
        chosen = torch.randint(len(functions), (size,), generator=generator, device=generator.device)
        answers = functions[chosen].gather(1, inputs)
        return _shots(inputs, answers + 2**self.bits)


def _vote(weights: tuple[int, ...], voters: tuple[int, ...]) -> bool:
    total = sum(weight * voter for weight, voter in zip(weights, voters, strict=True))
    return total > 0 or (total == 0 and voters[0] > 0)


def _shuffled(size: Size, count: int, generator: Generator) -> Tensor:
    """``size`` rows with the numbers below ``count`` in random order."""
    return torch.rand(size, count, generator=generator, device=generator.device).argsort(dim=1, stable=True)


def _shots(questions: Tensor, answers: Tensor) -> Shots:
    tokens = torch.stack([questions, answers], dim=2).flatten(1)
    return Shots(tokens[:, :-1], tokens[:, 1:])
