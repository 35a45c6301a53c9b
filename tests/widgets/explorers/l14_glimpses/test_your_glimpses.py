"""YourGlimpsesExplorer: the hand looks, the answer uncovers the picture, scores are those of pictures played."""

import numpy as np
import pytest
import torch
from explorers import code_gives_the_picture, drive, reads_well

from attnlab.vision.glimpses import centre_gaze, mean_gaze, random_gaze, retina
from widgets.explorers.l14_glimpses.your_glimpses import YourGlimpsesExplorer

CLICKS = [[0.0, 0.0], [0.5, -0.25], [-1.0, 1.0]]


@pytest.fixture
def explorer(model, canvases):
    return YourGlimpsesExplorer(model, canvases)


def words(explorer):
    return repr(explorer.parts["caption"])


def test_every_control(explorer, model, canvases):
    drive(explorer, model=model, canvases=canvases)


def test_code_with_clicks(explorer, model, canvases):
    explorer.change(glimpses=CLICKS)
    code_gives_the_picture(explorer, model=model, canvases=canvases)
    explorer.digit = "3"
    code_gives_the_picture(explorer, model=model, canvases=canvases)


def test_it_is_dark_but_for_what_the_retina_shows(explorer, canvases):
    view = explorer.parts["picture"]
    assert (view.image == view.image.flat[0]).all()
    assert (view.editing, view.most_glimpses) == ("glimpses", 5)
    view.glimpses = [[0.2, -0.1]]  # as the hand does
    assert explorer.glimpses == [[0.2, -0.1]]
    sharp = retina(canvases.pictures[:1], torch.tensor([[0.2, -0.1]]), 8)[0, 0]
    np.testing.assert_allclose(view.image[0, 0, 23:31, 32:40, 0], 1 - sharp, atol=1e-6)
    assert "Glimpse 1 of 5" in words(explorer)


def test_an_answer_uncovers_the_picture_and_counts_once(explorer, model, canvases):
    right = str(int(canvases.labels[0]))
    explorer.parts["picture"].glimpses = CLICKS
    explorer.digit = str((int(right) + 1) % 10)
    view = explorer.parts["picture"]
    assert view.titles == ["your glimpses", "the model's glimpses", "the whole picture"]
    np.testing.assert_allclose(view.image[0, 2, ..., 0], 1 - canvases.pictures[0], atol=1e-6)
    its = model(canvases.pictures[:1], mean_gaze(model.location), 5)
    assert [place[:2] for place in view.glimpses if place[2] == 1] == pytest.approx(its.places[0].round(decimals=4))
    assert view.editing == ""
    explorer.digit = right  # too late
    assert explorer.scores["you"] == 0
    assert f"It is a {right}. You said {(int(right) + 1) % 10}" in words(explorer)


def test_scores_are_of_the_pictures_that_were_played(explorer, model, canvases):
    with torch.no_grad():
        stared = model(canvases.pictures, centre_gaze, 5).logits[:, -1].argmax(-1)
        led = model(canvases.pictures, random_gaze(torch.Generator().manual_seed(0)), 5).logits[:, -1].argmax(-1)
        said = model(canvases.pictures, mean_gaze(model.location), 5).logits[:, -1].argmax(-1)
    for number in range(5):
        assert explorer.glimpses == []
        assert explorer.digit == "?"
        explorer.digit = str(int(canvases.labels[number]))
        explorer.again += 1
    assert explorer.scores["you"] == 5
    for name, answers in {"model": said, "random": led, "centre": stared}.items():
        assert explorer.scores[name] == int((answers == canvases.labels)[:5].sum())
    explorer.again = 4
    scores = explorer.scores
    assert f"at random places {scores['random']}, at the centre {scores['centre']}." in words(explorer)
    explorer.reset()
    assert explorer.scores == {"you": 0, "model": 0, "random": 0, "centre": 0}


def test_what_is_no_place_is_said_and_nothing_is_lost(explorer):
    explorer.glimpses = [[0.0, 0.3]]
    for wrong in ([[0.0, 3.0]], [[0.1]], "here", [["a", "b"]]):
        with pytest.raises(ValueError, match=r"expected places \[across, down\] from -1 to 1"):
            explorer.glimpses = wrong
    assert explorer.glimpses == [[0.0, 0.3]]
    reads_well(explorer)


def test_no_picture_is_named(model, canvases):
    with pytest.raises(ValueError, match="at least 1 picture, got 0"):
        YourGlimpsesExplorer(model, canvases._replace(labels=canvases.labels[:0]))
