"""CaptionerMachineExplorer: every number is what `record` heard, and the film keeps its word when the look changes."""

import pytest
import torch
from explorers import drive
from seeing import TASK, captioners

from attnlab import record
from attnlab.analysis import caption_steps
from attnlab.tasks.base import BOS, EOS
from attnlab.tasks.scenes import draw
from widgets.explorers.l13_seeing.captioner_machine import FIXED, HARD, SOFT, CaptionerMachineExplorer


@pytest.fixture(scope="module")
def task():
    return TASK


@pytest.fixture(scope="module")
def models():
    return captioners()


@pytest.fixture
def explorer(models, task):
    return CaptionerMachineExplorer(models, task, task.test)


def test_every_control(explorer, models, task):
    drive(explorer, models=models, task=task, scenes=task.test)


@pytest.mark.parametrize("look", [SOFT, HARD, FIXED])
def test_every_number_is_the_models(explorer, models, task, look):
    explorer.change(look=look, scene=2)
    model, picture = models[look], draw(task.test[1])
    tokens = caption_steps(model, picture).tokens
    with torch.no_grad(), record(model) as trace:
        logits = model(picture[None], None, torch.tensor([[BOS, *tokens[:-1]]]))[0]
    machine = explorer.parts["machine"]

    def shown(name):
        return torch.tensor(machine.tensor(name))

    words = [*range(3, len(task.vocabulary) - 1), EOS]
    torch.testing.assert_close(shown("decoder.output/out"), logits.softmax(-1)[:, words])
    torch.testing.assert_close(shown("decoder.cell/out")[1:], torch.cat(trace.calls("decoder.cell/out")))
    assert not shown("decoder.cell/out")[0].any(), "its first state is 0"
    keys = trace.tensor("encoder/out")[0].unflatten(-1, (16, -1)).square().mean(-1).sqrt()
    torch.testing.assert_close(shown("encoder/out"), keys)
    torch.testing.assert_close(shown("image"), picture.permute(1, 2, 0))
    limits = {name: found["limit"] for name, found in machine.spec["tensors"].items()}
    for mean in {"decoder.attention/context", "encoder/hidden"} & limits.keys():
        assert limits[mean] == limits["encoder/out"] > 1, "the same numbers, the same colours"
    if look == FIXED:
        assert "decoder.attention/weights" not in machine.spec["tensors"]
        return
    for name in ("scores", "weights"):
        heard = torch.cat([call[0] for call in trace.calls(f"decoder.attention/{name}")])
        torch.testing.assert_close(shown(f"decoder.attention/{name}"), heard)
    if look == HARD:
        assert set(shown("decoder.attention/weights").unique().tolist()) == {0.0, 1.0}


def test_the_same_word_through_another_look(explorer):
    explorer.step = 2 + 4 * 1 + 2  # the second word, its states add up
    assert explorer.result.film[explorer.step]["phase"] == "add"
    explorer.look = FIXED
    frame = explorer.result.film[explorer.step]
    assert (frame["step"], frame["phase"]) == (1, "pass on")
    explorer.look = HARD
    assert explorer.result.film[explorer.step]["step"] == 1


def test_a_place_that_is_clicked_tells_its_score(explorer):
    explorer.step = 2 + 4 * 1
    explorer.parts["machine"].chosen = ["key 13", "key"]
    assert explorer.asked == ["key 13", "key"]
    score = float(explorer.result.tensors["decoder.attention/scores"][1, 13])
    assert f"row 2, column 6 scores {score:.2f}".replace("-", "−") in repr(explorer.parts["caption"])


def test_a_model_that_is_missing(models, task):
    with pytest.raises(ValueError, match=r"got none for .*fixed vector"):
        CaptionerMachineExplorer({SOFT: models[SOFT], HARD: models[HARD]}, task, task.test)
