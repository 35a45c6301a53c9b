"""GazePathExplorer: the looks in their order, and what they have seen together."""

import pytest
import torch
from explorers import drive

from attnlab.analysis import caption_steps
from attnlab.tasks.scenes import draw
from attnlab.vision import Captioner
from widgets.explorers.l13_seeing import gaze_path
from widgets.explorers.l13_seeing.gaze_path import GazePathExplorer


@pytest.fixture(scope="module")
def model(task):
    torch.manual_seed(3)
    return Captioner(len(task.vocabulary), hidden=16).eval()


@pytest.fixture
def explorer(model, task):
    return GazePathExplorer(model, task, task.test)


def test_every_control(explorer, model, task):
    drive(explorer, model=model, task=task, scenes=task.test)


def test_each_look_is_framed_at_the_middle_of_its_place(explorer, model, task):
    steps = caption_steps(model, draw(task.test[0]))
    explorer.looks = len(steps.tokens)
    stops = explorer.parts["picture"].glimpses
    wanted = [divmod(int(weights.argmax()), 8) for weights in steps.weights]
    wanted = [place for i, place in enumerate(wanted) if i == 0 or wanted[i - 1] != place]
    assert [[(y + 1) * 4 - 0.5, (x + 1) * 4 - 0.5] for x, y in stops] == [list(place) for place in wanted]
    torch.testing.assert_close(torch.tensor(explorer.parts["picture"].shown[0]), steps.weights.amax(0))
    explorer.looks = 3
    assert "So far 3 words" in repr(explorer.parts["caption"])


def test_a_frame_that_lies_on_an_earlier_one_is_told(model, task, monkeypatch):
    found = caption_steps(model, draw(task.test[0]))
    there_and_back = torch.eye(64)[[0, 9, 0]].unflatten(1, (8, 8))
    monkeypatch.setattr(gaze_path, "caption_steps", lambda *_: found._replace(weights=there_and_back))
    explorer = GazePathExplorer(model, task, task.test, looks=2)
    assert "looks most at frame 2. So far" in repr(explorer.parts["caption"])
    explorer.looks = 3
    assert "looks most at frame 3, where frame 1 was. So far" in repr(explorer.parts["caption"])


def test_before_the_first_word(explorer):
    assert explorer.parts["picture"].glimpses == []
    assert explorer.weights.max() == 0
    assert "nothing has been looked at" in repr(explorer.parts["caption"])


def test_name_in_words(explorer):
    assert repr(explorer) == "GazePathExplorer(scene=1, looks=0)"
