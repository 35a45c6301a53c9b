"""ModelGlimpsesExplorer: places and chances are the model's, for every policy."""

import numpy as np
import pytest
import torch
from explorers import drive

from attnlab.trained import GLIMPSE_SIZES, glimpses
from attnlab.vision.glimpses import accuracy, centre_gaze, drawn_gaze, mean_gaze
from widgets.explorers.l14_glimpses.model_glimpses import ModelGlimpsesExplorer


@pytest.fixture(scope="module")
def models():
    return {size: glimpses(size).model for size in GLIMPSE_SIZES}


@pytest.fixture(scope="module")
def explorer(models, canvases):
    return ModelGlimpsesExplorer(models, canvases)


def test_every_control(explorer, models, canvases):
    drive(explorer, models=models, canvases=canvases)


@pytest.mark.parametrize(
    "state", [{}, {"noise": 0.2}, {"gaze": "centre", "noise": 0.2}, {"glimpses": 6, "again": 3}, {"size": 4}]
)
def test_what_is_seen_is_the_models(explorer, models, canvases, state):
    explorer.reset()
    explorer.change(number=7, **state)
    model = models[state.get("size", 8)]
    chance = torch.Generator().manual_seed(state.get("again", 0))
    gaze = drawn_gaze(model.location, 0.2, chance) if state == {"noise": 0.2} else mean_gaze(model.location)
    with torch.no_grad():
        policy = centre_gaze if "gaze" in state else gaze
        seen = model(canvases.pictures, policy, state.get("glimpses", 4))
    matrix, picture = explorer.parts["matrix"], explorer.parts["picture"]
    np.testing.assert_allclose(matrix.values[0, 0], seen.logits[6].softmax(-1), atol=1e-5)
    assert picture.glimpses[0][:2] == pytest.approx(seen.places[6, 0].tolist(), abs=1e-4)
    assert picture.glimpse_size == model.size
    assert explorer.result.right.tolist() == pytest.approx(accuracy(seen, canvases.labels).tolist())


def test_other_random_places_at_a_press(explorer):
    explorer.reset()
    explorer.gaze = "random"
    before = explorer.parts["picture"].glimpses
    explorer.again = 1
    assert explorer.parts["picture"].glimpses != before


def test_a_size_without_a_model_is_named(models, canvases):
    with pytest.raises(ValueError, match=r"got none for \[4, 12\]"):
        ModelGlimpsesExplorer({8: models[8]}, canvases)


def test_too_few_pictures_are_named(models, canvases):
    with pytest.raises(ValueError, match="at least 40 pictures, got 39"):
        ModelGlimpsesExplorer(models, canvases._replace(pictures=canvases.pictures[1:], labels=canvases.labels[1:]))
