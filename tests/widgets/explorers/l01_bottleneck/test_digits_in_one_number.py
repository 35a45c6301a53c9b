"""DigitsInOneNumberExplorer: the digits that come back, and what it says of those that do not."""

import pytest
from explorers import drive

from widgets.explorers.l01_bottleneck.digits_in_one_number import DigitsInOneNumberExplorer


@pytest.fixture(scope="module")
def explorer():
    return DigitsInOneNumberExplorer()


@pytest.fixture(autouse=True)
def from_the_start(explorer):
    explorer.reset()


def test_every_control(explorer):
    drive(explorer)


def test_by_pencil(explorer):
    explorer.change(digits="314", length=3, kind="float64")
    assert float(explorer.c) == pytest.approx(0.4135)
    assert explorer.result.written == [3, 1, 4]


@pytest.mark.parametrize(
    ("kind", "kept", "lost"), [("bfloat16", 2, 5), ("float16", 3, 6), ("float32", 6, 10), ("float64", 14, 19)]
)
def test_a_number_keeps_the_latest_digits(explorer, kind, kept, lost):
    explorer.change(kind=kind, length=kept)
    assert repr(explorer.parts["caption"]).endswith("Every digit comes back.")
    explorer.length = lost
    right = explorer.parts["lines"].right[1]
    assert right[-kept:].all()
    assert not right.all()
    assert f"Here the last {kept} came back" in repr(explorer.parts["caption"]) or right[-kept - 1] == 1


@pytest.mark.parametrize("typed", ["", "3.14", "three", "٣", "²", "1" * 21])
def test_what_is_not_digits_is_refused(explorer, typed):
    before = explorer.parts["lines"].tokens
    explorer.digits = typed
    assert explorer.parts["caption"].error.startswith("expected ")
    assert explorer.parts["lines"].tokens == before


def test_fewer_digits_than_the_slider_says(explorer):
    explorer.length = 12
    explorer.digits = "271"
    assert explorer.length == 3
    assert explorer.result.written == [2, 7, 1]
