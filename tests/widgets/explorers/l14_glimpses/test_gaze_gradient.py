"""GazeGradientExplorer: both clouds come from the same draws, and averaging draws shrinks them."""

import pytest
import torch
from explorers import drive

from attnlab.analysis.images.gaze_gradients import gaze_gradients, spread
from attnlab.vision.glimpses import right_or_wrong
from widgets.explorers.l14_glimpses import gaze_gradient
from widgets.explorers.l14_glimpses.gaze_gradient import GazeGradientExplorer


@pytest.fixture
def explorer(model, canvases, monkeypatch):
    monkeypatch.setattr(gaze_gradient, "DRAWS", 16)
    monkeypatch.setattr(gaze_gradient, "BATCH", 8)
    return GazeGradientExplorer(model, canvases)


def test_every_control(explorer, model, canvases):
    drive(explorer, model=model, canvases=canvases)


def test_variances_are_those_of_attnlab(explorer, model, canvases):
    explorer.reward = "1 if right, else 0"
    chance = torch.Generator().manual_seed(0)
    found = gaze_gradients(model, canvases.pictures[:8], canvases.labels[:8], right_or_wrong, 0.2, 4, 16, chance)
    assert explorer.result.variance_without == pytest.approx(spread(found.without))
    assert explorer.result.variance_steadied == pytest.approx(spread(found.steadied))
    assert explorer.result.signal == pytest.approx(found.steadied.mean(0).square().sum().item())
    assert explorer.result.left == pytest.approx(spread(found.steadied) / 16)
    explorer.draws = 4
    assert explorer.result.variance_without == pytest.approx(spread(found.without) / 4)
    assert explorer.result.without.shape == (4, 2)


def test_the_sentence_compares_the_two(explorer):
    result, words = explorer.result, repr(explorer.parts["caption"])
    times = result.variance_without / result.variance_steadied
    assert (f"{times:.1f} times less" if times >= 1 else f"{1 / times:.1f} times more") in words


def test_no_picture_is_named(model, canvases):
    with pytest.raises(ValueError, match="at least 1 picture, got 0"):
        GazeGradientExplorer(model, canvases._replace(labels=canvases.labels[:0]))
