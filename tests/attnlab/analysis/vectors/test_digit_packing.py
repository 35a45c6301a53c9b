"""Digits in one number: by pencil, and by fractions that lose nothing."""

from fractions import Fraction
from inspect import unwrap

import pytest
import torch

from attnlab.analysis.vectors.digit_packing import pack_digits, unpack_digits

PI = [int(digit) for digit in "31415926535897932384"]


def test_by_pencil():
    c = pack_digits([3, 1, 4], torch.float64)
    assert float(c) == pytest.approx(0.4135)
    assert unpack_digits(c, 3) == [4, 1, 3]
    assert unpack_digits(c, 2) == [4, 1]


@pytest.mark.parametrize("count", [0, 1, 5, 12])
def test_by_fractions(count):
    exact = Fraction(1, 2)
    for digit in PI[:count]:
        exact = (exact + digit) / 10
    c = pack_digits(PI[:count], torch.float64)
    assert float(c) == pytest.approx(float(exact), abs=1e-15)
    assert unpack_digits(c, count) == PI[:count][::-1]


@pytest.mark.parametrize(
    ("dtype", "count"), [(torch.bfloat16, 3), (torch.float16, 4), (torch.float32, 7), (torch.float64, 20)]
)
def test_so_many_nines_that_the_number_is_rounded_up_to_1(dtype, count):
    c = pack_digits([9] * count, dtype)
    assert c == 1
    assert unpack_digits(c, count) == [9] * count


@pytest.mark.parametrize(
    ("dtype", "kept", "lost"),
    [(torch.bfloat16, 2, 5), (torch.float16, 3, 6), (torch.float32, 6, 10), (torch.float64, 14, 19)],
)
def test_a_number_keeps_the_latest_digits(dtype, kept, lost):
    assert unpack_digits(pack_digits(PI[:kept], dtype), kept) == PI[:kept][::-1]
    back = unpack_digits(pack_digits(PI[:lost], dtype), lost)
    assert back[:kept] == PI[:lost][::-1][:kept]
    assert back != PI[:lost][::-1]


@pytest.mark.parametrize("wrong", [10, -1, "3", 2.5])
def test_what_is_no_digit_is_refused(wrong):
    with pytest.raises(ValueError, match="expected digits from 0 to 9, got"):
        unwrap(pack_digits)([1, wrong])


@pytest.mark.parametrize(("c", "count"), [(1.5, 2), (-0.1, 2), (0.5, -1)])
def test_what_holds_no_digits_is_refused(c, count):
    with pytest.raises(ValueError, match="expected a number from 0 to 1 and a count of 0 or more"):
        unpack_digits(torch.tensor(c), count)
