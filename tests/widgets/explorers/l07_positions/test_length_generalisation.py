"""LengthGeneralisationExplorer: what models read and answer on sequences longer than those they were trained on."""

import pytest
import torch
from explorers import drive

from attnlab import POSITIONS, fit
from attnlab.tasks import letter_places
from attnlab.tasks.letter_places import Tagger
from attnlab.tasks.tagging import tagging_loss
from widgets.explorers.l07_positions import length_generalisation
from widgets.explorers.l07_positions.length_generalisation import LengthGeneralisationExplorer

TASKS = letter_places.QUESTIONS


@pytest.fixture(scope="module")
def models():
    torch.manual_seed(0)
    return {question: {scheme: Tagger(scheme, dim=32).eval() for scheme in POSITIONS} for question in TASKS}


@pytest.fixture(scope="module")
def trained(models):
    model = models["back"]["rotary"]
    for _ in fit(
        model,
        lambda g: (lambda batch: tagging_loss(model(batch.inputs), batch.targets))(TASKS["back"].batch(32, 8, g)),
        steps=80,
        rate=1e-2,
    ):
        pass
    return models


def test_every_control(models, monkeypatch):
    monkeypatch.setattr(length_generalisation, "TESTED", 20)  # sequences: what is held here does not need more
    drive(LengthGeneralisationExplorer(models, TASKS, longest=8), models=models, tasks=TASKS)


def test_a_trained_model_looks_at_the_right_place(trained):
    explorer = LengthGeneralisationExplorer(trained, TASKS, longest=8, question="two to the left", scheme="rotary")
    result = explorer.result
    assert result.right > 0.95
    weights = explorer.weights
    assert weights.shape == (8, 9)
    assert weights.diagonal(-2).mean().item() == pytest.approx(result.share, abs=0.01)
    lines = explorer.parts["lines"]
    assert lines.tokens[1] == ["", "", *lines.tokens[0][:6]]


def test_what_is_new_is_named(models):
    explorer = LengthGeneralisationExplorer(models, TASKS, longest=8)
    assert explorer.parts["matrix"].query_groups == []
    explorer.length = 12
    assert explorer.parts["matrix"].query_groups == [[8, 12, "never so far"]]
    assert "4 more than ever" in "".join(run[0] for run in explorer.parts["caption"].sentence)


def test_the_name_holds_no_shares(models):
    assert repr(LengthGeneralisationExplorer(models, TASKS, longest=8)) == (
        "LengthGeneralisationExplorer(question='two to the left', scheme='none', length=8, again=0)"
    )


def test_a_hand_makes_it_longer(models):
    """What the page moves comes as one message; labels and weights of another shape must go together."""
    explorer = LengthGeneralisationExplorer(models, TASKS, longest=8, length=8)
    explorer.page.receive(None, {"kind": "move", "sequence": 1, "values": {"length": 13}}, [])
    assert explorer.parts["caption"].error == ""
    assert explorer.parts["matrix"].values.shape == (1, 1, 13, 14)
    assert len(explorer.parts["matrix"].query_labels) == 13


def test_a_line_that_breaks_off_is_told_in_two_parts():
    explorer = LengthGeneralisationExplorer.__new__(LengthGeneralisationExplorer)
    explorer.longest = 8
    weights = torch.full((16, 17), 1 / 17)
    weights[:8] = torch.eye(17)[[0, 0, *range(6)]]
    within, beyond = explorer._on_both_sides(weights, TASKS["back"].places(16))
    assert (within, beyond) == (1.0, pytest.approx(1 / 17))
