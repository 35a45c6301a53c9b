"""WeightingExplorer: what a trained model reads and answers when its scores are weighed in other ways."""

import pytest
import torch
from card_reader import deal, fresh, trained
from explorers import code_gives_the_picture, drive, frames_are_the_pictures, reads_well

from attnlab import SCORES
from attnlab.hard_attention import argmax
from widgets.explorers.l03_alignment.weighting import WEIGHTINGS, WeightingExplorer


@pytest.fixture(scope="module")
def examples():
    return deal(7, seed=1)


MODELS = {name: fresh(name) for name in SCORES}


def test_every_control(examples):
    drive(WeightingExplorer(MODELS, examples), models=MODELS, examples=examples)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_code_of_each_weighting(examples, weighting):
    explorer = WeightingExplorer(MODELS, examples, weighting=weighting)
    frames_are_the_pictures(explorer, "radius")
    for again in (0, 1):
        explorer.change(score="general", temperature=0.3, radius=2, again=again)
        reads_well(explorer)
        code_gives_the_picture(explorer, models=MODELS, examples=examples)


def test_only_scores_that_a_model_has_are_offered(examples):
    explorer = WeightingExplorer({"content": MODELS["content"]}, examples, score="content")
    offered = {spec["name"]: spec.get("options") for spec in explorer.parts["controls"].spec}
    assert offered["score"] == ["content"]
    assert offered["weighting"] == list(WEIGHTINGS)
    drive(explorer, models=explorer.models, examples=examples)


def test_a_window_hides_what_lies_outside(examples):
    explorer = WeightingExplorer({"general": trained()}, examples, score="general", weighting="window", radius=1)
    weights, mask = explorer.weights, torch.from_numpy(explorer.parts["matrix"].mask[0])
    far = (torch.arange(5) - torch.arange(5).unsqueeze(1)).abs().repeat(2, 1) > 1
    assert (weights[far] == 0).all()
    assert torch.equal(mask == 0, far)
    torch.testing.assert_close(weights.sum(1), torch.ones(10))
    explorer.weighting = "window and bell"
    assert (explorer.weights.sum(1) <= 1 + 1e-6).all()
    assert explorer.weights[5:].sum(1).min() < 0.9
    explorer.weighting = "soft"
    assert explorer.parts["matrix"].mask.all()


def test_a_window_costs_the_questions_by_letter(examples):
    explorer = WeightingExplorer({"general": trained()}, examples, score="general")
    assert explorer.result.right == [1.0, 1.0]
    explorer.change(weighting="window", radius=1)
    assert explorer.result.right[0] == 1.0
    assert explorer.result.right[1] < 0.8


def test_hard_weightings_choose_one(examples):
    models = {"general": trained(), "content": fresh("content")}
    explorer = WeightingExplorer(models, examples, score="content", weighting="hard, drawn")
    first = explorer.weights.clone()
    assert set(first.unique().tolist()) == {0.0, 1.0}
    explorer.again = 1
    assert not torch.equal(first, explorer.weights)
    explorer.change(score="general", weighting="hard, the likeliest")
    _, seen = trained()(examples.letters, examples.digits, weigh=argmax)
    torch.testing.assert_close(explorer.weights, seen.weights[0].flatten(0, 1))
