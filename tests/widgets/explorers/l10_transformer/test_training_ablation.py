"""TrainingAblationExplorer: switches choose the runs, and the sentence names what the other way would give.

Effects are held in tests/attnlab/analysis/learning/test_ablation.py.
"""

import pytest
from explorers import drive

from attnlab.analysis import Run
from widgets.explorers.l10_transformer.training_ablation import RECIPES, TrainingAblationExplorer


@pytest.fixture
def runs():
    """Dropout helps with few sentences by 0.2 and costs 0.1 with many; smoothing adds 1 to the loss."""
    return {
        sentences: {
            recipe: [Run([10, 20], [0.1, 0.5 + gain * recipe[1] + 0.01 * seed], 1.0 + recipe[0]) for seed in range(3)]
            for recipe in RECIPES
        }
        for sentences, gain in {"300": 0.2, "20,000": -0.1}.items()
    }


def test_every_control(runs):
    drive(TrainingAblationExplorer(runs), runs=runs)


def test_every_switch_is_measured_without_and_with_the_other(runs):
    explorer = TrainingAblationExplorer(runs)
    assert explorer.effects("300", "dropout", lambda run: run.exact[-1]) == pytest.approx([0.2] * 2)
    assert explorer.effects("20,000", "dropout", lambda run: run.exact[-1]) == pytest.approx([-0.1] * 2)
    assert explorer.effects("300", "smoothing", lambda run: run.exact[-1]) == pytest.approx([0] * 2)
    assert explorer.effects("300", "smoothing", lambda run: run.loss) == pytest.approx([1] * 2)


def test_switches_choose_the_runs_and_the_other_ways_are_named(runs):
    explorer = TrainingAblationExplorer(runs, dropout=True)
    chart, caption = explorer.parts["chart"], repr(explorer.parts["caption"]).replace("\u202f", " ")
    assert list(chart.trace("chosen")["y"]) == pytest.approx([0.1, 0.71])
    assert chart.trace("chosen")["name"] == "dropout, chosen"
    assert [chart.trace(name)["visible"] for name in RECIPES.values()] == [True, True, False, True]
    assert list(chart.trace("neither")["y"]) == pytest.approx([0.1, 0.51])
    assert "71 % of those held out exact (70 % to 72 %)" in caption
    assert "with smoothing 71 %" in caption
    assert "without dropout 51 %" in caption
    explorer.sentences = "20,000"
    assert list(chart.trace("chosen")["y"]) == pytest.approx([0.1, 0.41])
    assert "without dropout 51 %" in repr(explorer.parts["caption"]).replace("\u202f", " ")


def test_a_missing_recipe_is_named(runs):
    del runs["300"][True, False]
    with pytest.raises(ValueError, match=r"'300', \(True, False\)"):
        TrainingAblationExplorer(runs)
