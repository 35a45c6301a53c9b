"""What several instruments ask of their traits."""

import math

import numpy as np
import pytest

from widgets.base.misfits import edited, miscounted, misordered, shares_out


def test_as_many_names_as_things_or_none():
    assert miscounted(["a", "b"], 2, "names, one a panel") is None
    assert miscounted([], 2, "names, one a panel") is None
    assert miscounted(["a"], 2, "names, one a panel") == "2 names, one a panel, or none, got 1"


@pytest.mark.parametrize(("order", "fits"), [([], True), ([2, 0, 1], True), ([0, 0, 1], False), ([0, 1], False)])
def test_an_order_has_each_thing_once(order, fits):
    assert misordered(order, 3) == (None if fits else f"each of 0 to 2 once, or none, got {order}")


@pytest.mark.parametrize(("name", "place"), [("3", (0, 3)), ("1:3", (1, 3)), (2, (0, 2))])
def test_names_of_edits(name, place):
    assert edited(name) == place


@pytest.mark.parametrize("name", ["", "first", "a:1", "1:"])
def test_other_names(name):
    with pytest.raises(ValueError, match="invalid literal"):
        edited(name)


@pytest.mark.parametrize(
    ("row", "size", "total", "fits"),
    [
        ([0.25, 0.75], 2, 1.0, True),
        ([0.5, 1.5], 2, 2.0, True),
        ([0.5, 1.5], 2, math.nan, True),
        ([0.5, 0.5], 3, 1.0, False),
        ([0.5, 0.6], 2, 1.0, False),
        ([-0.5, 1.5], 2, 1.0, False),
        ([math.nan, 1.0], 2, 1.0, False),
    ],
)
def test_weights_that_share_out_a_total(row, size, total, fits):
    assert shares_out(np.array(row), size, total) is fits
