"""QuestionExplorer: the answer and the map are the model's, and what has no answer is said."""

import numpy as np
import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab.analysis import answer_map
from attnlab.tasks.scenes import Thing, draw
from attnlab.vision import Answerer
from widgets.explorers.l13_seeing.questions import ANSWERS, QUESTIONS, QuestionExplorer

SCENES = [
    (Thing("red", "square", 5, 5), Thing("blue", "circle", 9, 21)),
    (Thing("green", "cross", 21, 13), Thing("green", "triangle", 5, 9)),
]


@pytest.fixture(scope="module")
def model(task):
    torch.manual_seed(3)
    return Answerer(len(task.question_vocabulary), len(task.vocabulary), hidden=16).eval()


@pytest.fixture
def explorer(model, task):
    return QuestionExplorer(model, task, SCENES, question="what colour is the circle")


def test_every_control(explorer, model, task):
    drive(explorer, model=model, task=task, scenes=SCENES)


def test_answer_and_map_are_the_models(explorer, model, task):
    found = answer_map(model, draw(SCENES[0]), task.read("what colour is the circle"))
    torch.testing.assert_close(torch.tensor(explorer.parts["picture"].shown[0]), found.weights)
    wanted = [float(found.probabilities[task.vocabulary.index(word)]) for word in ANSWERS]
    assert explorer.parts["chart"].trace(0)["y"] == pytest.approx(wanted, abs=1e-6)


def test_a_hidden_part_is_not_looked_at(explorer, model, task):
    mask = np.ones((1, 8, 8), dtype=np.float32)
    mask[0, :4] = 0
    explorer.parts["picture"].mask = mask
    assert explorer.weights[:4].max() == 0
    code_gives_the_picture(explorer, model=model, task=task, scenes=SCENES)
    explorer.scene = 2
    assert explorer.mask is None
    assert explorer.parts["picture"].mask is None


def test_what_is_said(explorer):
    said = repr(explorer.parts["caption"])
    assert "Inside the blue circle" in said
    assert ("That is right" in said) != ("The right answer is “blue”" in said)
    explorer.question = "what colour is the cross"
    assert "Nothing of the kind is in the picture" in repr(explorer.parts["caption"])
    explorer.change(scene=2, question="what shape is the green thing")
    assert "no one right answer" in repr(explorer.parts["caption"])
    assert len(QUESTIONS) == 9


def test_name_in_words(explorer):
    assert repr(explorer) == "QuestionExplorer(scene=1, question='what colour is the circle')"


def test_a_scene_without_a_thing(model, task):
    said = repr(QuestionExplorer(model, task, [()]).parts["caption"])
    assert "The right answer is “none”. Nothing of the kind is in the picture" in said
