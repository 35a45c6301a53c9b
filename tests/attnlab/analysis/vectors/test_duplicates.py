"""Equal vectors are found, each by the first of them."""

import pytest
import torch

from attnlab.analysis.vectors.duplicates import first_equal

VECTORS = torch.tensor([[1.0, 2], [3, 4], [1, 2.00001], [3, -4], [3, 4], [1, 2]])


def test_against_a_loop():
    def first(i):
        for j in range(len(VECTORS)):
            if all(abs(float(a - b)) < 1e-3 for a, b in zip(VECTORS[i], VECTORS[j], strict=True)):
                return j

    assert first_equal(VECTORS, 1e-3) == [first(i) for i in range(6)] == [0, 1, 0, 3, 1, 0]


def test_the_tolerance_counts():
    assert first_equal(VECTORS, 1e-6) == [0, 1, 2, 3, 1, 0]
    assert first_equal(VECTORS, 100.0) == [0] * 6
    with pytest.raises(ValueError, match="expected a tolerance above 0, got 0"):
        first_equal(VECTORS, 0.0)


def test_what_is_no_number_is_itself():
    vectors = torch.tensor([[1.0], [torch.nan], [torch.inf], [torch.inf], [torch.nan]])
    assert first_equal(vectors, 0.1) == [0, 1, 2, 2, 4]
