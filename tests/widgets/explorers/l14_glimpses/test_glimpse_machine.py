"""GlimpseMachineExplorer: every number is what `record` heard; a place set by hand changes what comes after it."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import record
from attnlab.vision.glimpses import mean_gaze
from widgets.explorers.l14_glimpses.glimpse_machine import PLACES, GlimpseMachineExplorer


@pytest.fixture
def explorer(model, canvases):
    return GlimpseMachineExplorer(model, canvases)


def shares(tensor):
    return tensor.unflatten(-1, (16, -1)).square().mean(-1).sqrt()


def test_every_control(explorer, model, canvases):
    drive(explorer, model=model, canvases=canvases)


def test_every_number_is_the_models(explorer, model, canvases):
    explorer.number = 7
    with torch.no_grad(), record(model) as trace:
        seen = model(canvases.pictures[6:7], mean_gaze(model.location), 4)
    machine = explorer.parts["machine"]

    def shown(name):
        return torch.tensor(machine.tensor(name))

    torch.testing.assert_close(shown(PLACES), seen.places[0])
    torch.testing.assert_close(shown("baseline/out")[:, 0], seen.baselines[0])
    torch.testing.assert_close(shown("digit/out"), seen.logits[0].softmax(-1))
    torch.testing.assert_close(shown("glimpse.what/in"), torch.cat(trace.calls("glimpse/in")))
    for name in ("glimpse.from_what/out", "glimpse.from_where/out", "glimpse/out"):
        torch.testing.assert_close(shown(name), shares(torch.cat(trace.calls(name))))
    torch.testing.assert_close(shown("core/out")[1:], shares(torch.cat(trace.calls("core/out"))))
    assert not shown("core/out")[0].any()


def test_a_place_by_hand_changes_what_comes_after_it(explorer, model, canvases):
    own = explorer.parts["machine"].tensor("digit/out").copy()
    explorer.parts["machine"].edits = [[PLACES, 1, 0, 0.9]]
    assert explorer.edits == [[PLACES, 1, 0, 0.9]], "as if the hand had dragged it"
    now = explorer.parts["machine"].tensor("digit/out")
    assert explorer.parts["machine"].tensor(PLACES)[1, 0] == pytest.approx(0.9)
    assert now[0] == pytest.approx(own[0])
    assert abs(now[1:] - own[1:]).max() > 0.01
    assert explorer.parts["machine"].tensor("digit/was") == pytest.approx(own)
    code_gives_the_picture(explorer, model=model, canvases=canvases)
    explorer.step = 2
    assert "Glimpse 2 falls where you have put it, 0.90 across" in repr(explorer.parts["caption"])
    explorer.step = 7
    assert "Your places move its last chance of" in repr(explorer.parts["caption"])


def test_what_is_said_of_the_last_answer(explorer, canvases):
    explorer.step = 7
    best = int(explorer.chances[-1].argmax())
    right = best == int(canvases.labels[0])
    assert ("It is right." if right else f"It is a {int(canvases.labels[0])}.") in repr(explorer.parts["caption"])


def test_too_few_pictures_are_named(model, canvases):
    with pytest.raises(ValueError, match="at least 40 pictures, got 39"):
        GlimpseMachineExplorer(model, canvases._replace(pictures=canvases.pictures[1:], labels=canvases.labels[1:]))
