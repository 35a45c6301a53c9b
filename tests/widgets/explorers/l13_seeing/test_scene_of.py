"""SceneExplorer: one of some held-out scenes."""

import pytest
import torch

from attnlab.tasks.scenes import Scenes
from attnlab.vision import Captioner
from widgets.explorers.l13_seeing.one_map import OneMapExplorer


@pytest.fixture
def explorer():
    task = Scenes(size=20, tests=3)
    torch.manual_seed(3)
    models = [Captioner(len(task.vocabulary), hidden=16).eval() for _ in range(2)]
    return OneMapExplorer({"one": models[0], "two": models[1]}, task, task.test)


def test_the_scene_is_the_one_that_was_chosen(explorer):
    explorer.scene = 2
    assert explorer.place(explorer.state) == 1
    assert explorer.chosen(explorer.state) is explorer.scenes[1]


def test_a_number_that_is_too_large_shows_the_last_scene(explorer):
    assert explorer.most == {"scene": {"max": 3}}
    explorer.scene = 9
    assert explorer.chosen(explorer.state) is explorer.scenes[2]
