"""ScalingFitExplorer: the lines hold from the length that is chosen.

Fits are held in tests/attnlab/analysis/learning/test_scaling.py.
"""

import pytest
from explorers import drive

from widgets.explorers.l12_cost.scaling_fit import ScalingFitExplorer


def test_every_control():
    exponents = {"a": 1.0, "b": 2.0, "c": 0.5}
    times = {
        way: {2**k: 1e-6 * 2 ** (p * k) * (1 + 0.1 * (-1) ** k) for k in range(6, 12)} for way, p in exponents.items()
    }
    drive(ScalingFitExplorer(times, {"a": 1, "b": 2, "c": 1}), times=times)


def test_slope_from_the_length_that_is_chosen():
    times = {"a": {64: 1.0, 128: 1.0, 256: 1.0, 512: 1.0, 1024: 2.0, 2048: 4.0}}
    explorer = ScalingFitExplorer(times, {"a": 1}, shortest=512)
    assert explorer.slopes[0] == pytest.approx(1)
    line = explorer.parts["chart"].trace(1)
    assert list(line["x"]) == [512, 2048]
    assert list(line["y"]) == pytest.approx([1000, 4000])
    explorer.shortest = 64
    assert explorer.slopes[0] < 0.5
    assert repr(explorer) == "ScalingFitExplorer(shortest=64)", "times differ from one machine to the next"
