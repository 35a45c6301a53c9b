"""Whole powers of ten around positive numbers, at least three of them."""

import math

import pytest
import torch

from widgets.explorers.l09_block.log_axis import log_axis


@pytest.mark.parametrize(
    ("numbers", "low", "high"),
    [
        ([1.0, 1.5], -1, 2),
        ([0.02, 900.0], -2, 3),
        ([1e-9, 1e-8], -10, -7),
        ([0.0, 5.0, math.inf, math.nan], -1, 2),
    ],
)
def test_whole_powers_of_ten(numbers, low, high):
    axis = log_axis(torch.tensor(numbers, dtype=torch.float64))
    assert axis["range"] == [low, high + 0.1]


def test_at_most_six_ticks():
    axis = log_axis(torch.tensor([1e-30, 1.0], dtype=torch.float64))
    assert axis == {"range": [-30, 0.1], "dtick": 5}


def test_no_number_to_show():
    assert log_axis(torch.tensor([0.0, math.nan])) == {"range": [-1, 2], "dtick": 1}
