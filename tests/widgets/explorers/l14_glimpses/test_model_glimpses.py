"""ModelGlimpsesExplorer: places and chances are the model's, for every policy."""

import numpy as np
import pytest
import torch
from explorers import drive

from attnlab.vision.glimpses import accuracy, centre_gaze, drawn_gaze, mean_gaze
from widgets.explorers.l14_glimpses.model_glimpses import ModelGlimpsesExplorer


@pytest.fixture(scope="module")
def explorer(model, canvases):
    return ModelGlimpsesExplorer(model, canvases)


def test_every_control(explorer, model, canvases):
    drive(explorer, model=model, canvases=canvases)


@pytest.mark.parametrize("state", [{}, {"noise": 0.2}, {"gaze": "centre", "noise": 0.2}, {"glimpses": 6, "again": 3}])
def test_what_is_seen_is_the_models(explorer, model, canvases, state):
    explorer.reset()
    explorer.change(number=7, **state)
    chance = torch.Generator().manual_seed(state.get("again", 0))
    gaze = drawn_gaze(model.location, 0.2, chance) if state == {"noise": 0.2} else mean_gaze(model.location)
    with torch.no_grad():
        policy = centre_gaze if "gaze" in state else gaze
        seen = model(canvases.pictures, policy, state.get("glimpses", 4))
    matrix, picture = explorer.parts["matrix"], explorer.parts["picture"]
    np.testing.assert_allclose(matrix.values[0, 0], seen.logits[6].softmax(-1), atol=1e-5)
    assert picture.glimpses[0][:2] == pytest.approx(seen.places[6, 0].tolist(), abs=1e-4)
    assert explorer.result.right.tolist() == pytest.approx(accuracy(seen, canvases.labels).tolist())


def test_other_random_places_at_a_press(explorer):
    explorer.reset()
    explorer.gaze = "random"
    before = explorer.parts["picture"].glimpses
    explorer.again = 1
    assert explorer.parts["picture"].glimpses != before


def test_too_few_pictures_are_named(model, canvases):
    with pytest.raises(ValueError, match="at least 40 pictures, got 39"):
        ModelGlimpsesExplorer(model, canvases._replace(pictures=canvases.pictures[1:], labels=canvases.labels[1:]))
