"""A whole string of digits in one single number, and what comes back out of it."""

import math
from typing import NamedTuple

import torch

from attnlab.analysis import pack_digits, unpack_digits
from widgets.base.controls import select, slider, text
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, power_of_ten, quote, say
from widgets.instruments.token_grid.token_grid import TokenGrid

LONGEST = 20
FORMATS = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32, "float64": torch.float64}
BITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}  # of the digits of a number, its hidden one too


class Packed(NamedTuple):
    """digits: what was read. c: the number that holds them. written: what came back, in the order of reading."""

    digits: list[int]
    c: torch.Tensor
    written: list[int]


class DigitsInOneNumberExplorer(Explorer):
    """An encoder and a decoder whose context is one number. Longer strings lose their oldest digits."""

    digits = text("31415926535897932384", label="digits", width=22, help="what is to be remembered; type your own")
    length = slider(4, 1, LONGEST, label="read the first", help="how many of the digits are read")
    kind = select(FORMATS, "float32", label="the number is a", help="how the computer stores the number")

    shows = {"right": lambda parts: parts["lines"].right[1]}

    @property
    def c(self) -> torch.Tensor:
        """The number that holds everything."""
        return self.result.c

    def views(self) -> dict:
        return {"lines": TokenGrid(title="digits read and digits that came back")}

    def compute(self, state) -> Packed:
        if not (state.digits.isascii() and state.digits.isdigit()):
            raise ValueError(f"expected digits, such as 31415, got {quote(state.digits)}")
        if len(state.digits) > LONGEST:
            raise ValueError(f"expected at most {LONGEST} digits, got {len(state.digits)}")
        digits = [int(digit) for digit in state.digits[: state.length]]
        c = pack_digits(digits, FORMATS[state.kind])
        return Packed(digits, c, unpack_digits(c, len(digits))[::-1])

    def picture(self, state, result) -> dict:
        right = [float(a == b) for a, b in zip(result.digits, result.written, strict=True)]
        lines = [[str(digit) for digit in line] for line in (result.digits, result.written)]
        return {
            "lines": {
                "names": ["read", "came back"],
                "tokens": lines,
                "right": [[float("nan")] * len(right), right],
                "notes": ["", f"{int(sum(right))} of {len(right)}"],
            },
            "controls": {"length": {"max": len(state.digits)}},
        }

    def sentence(self, state, result) -> list:
        right = [a == b for a, b in zip(result.digits, result.written, strict=True)]
        kept = next((i for i, good in enumerate(reversed(right)) if not good), len(right))
        held = ["All that is kept is ", context(f"c = {in_digits(float(result.c), min(len(right) + 1, 17))}"), ". "]
        if all(right):
            return say(*held, "Every digit comes back.")
        room = BITS[state.kind] / math.log2(10)
        newest = key(f"the last {kept}" if kept > 1 else "the last one" if kept else "not even the last")
        came = "came back" if kept else "came back, which rounding has changed"
        return say(
            *held,
            f"A {state.kind} has {BITS[state.kind]} binary places, and a digit needs 3.3 of them, so it holds about "
            f"{number(room, 0)} digits. Here ",
            newest,
            f" {came}; what else is right is chance.",
        )

    def code(self, state) -> str:
        digits = [int(digit) for digit in state.digits[: state.length] if digit.isdigit()]
        return "\n".join([
            "import torch",
            "from attnlab.analysis import pack_digits, unpack_digits",
            "",
            f"digits = {digits}",
            f"c = pack_digits(digits, torch.{state.kind})  # c = (c + digit) / 10 for each of them",
            "written = unpack_digits(c, len(digits))  # the last digit first",
            "right = [float(a == b) for a, b in zip(digits, reversed(written))]",
        ])


def in_digits(c: float, decimals: int) -> str:
    """Also a number that would be all zeros: 7.5 · 10⁻²⁰."""
    return power_of_ten(c) if 0 < c < 1e-6 else number(c, decimals)
