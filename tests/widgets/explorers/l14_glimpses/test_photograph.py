"""PhotographExplorer: dark but for what the retina shows, uncovered by an answer, beside a thumbnail."""

import numpy as np
import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab.analysis import glimpses_and_thumbnail
from attnlab.tasks.photographs import photographs
from attnlab.vision.glimpses import retina
from widgets.explorers.l14_glimpses.photograph import PhotographExplorer

LOOKS = [[0.1, -0.2], [-0.5, 0.4]]
CAT = photographs()["a cat"]


@pytest.fixture
def explorer():
    return PhotographExplorer()


def words(explorer):
    return repr(explorer.parts["caption"])


def test_every_control(explorer):
    drive(explorer)
    explorer.change(glimpses=LOOKS, sight="the last glimpse", named="a dog")
    code_gives_the_picture(explorer)


def test_it_is_dark_but_for_what_the_retina_shows(explorer):
    view = explorer.parts["picture"]
    assert (view.image == view.image.flat[0]).all()
    assert (view.editing, view.most_glimpses) == ("glimpses", 5)
    view.glimpses = [[0.0, 0.5]]  # as the hand does
    assert "Glimpse 1 of 5, 1 % of its numbers so far." in words(explorer)
    for channel in range(3):
        sharp = retina(CAT[channel : channel + 1], torch.tensor([[0.0, 0.5]]), 8)[0, 0]
        np.testing.assert_allclose(view.image[0, 0, 116:124, 76:84, channel], sharp, atol=1e-6)


def test_the_last_look_alone(explorer):
    explorer.glimpses = LOOKS[1:]
    alone = explorer.parts["picture"].image
    explorer.change(glimpses=LOOKS, sight="the last glimpse")
    np.testing.assert_array_equal(explorer.parts["picture"].image, alone)
    explorer.sight = "all glimpses"
    assert (explorer.parts["picture"].image != alone).any()


def test_an_answer_uncovers_it_and_stands(explorer):
    explorer.change(glimpses=LOOKS)
    explorer.named = "a dog"
    view, found = explorer.parts["picture"], glimpses_and_thumbnail(CAT, torch.tensor(LOOKS), 8, 4)
    assert view.titles == ["your glimpses", "the whole photograph", "as many, spread evenly"]
    np.testing.assert_allclose(view.image[0, 1], CAT.permute(1, 2, 0), atol=1e-6)
    np.testing.assert_allclose(view.image[0, 2], found.thumbnail.permute(1, 2, 0), atol=1e-6)
    assert view.editing == ""
    explorer.named = "a cat"  # too late
    assert "It is a cat. You said: a dog. 2 glimpses have taken 2 % of its numbers" in words(explorer)
    assert f"off by {100 * found.off:.0f} % on average; spread evenly, as many are off by" in words(explorer)
    explorer.again += 1
    assert explorer.glimpses == []
    assert "lies in the dark" in words(explorer)
    explorer.again = 4  # the cat again: what was said stands
    assert "You said: a dog." in words(explorer)
