"""The shift of a code of positions: exact for the sinusoids, the best there is for any other code."""

import pytest
import torch

from attnlab.analysis.vectors.position_shift import shift_matrix
from attnlab.positions import shift, sinusoidal


@pytest.fixture
def random_code():
    return torch.randn(47, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.mark.parametrize("k", [0, 3, 20])
def test_of_the_sinusoids_it_is_the_closed_form(k):
    found = shift_matrix(sinusoidal(300 + k, 8).double(), k, seen=150)
    torch.testing.assert_close(found.M, shift(k, 8).double(), atol=1e-4, rtol=0)
    assert max(found.inside, found.outside) < 1e-4


def test_errors_by_loop(random_code):
    found = shift_matrix(random_code, 2, seen=31)
    errors = [
        max(
            abs(sum(float(random_code[t, i] * found.M[i, j]) for i in range(5)) - float(random_code[t + 2, j]))
            for j in range(5)
        )
        for t in range(45)
    ]
    assert found.inside == pytest.approx(max(errors[:31]))
    assert found.outside == pytest.approx(max(errors[31:]))
    assert found.inside > 1


def test_no_other_matrix_has_a_smaller_square(random_code):
    """The normal equations: what is left is orthogonal to what it was explained from."""
    M = shift_matrix(random_code, 2, seen=31).M
    left = random_code[2:33] - random_code[:31] @ M
    torch.testing.assert_close(random_code[:31].T @ left, torch.zeros(5, 5).double(), atol=1e-10, rtol=0)


@pytest.mark.parametrize(("k", "seen"), [(-1, 20), (2, 4), (2, 45), (50, 20)])
def test_misfits_are_told(random_code, k, seen):
    with pytest.raises(ValueError, match=f"dim = 5 places .* got k {k} and {seen} seen of 47 places"):
        shift_matrix(random_code, k, seen)


def test_places_behind_the_seen_ones_may_have_the_smaller_error(random_code):
    random_code[31:] = 0
    found = shift_matrix(random_code, 2, seen=31)
    assert found.outside == 0 < found.inside
