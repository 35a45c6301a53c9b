"""CaptionExplorer: numbers are attnlab's, a hand's weights and blind spots have consequences and can be put back."""

import numpy as np
import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import greedy, translate
from attnlab.tasks.base import BOS, EOS
from attnlab.tasks.scenes import draw
from attnlab.vision import Captioner, FixedCaptioner, HardCaptioner
from widgets.explorers.l13_seeing.captions import DRAG, FIXED, HARD, HIDE, SOFT, CaptionExplorer

KINDS = {SOFT: Captioner, HARD: HardCaptioner, FIXED: FixedCaptioner}


@pytest.fixture(scope="module")
def models(task):
    torch.manual_seed(3)
    made = {name: kind(len(task.vocabulary), hidden=16).eval() for name, kind in KINDS.items()}
    for model in made.values():
        torch.nn.init.constant_(model.decoder.output.bias[EOS : EOS + 1], -1.0)  # captions of several words
    return made


@pytest.fixture
def explorer(models, task):
    return CaptionExplorer(models, task, task.test)


def dragged(explorer, word, place):
    """As a hand would: all weight of a word at one place."""
    row = [0.0] * 64
    row[place] = 1.0
    explorer.parts["picture"].edits = {**explorer.parts["picture"].edits, str(word): row}


def names(explorer, models, task):
    return {"models": models, "task": task, "scenes": task.test}


@pytest.mark.parametrize("look", [SOFT, HARD, FIXED])
def test_every_control(models, task, look):
    drive(CaptionExplorer(models, task, task.test, look=look), models=models, task=task, scenes=task.test)


def test_the_map_of_each_word_is_greedys(explorer, models, task):
    steps = list(greedy(models[SOFT], draw(task.test[0]), BOS, EOS, 10))
    shown = torch.tensor(explorer.parts["picture"].weights[:, 0])
    torch.testing.assert_close(shown.flatten(1), torch.stack([step.weights for step in steps]))
    explorer.word = 3
    bars = explorer.parts["chart"].trace(0)
    wanted = steps[3].probabilities
    assert bars["y"] == pytest.approx([*wanted[3:-1].tolist(), wanted[EOS].item()], abs=1e-6)
    assert list(bars["x"])[:2] == ["a", "red"]
    assert list(bars["x"])[-1] == "end"
    assert explorer.parts["picture"].frame == 3
    explorer.parts["picture"].frame = 2
    assert explorer.word == 2


def test_weights_by_hand_go_on_into_the_next_words(explorer, models, task):
    own = explorer.result.steps
    dragged(explorer, 0, 27)
    row = torch.zeros(64)
    row[27] = 1
    wanted = list(greedy(models[SOFT], draw(task.test[0]), BOS, EOS, 10, weights={0: row}))
    assert explorer.result.steps.tokens == [step.token for step in wanted]
    shown = explorer.result.steps
    torch.testing.assert_close(shown.weights.flatten(1), torch.stack([step.weights for step in wanted]))
    assert not torch.allclose(shown.probabilities[0], own.probabilities[0])
    torch.testing.assert_close(torch.tensor(explorer.parts["picture"].weights[0, 0]), own.weights[0])
    assert explorer.parts["picture"].shown[0].flatten()[27] == 1
    assert explorer.parts["picture"].frame_names[0].endswith(", weights by hand")
    assert "Its weights are yours." in repr(explorer.parts["caption"])
    assert "*]" in repr(explorer.parts["caption"])
    code_gives_the_picture(explorer, **names(explorer, models, task))
    assert len(wanted) > 2, "the next word follows too"
    explorer.parts["picture"].edits = {}
    torch.testing.assert_close(explorer.result.steps.weights, own.weights)


def test_a_blind_spot_gets_no_weight(explorer, models, task):
    mask = np.ones((1, 8, 8), dtype=np.float32)
    mask[0, 2:5, 1:6] = 0
    for look in (SOFT, HARD, FIXED):
        explorer.change(look=look, hand=HIDE)
        assert explorer.parts["picture"].editing == "mask"
        explorer.parts["picture"].mask = mask
        assert explorer.parts["picture"].weights[:, 0, 2:5, 1:6].max() == 0
        code_gives_the_picture(explorer, **names(explorer, models, task))
        if look != HARD:
            wanted = translate(models[look], draw(task.test[0])[None], torch.tensor(mask) > 0, BOS, EOS, 10)[0]
            assert explorer.result.steps.tokens == wanted.tolist()[: len(explorer.result.steps.tokens)]


def test_where_nothing_may_be_seen_nothing_is_attended_to(explorer):
    explorer.parts["picture"].mask = np.zeros((1, 8, 8), dtype=np.float32)
    assert explorer.parts["caption"].error == ""
    assert explorer.parts["picture"].weights.max() == 0


@pytest.mark.parametrize("look", [SOFT, HARD, FIXED])
def test_an_empty_caption_of_an_empty_scene(task, look):
    """A model that ends before its first word, and a picture with nothing in it."""
    torch.manual_seed(3)
    silent = {name: kind(len(task.vocabulary), hidden=16).eval() for name, kind in KINDS.items()}
    for model in silent.values():
        torch.nn.init.constant_(model.decoder.output.bias[EOS : EOS + 1], 50.0)
    explorer = CaptionExplorer(silent, task, [(), task.test[0]], look=look)
    words = repr(explorer.parts["caption"])
    assert explorer.caption == ""
    assert words.startswith("[end]. “end”, 100\u202f% sure.")
    assert words.endswith("The right caption is “nothing”.")
    assert ("its fullest place has 100\u202f% of the weight" in words) == (look == HARD)
    code_gives_the_picture(explorer, models=silent, task=task, scenes=[(), task.test[0]])


def test_what_a_hand_did_ends_with_another_picture_and_with_a_reset(explorer):
    for forget in (lambda: setattr(explorer, "scene", 2), explorer.reset, lambda: setattr(explorer, "look", FIXED)):
        dragged(explorer, 0, 9)
        assert explorer.edits
        forget()
        assert explorer.edits == explorer.parts["picture"].edits == {}
    explorer.look = SOFT
    dragged(explorer, 0, 9)
    explorer.parts["picture"].mask = np.ones((1, 8, 8), dtype=np.float32)
    assert explorer.edits == {}


def test_hard_draws_one_place_for_each_word_and_others_at_a_press(explorer):
    explorer.look = HARD
    first = explorer.result.steps.weights
    assert (first.flatten(1).sort().values[:, -2:] == torch.tensor([0.0, 1.0])).all()
    explorer.again = 1
    assert not torch.equal(first[0], explorer.result.steps.weights[0])
    explorer.again = 0
    assert torch.equal(first, explorer.result.steps.weights)


def test_the_fixed_vector_cannot_be_dragged(explorer):
    explorer.change(look=FIXED)
    picture = explorer.parts["picture"]
    assert picture.editing == ""
    assert np.allclose(picture.weights, 1 / 64)
    assert explorer.weights is None
    assert "It cannot look" in repr(explorer.parts["caption"])
    explorer.look = SOFT
    assert (picture.editing, explorer.hand) == ("weights", DRAG)


def test_a_model_that_has_learned_on_is_asked_again(explorer, models):
    before = explorer.weights.clone()
    table = models[SOFT].encoder.positions.rows
    own = table.detach().clone()
    try:
        with torch.no_grad():
            table.mul_(9)
        explorer.refresh()
        assert not torch.allclose(explorer.weights, before)
    finally:
        with torch.no_grad():
            table.copy_(own)


def test_models_that_are_missing_are_named(models, task):
    with pytest.raises(ValueError, match=r"got none for \['hard'\]"):
        CaptionExplorer({SOFT: models[SOFT], FIXED: models[FIXED]}, task, task.test)


def test_name_in_words(explorer):
    assert repr(explorer) == ("CaptionExplorer(scene=1, word=0, look='soft', hand='drags weight', again=0)")


def test_a_caption_without_a_word_and_a_scene_without_a_thing(models, task):
    silent = Captioner(len(task.vocabulary), hidden=16).eval()
    torch.nn.init.constant_(silent.decoder.output.bias[EOS : EOS + 1], 50.0)
    for scene in (task.test[0], ()):
        explorer = CaptionExplorer({**models, SOFT: silent}, task, [scene])
        assert explorer.caption == ""
        dragged(explorer, 0, 9)
        assert explorer.parts["caption"].error == ""
        assert explorer.weights[1, 1] == 1
