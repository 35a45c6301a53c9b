"""OneMapExplorer: the maps of all words of two models, and how far they are apart."""

import pytest
import torch
from explorers import drive

from attnlab import SCORES
from attnlab.analysis import caption_steps
from attnlab.tasks.scenes import draw
from attnlab.vision import Captioner
from widgets.explorers.l13_seeing.one_map import OneMapExplorer


@pytest.fixture(scope="module")
def models(task):
    torch.manual_seed(1)
    return {
        "additive": Captioner(len(task.vocabulary), hidden=16).eval(),
        "concat": Captioner(len(task.vocabulary), hidden=16, score=SCORES["concat"]).eval(),
    }


@pytest.fixture
def explorer(models, task):
    return OneMapExplorer(models, task, task.test)


def test_every_control(explorer, models, task):
    drive(explorer, models=models, task=task, scenes=task.test)


def test_a_panel_is_a_words_map(explorer, models, task):
    explorer.scene = 3
    for part, model in zip(("first", "second"), models.values(), strict=True):
        steps = caption_steps(model, draw(task.test[2]))
        picture = explorer.parts[part]
        torch.testing.assert_close(torch.tensor(picture.weights[0]), steps.weights)
        assert len(picture.titles) == len(steps.tokens)
    second = explorer.parts["second"].weights[0]
    assert abs(second - second[0]).max() < 1e-6, "concat gives all words one map"


def test_how_far_maps_are_apart_is_said(explorer):
    said = repr(explorer.parts["caption"])
    assert said.count("of the weight moves") == 2
    assert "Concat: “" in said
    assert "from one word to another 0\u202f% of the weight moves" in said.split("Concat")[1]


def test_two_models_are_wanted(models, task):
    with pytest.raises(ValueError, match="expected two models by name, got 1"):
        OneMapExplorer({"additive": models["additive"]}, task, task.test)


def test_name_in_words(explorer):
    assert repr(explorer) == "OneMapExplorer(scene=1)"
