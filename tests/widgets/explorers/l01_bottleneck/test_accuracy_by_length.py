"""AccuracyByLengthExplorer: the curves of a history that grows."""

import pytest
import torch
from explorers import drive

from widgets.explorers.l01_bottleneck.accuracy_by_length import PALE, AccuracyByLengthExplorer, curve_heights

HISTORY = ((0, torch.zeros(3, 4)), (25, torch.tensor([[0.4, 0.2, 0, 0], [1, 0.8, 0.4, 0.2], [1, 1, 1, 0.98]])))


@pytest.fixture
def explorer():
    return AccuracyByLengthExplorer(list(HISTORY), ["8", "16", "looking back"], range(2, 6), 100)


def test_curves_and_their_names(explorer):
    drive(explorer, history=HISTORY)
    assert explorer.step == 100
    assert explorer.parts["controls"].changes["step"]["max"] == 100
    torch.testing.assert_close(torch.from_numpy(curve_heights(explorer.parts)).float(), HISTORY[1][1])
    assert len(set(explorer.parts["chart"].trace(-1)["y"])) == 3, "each name at a height of its own"
    assert "With 16, half of the strings get lost between 3 and 4 digits." in repr(explorer.parts["caption"])
    assert "20\u202f% of the strings with 5 digits; looking back 98\u202f%." in repr(explorer.parts["caption"])


def test_a_chosen_vector_is_drawn_strongly(explorer):
    explorer.vector = 0
    chart = explorer.parts["chart"]
    assert [chart.trace(i)["opacity"] for i in range(3)] == [1, PALE, 1]
    assert "With 8, less than half of the strings with 2 digits come back" in repr(explorer.parts["caption"])
    assert explorer.parts["controls"].changes["vector"] == {"max": 1, "names": ["8", "16"]}
    explorer.vector = 1
    assert [chart.trace(i)["opacity"] for i in range(3)] == [PALE, 1, 1]


def test_it_follows_the_training(explorer):
    explorer.step = 0
    assert explorer.result.sum() == 0
    explorer.reset()
    explorer.history.append((50, torch.ones(3, 4)))
    explorer.refresh()
    assert curve_heights(explorer.parts).min() == 1
    assert explorer.step == 100, "the slider stays at the end, so that the next measurement is seen too"


def test_shares_stay_out_of_its_name(explorer):
    assert repr(explorer) == "AccuracyByLengthExplorer(vector=1, step=100)"
