"""Power laws through measurements: exact powers are found, and no other line has smaller errors."""

import math

import pytest

from attnlab.analysis.learning.scaling import PowerLaw, power_law


@pytest.mark.parametrize("exponent", [-1, 0, 0.5, 1, 2, 3])
def test_the_exponent_of_a_power(exponent):
    found = power_law({2**k: 1e-6 * 2 ** (exponent * k) for k in range(6, 12)})
    assert found.exponent == pytest.approx(exponent, abs=1e-12)
    assert found.factor == pytest.approx(1e-6)
    assert found.at(100) == pytest.approx(1e-6 * 100**exponent)


def test_no_other_line_has_smaller_errors():
    measured = {64: 3.0, 100: 2.5, 400: 11.0, 1000: 19.0, 1300: 60.0}

    def errors(law):
        return sum((math.log(cost) - math.log(law.at(size))) ** 2 for size, cost in measured.items())

    found = power_law(measured)
    for exponent in (0.999, 1, 1.001):
        for factor in (0.999, 1, 1.001):
            if (exponent, factor) != (1, 1):
                assert errors(PowerLaw(found.exponent * exponent, found.factor * factor)) > errors(found)


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        ({}, "at least two sizes"),
        ({8: 1.0}, "at least two sizes"),
        ({0: 1.0, 2: 1.0}, "a cost of 1.0 at size 0"),
        ({1: 0.0, 2: 1.0}, "a cost of 0.0 at size 1"),
        ({1: 1.0, 2: math.nan}, "a cost of nan at size 2"),
    ],
)
def test_what_has_no_logarithm_is_refused(measured, words):
    with pytest.raises(ValueError, match=words):
        power_law(measured)
