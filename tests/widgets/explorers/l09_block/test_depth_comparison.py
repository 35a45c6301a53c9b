"""DepthComparisonExplorer: the curves of the chosen depth, and who has learned."""

import math

import pytest
from explorers import drive

from widgets.explorers.l09_block.depth_comparison import DepthComparisonExplorer


@pytest.fixture
def runs():
    good, bad = [math.exp(-i / 10) for i in range(60)], [2.8] * 80
    pre, post = {d: good for d in (3, 6, 9, 12)}, {3: good, 6: good, 9: bad, 12: bad}
    return {"pre": pre, "pre, slowly": pre, "post": post, "post, slowly": pre}


def test_every_control(runs):
    drive(DepthComparisonExplorer(runs, 100, 0.1), runs=runs)


def test_who_has_learned_is_said(runs):
    explorer = DepthComparisonExplorer(runs, 100, 0.1)
    caption = explorer.parts["caption"]
    assert "pre, slowly: learned in 60 steps. post: not learned. post, slowly: learned" in repr(caption)
    explorer.depth = 6
    assert "post: learned in 60 steps" in repr(caption)
    assert repr(explorer).startswith("DepthComparisonExplorer(depth=6): 6 blocks. pre: learned in 60 steps.")


def test_a_loss_that_is_stored_as_just_low_enough_is(runs):
    least = [1.0] * 50 + [0.07, 0.13, 0.12, 0.07, 0.06, 0.12, 0.07, 0.16, 0.11, 0.09]
    assert sum(least[-10:]) / 10 > 0.1
    explorer = DepthComparisonExplorer({**runs, "post": dict.fromkeys((3, 6, 9, 12), least)}, 100, 0.1)
    assert "post: learned in 60 steps" in repr(explorer.parts["caption"])
