"""Effects of switches, against the differences that were put in."""

from itertools import product

import pytest

from attnlab.analysis.learning.ablation import factor_effects

SETTINGS = list(product((False, True), repeat=3))


def test_what_was_put_in_comes_out():
    measured = {(a, b, c): 5 + 2 * a - 3 * b + 0 * c for a, b, c in SETTINGS}
    assert factor_effects(measured, 0) == [2] * 4
    assert factor_effects(measured, 1) == [-3] * 4
    assert factor_effects(measured, 2) == [0] * 4


def test_a_factor_that_works_only_with_another_one():
    measured = {(a, b): float(a and b) for a, b in product((False, True), repeat=2)}
    assert factor_effects(measured, 0) == [0.0, 1.0]


def test_a_missing_measurement_is_named():
    measured = dict.fromkeys(SETTINGS, 1.0)
    del measured[True, False, True]
    with pytest.raises(ValueError, match=r"expected a measurement of \(True, False, True\)"):
        factor_effects(measured, 0)


@pytest.mark.parametrize("factor", [-1, 3])
def test_a_factor_that_is_none(factor):
    with pytest.raises(ValueError, match=f"expected a factor from 0 to 2, got {factor}"):
        factor_effects(dict.fromkeys(SETTINGS, 1.0), factor)
