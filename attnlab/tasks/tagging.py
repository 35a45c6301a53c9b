"""At every place one letter of the same sequence is to be named: two to the left, the mirrored one, the last four.

The letters are random, so all depends on looking at the right place, and which one that is is known.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy

from attnlab.checks import Count, Size, check_ids, checked
from attnlab.tasks.strings import LETTERS

NO_TARGET = -100  # what torch's cross_entropy leaves out unless told otherwise


class Tagged(NamedTuple):
    """inputs ``[batch, tokens]`` and targets ``[batch, tokens]``, or ``[batch, tokens, wanted]`` where several letters
    are to be named at once; ``NO_TARGET`` where the wanted letter would stand outside of the sequence."""

    inputs: Int64[Tensor, "batch tokens"]
    targets: Int64[Tensor, "batch tokens *wanted"]


@checked
class Tagging:
    """Random letters of ``symbols`` kinds. A subclass says with ``places`` which letter is wanted where.

    Sequences are drawn afresh for every batch, so one of 8 letters or more hardly ever comes twice (16^8 exist).
    Raises ValueError unless 2 <= symbols <= 26.
    """

    name: str

    def __init__(self, symbols: int = 16) -> None:
        if not 2 <= symbols <= len(LETTERS):
            raise ValueError(f"expected 2 to {len(LETTERS)} symbols, got {symbols}")
        self.symbols = symbols
        self.vocabulary = list(LETTERS[:symbols])

    @property
    def chance(self) -> float:
        """The accuracy of a model that guesses."""
        return 1 / self.symbols

    def places(self, length: Count) -> Int64[Tensor, " tokens *wanted"]:
        """For each place the place of the wanted letter, which is also where to attend; negative: there is none."""
        raise NotImplementedError

    def batch(self, size: Size, length: Count, generator: Generator) -> Tagged:
        """``size`` sequences of ``length`` letters, on the generator's device.

        Raises ValueError when no place has a target.
        """
        places = self.places(length).to(generator.device)
        if (places < 0).all():
            raise ValueError(f"expected sequences long enough to want a letter of them, got length {length}")
        inputs = torch.randint(self.symbols, (size, length), generator=generator, device=generator.device)
        return Tagged(inputs, inputs[:, places.clamp(min=0)].masked_fill(places < 0, NO_TARGET))


@checked
class Back(Tagging):
    """The letter ``steps`` to the left. A distance is all that counts: relative positions carry it to any length."""

    name = "back"

    def __init__(self, steps: int = 2, symbols: int = 16) -> None:
        super().__init__(symbols)
        if steps < 1:
            raise ValueError(f"expected at least 1 step back, got {steps}")
        self.steps = steps

    def places(self, length: Count) -> Int64[Tensor, " tokens"]:
        return torch.arange(length) - self.steps


@checked
class Mirrored(Tagging):
    """The letter as far from the end as this place is from the beginning: the sequence backwards, in place.

    It takes absolute places and the length, and eyes for both sides: no causal mask.
    """

    name = "mirrored"

    def places(self, length: Count) -> Int64[Tensor, " tokens"]:
        return length - 1 - torch.arange(length)


@checked
class LastLetters(Tagging):
    """The ``count`` letters before this place, all at once: the nearest first, each with a read-out of its own.

    One head can look at one of them.
    """

    name = "last letters"

    def __init__(self, count: int = 4, symbols: int = 16) -> None:
        super().__init__(symbols)
        if count < 1:
            raise ValueError(f"expected at least 1 letter to name, got {count}")
        self.count = count

    def places(self, length: Count) -> Int64[Tensor, "tokens wanted"]:
        return torch.arange(length)[:, None] - torch.arange(1, self.count + 1)


@checked
def tagging_loss(
    logits: Float[Tensor, "batch tokens *wanted symbols"], targets: Int64[Tensor, "batch tokens *wanted"]
) -> Float[Tensor, ""]:
    """Mean cross-entropy, in nats per wanted letter, of the places that have a target."""
    if targets.shape != logits.shape[:-1]:
        raise ValueError(
            f"expected a target for each row of logits, {list(logits.shape[:-1])}, got {list(targets.shape)}"
        )
    if not bool((targets != NO_TARGET).any()):
        raise ValueError(f"expected a place that has a target, got none in shape {list(targets.shape)}")
    check_ids(targets[targets != NO_TARGET], logits.shape[-1], "targets")
    return cross_entropy(logits.flatten(0, -2), targets.flatten(), ignore_index=NO_TARGET)


@checked
def accuracy(
    logits: Float[Tensor, "batch tokens *wanted symbols"], targets: Int64[Tensor, "batch tokens *wanted"]
) -> float:
    """The share of wanted letters that are named right."""
    return (logits.argmax(-1) == targets)[targets != NO_TARGET].double().mean().item()
