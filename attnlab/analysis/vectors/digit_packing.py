"""A whole string of digits in one number, and back: how much one number can hold."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import checked


@checked
def pack_digits(digits: Sequence[int], dtype: torch.dtype = torch.float32) -> Float[Tensor, ""]:
    """One number from 0 to 1 that holds the digits, the last one first: 3, 1, 4 become 0.4135.

    Each new digit is put in front and pushes the others one place to the right: c = (c + digit) / 10, from c = 0.5. A
    number of `dtype` has room for so many binary places, and a digit needs log2(10) = 3.3 of them: the oldest are lost,
    and of many nines in a row one may be carried into the digit after them.
    Raises ValueError for anything but whole numbers from 0 to 9.

    **Source:** arithmetic coding with ten equally likely symbols: Rissanen 1976, "Generalized Kraft Inequality and
    Arithmetic Coding".
    """
    if wrong := [digit for digit in digits if digit not in range(10)]:
        raise ValueError(f"expected digits from 0 to 9, got {wrong[0]!r}")
    c = torch.tensor(0.5, dtype=dtype)
    for digit in digits:
        c = (c + digit) / 10
    return c


@checked
def unpack_digits(c: Float[Tensor, ""], count: int) -> list[int]:
    """The first `count` digits of a number between 0 and 1: what `pack_digits` has put in, the last one first.

    Raises ValueError for a number outside of [0, 1] and for a count below 0.
    """
    if not 0 <= c <= 1 or count < 0:
        raise ValueError(f"expected a number from 0 to 1 and a count of 0 or more, got {c.item()} and {count}")
    digits = []
    for _ in range(count):
        c = c * 10
        digit = min(int(c), 9)  # many nines may have been rounded up to 1
        digits.append(digit)
        c = c - digit
    return digits
