"""PictureCostExplorer: one curve is flat, the other grows with the pixels."""

import numpy as np
import pytest
from explorers import drive

from widgets.explorers.l14_glimpses.picture_cost import PictureCostExplorer


def test_every_control(model, monkeypatch):
    explorer = PictureCostExplorer(model)
    monkeypatch.setattr(PictureCostExplorer, "_cost", lambda self, side: explorer._costs[side])  # measured once
    drive(explorer, model=model)


def test_marks_stand_on_their_curves(model):
    explorer = PictureCostExplorer(model, side=100)
    chart = explorer.parts["chart"]
    for i, cost in enumerate(explorer.result):
        line, mark = chart.trace(i), chart.trace(2 + i)
        assert (mark["x"], mark["y"]) == ([100], [cost.multiply_adds])
        assert list(line["y"])[list(line["x"]).index(100)] == cost.multiply_adds


def test_glimpses_cost_the_same_on_every_picture(model):
    counts = [np.asarray(PictureCostExplorer(model).parts["chart"].trace(i)["y"]) for i in range(2)]
    assert len(set(counts[0])) == 1
    assert counts[1][-1] / counts[1][0] == pytest.approx(81, rel=0.01)  # nine times the side
    low, high = PictureCostExplorer(model).parts["chart"].spec["layout"]["yaxis"]["range"]
    assert low < np.log10(np.concatenate(counts)).min() < np.log10(np.concatenate(counts)).max() < high
