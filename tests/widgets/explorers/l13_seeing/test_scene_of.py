"""SceneExplorer: one of some held-out scenes."""

import pytest
import torch

from attnlab.tasks.scenes import Scenes
from attnlab.vision import Captioner
from widgets.explorers.l13_seeing.one_map import OneMapExplorer

TASK = Scenes(size=20, tests=3)


@pytest.fixture
def models():
    torch.manual_seed(3)
    return {name: Captioner(len(TASK.vocabulary), hidden=16).eval() for name in ("one", "two")}


@pytest.fixture
def explorer(models):
    return OneMapExplorer(models, TASK, TASK.test)


def test_no_scene_is_named(models):
    with pytest.raises(ValueError, match="at least one scene, got none"):
        OneMapExplorer(models, TASK, [])


def test_the_scene_is_the_one_that_was_chosen(explorer):
    explorer.scene = 2
    assert explorer.place(explorer.state) == 1
    assert explorer.chosen(explorer.state) is explorer.scenes[1]


def test_a_number_that_is_too_large_shows_the_last_scene(explorer):
    assert explorer.most == {"scene": {"max": 3}}
    explorer.scene = 9
    assert explorer.chosen(explorer.state) is explorer.scenes[2]
