"""Lessons 13 to 15 run where `attnlab.device` says: on a GPU, and on a second device that any machine has."""

from copy import deepcopy
from functools import partial
from pathlib import Path

import jupytext
import pytest
import torch
from elsewhere import ELSEWHERE, SECOND, elsewhere, there

import attnlab
from attnlab import to_device
from attnlab.tasks import scenes
from attnlab.tasks.cluttered_digits import ClutteredDigits
from attnlab.tasks.scenes import Scenes
from attnlab.trained import CANVAS, glimpses, runs, train_captions
from attnlab.training import fit
from attnlab.vision import Answerer, Captioner
from widgets import CaptionExplorer, QuestionExplorer, YourGlimpsesExplorer
from widgets.explorers.l14_glimpses import gaze_gradient

SOURCES = Path(__file__).parents[1] / "lessons" / "sources"


def two_steps(model, loss, steps, *settings, **named):
    return fit(model, loss, 2, *settings, **named)


@pytest.mark.filterwarnings("ignore:for .* copying from a non-meta parameter")  # it is copied all the same
@pytest.mark.parametrize("name", ["13_seeing", "14_glimpses", "15_vision_transformer"])
@pytest.mark.parametrize("where", SECOND)
def test_the_lesson_runs_there(name, where, monkeypatch, home):
    """All its cells, of few scenes, canvases, draws and steps; every model that it leaves behind lies there."""
    for module in (attnlab, train_captions):
        monkeypatch.setattr(module, "device", lambda: torch.device(where))
    monkeypatch.setattr(attnlab, "fit", two_steps)
    monkeypatch.setattr(runs, "fit", two_steps)
    monkeypatch.setattr(scenes, "Scenes", partial(Scenes, size=100, tests=20))
    monkeypatch.setattr(CANVAS, "unseen", lambda size, generator: ClutteredDigits.unseen(CANVAS, 40, generator))
    monkeypatch.setattr(gaze_gradient, "DRAWS", 4)
    names: dict = {}
    with there(where):
        for cell in jupytext.read(SOURCES / f"{name}.py").cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, name, "exec"), names)
    groups = [group.values() for group in names.values() if isinstance(group, dict)]
    found = [*names.values(), *(one for group in groups for one in group)]
    found += [one for several in found if isinstance(several, list) for one in several]
    models = [one for one in found if isinstance(one, torch.nn.Module)]
    assert len(models) > 1
    assert {parameter.device.type for model in models for parameter in model.parameters()} == {where}


def test_what_lies_elsewhere_meets_nothing_of_the_cpu():
    """As on a GPU, and with the numbers of the CPU."""
    layer, x = torch.nn.Linear(5, 3), torch.rand(7, 5)
    wanted = layer(x).tolist()
    with elsewhere():
        layer.to(ELSEWHERE)
        assert layer(x.to(ELSEWHERE)).tolist() == wanted
        assert layer(x.to(ELSEWHERE)).device == ELSEWHERE
        assert torch.zeros(2, device=ELSEWHERE).add(1).cpu().numpy().tolist() == [1, 1]
        with pytest.raises(RuntimeError, match="expected all tensors on one device"):
            layer(x)
        with pytest.raises(RuntimeError, match="expected a generator of the tensor's device, got one of cpu"):
            torch.rand(2, generator=torch.Generator(), device=ELSEWHERE)


def test_a_hand_moves_what_lies_elsewhere():
    """Clicks of a hand, weights and a blind spot come from the page: what they give is what the CPU gives."""
    canvases = CANVAS.unseen(40, torch.Generator().manual_seed(14))
    torch.manual_seed(0)
    model, answerer, task = Captioner(18).eval(), Answerer(18, 18).eval(), Scenes(size=20, tests=2)
    edits, mask = {"1": [1.0, *[0.0] * 63]}, [[[0] * 8, *[[1] * 8] * 7]]

    def seen(where) -> list:
        looking, writing, asked = (deepcopy(one).to(where) for one in (glimpses().model, model, answerer))
        game = YourGlimpsesExplorer(looking, to_device(canvases, where), glimpses=[[0.4, -0.3]], digit="3")
        captions = CaptionExplorer(dict.fromkeys(["soft", "hard", "fixed vector"], writing), task, task.test)
        captions.change(mask=mask, word=1)
        captions.change(edits=edits)
        answers = QuestionExplorer(asked, task, task.test, mask=mask)
        return [game.parts["picture"].image, captions.weights, captions.result.steps.probabilities, answers.weights]

    wanted = seen(torch.device("cpu"))
    with elsewhere():
        found = seen(ELSEWHERE)
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(torch.as_tensor(one), torch.as_tensor(other))
