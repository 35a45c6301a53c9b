"""TrainingAblationExplorer: a switch chooses the run, and the sentence names what the other way would give.

Effects are held in tests/attnlab/analysis/test_ablation.py.
"""

from itertools import product

import pytest
from explorers import drive

from attnlab.analysis import Run
from widgets.explorers.l10_transformer.training_ablation import TrainingAblationExplorer


@pytest.fixture
def runs():
    return {
        recipe: Run([10, 20], [0.1, 0.6 - 0.1 * recipe[0] - 0.2 * recipe[2]], 1.0 + recipe[1])
        for recipe in product((False, True), repeat=3)
    }


def test_every_control(runs):
    drive(TrainingAblationExplorer(runs), runs=runs)


def test_every_switch_is_measured_four_times(runs):
    explorer = TrainingAblationExplorer(runs)
    assert explorer.switches == ("warm_up", "smoothing", "dropout")
    assert explorer.effects("warm_up", lambda run: run.exact[-1]) == pytest.approx([-0.1] * 4)
    assert explorer.effects("smoothing", lambda run: run.exact[-1]) == pytest.approx([0] * 4)
    assert explorer.effects("smoothing", lambda run: run.loss) == pytest.approx([1] * 4)
    assert explorer.effects("dropout", lambda run: run.exact[-1]) == pytest.approx([-0.2] * 4)


def test_a_switch_chooses_the_run_and_the_other_ways_are_named(runs):
    explorer = TrainingAblationExplorer(runs, dropout=True)
    assert list(explorer.parts["chart"].trace("chosen")["y"]) == pytest.approx([0.1, 0.4])
    assert "without dropout 60" in repr(explorer.parts["caption"])
    assert "with warm-up 30" in repr(explorer.parts["caption"])
    assert repr(explorer) == "TrainingAblationExplorer(warm_up=False, smoothing=False, dropout=True)"


def test_a_missing_recipe_is_named(runs):
    del runs[True, False, True]
    with pytest.raises(ValueError, match=r"\(True, False, True\)"):
        TrainingAblationExplorer(runs)
