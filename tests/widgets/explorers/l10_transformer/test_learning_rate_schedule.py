"""LearningRateScheduleExplorer: the paper's rate, step by step."""

import pytest
from explorers import drive

from attnlab.schedules import inverse_root
from widgets.explorers.l10_transformer.learning_rate_schedule import LearningRateScheduleExplorer


def test_every_control():
    drive(LearningRateScheduleExplorer())


def test_the_papers_rate():
    explorer = LearningRateScheduleExplorer(width=512, warm_up=400)
    for step in (1, 57, 400, 401, 1000):
        paper = 512**-0.5 * min(step**-0.5, step * 400**-1.5)
        assert explorer.rates[step - 1].item() == pytest.approx(paper, rel=1e-5)
    assert "comes at step 400" in repr(explorer.parts["caption"])
    assert inverse_root(400, 1000, 400) == 1
