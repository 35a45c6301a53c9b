"""A measurement that was repeated, in words."""

import pytest
import torch

from attnlab.analysis import mean_and_range


@pytest.mark.parametrize(
    ("numbers", "form", "words"),
    [
        ([1.0, 0.94, 0.97], ".2f", "0.97 (0.94 to 1.00)"),
        ([0.501, 0.499], ".2f", "0.50"),
        ([0.501, 0.499], ".3f", "0.500 (0.499 to 0.501)"),
        (torch.tensor([0.25, -0.25, 0.75]), "+.2f", "+0.25 (-0.25 to +0.75)"),
        ([3.0], ".1f", "3.0"),
    ],
)
def test_mean_and_range_or_one_number(numbers, form, words):
    assert mean_and_range(numbers, form) == words


def test_a_form_that_no_number_has():
    with pytest.raises(ValueError, match="got 'de'"):
        mean_and_range([0.5], "de")


def test_nothing_has_no_mean():
    with pytest.raises(ValueError, match="at least one number, got none"):
        mean_and_range([])
