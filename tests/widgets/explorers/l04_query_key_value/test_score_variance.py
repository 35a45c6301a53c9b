"""ScoreVarianceExplorer: what the width of queries and keys does to a softmax."""

import pytest
from explorers import drive

from widgets.explorers.l04_query_key_value.score_variance import WIDEST, ScoreVarianceExplorer, measure


def test_every_control():
    drive(ScoreVarianceExplorer())


@pytest.mark.parametrize("exponent", [0, 4, WIDEST])
def test_variance_is_the_width(exponent):
    assert measure(exponent, False, 0)[0].variance == pytest.approx(2**exponent, rel=0.15)
    assert measure(exponent, True, 0)[0].variance == pytest.approx(1, rel=0.15)


def test_the_softmax_saturates_only_without_the_division():
    plain = [measure(exponent, False, 0)[0] for exponent in range(WIDEST + 1)]
    divided = [measure(exponent, True, 0)[0] for exponent in range(WIDEST + 1)]
    assert plain[-1].entropy < 0.1 < 0.8 < divided[-1].entropy
    assert plain[-1].gradient < 0.1 < 0.8 < divided[-1].gradient
