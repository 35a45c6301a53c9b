"""KernelRegressionExplorer: Nadaraya and Watson's curve, by attention."""

import math

import pytest
from explorers import drive

from attnlab.tasks.kernel_regression import measurements
from widgets.explorers.l04_query_key_value.kernel_regression import KernelRegressionExplorer


@pytest.fixture(scope="module")
def explorer():
    return KernelRegressionExplorer()


def test_every_control(explorer):
    drive(explorer)


def test_it_is_nadaraya_and_watson(explorer):
    explorer.change(bandwidth=0.3, place=2.0)
    places, measured = measurements()
    shares = [math.exp(-((2.0 - float(x)) ** 2) / (2 * 0.3**2)) for x in places]
    by_hand = sum(s * float(y) for s, y in zip(shares, measured, strict=True)) / sum(shares)
    assert explorer.result.context[4, 0].item() == pytest.approx(by_hand, abs=1e-5)
    question, line = explorer.parts["chart"].trace("the question"), explorer.parts["chart"].trace("attention")
    assert (question["x"], question["y"]) == ([2.0], [pytest.approx(by_hand, abs=1e-5)])
    assert line["y"][40] == pytest.approx(by_hand, abs=1e-5)


def test_bandwidth_from_copying_to_averaging(explorer):
    explorer.bandwidth = 0.05
    assert explorer.weights.max(-1).values.mean() > 0.8
    explorer.bandwidth = 2.0
    assert explorer.weights.max() < 0.15
