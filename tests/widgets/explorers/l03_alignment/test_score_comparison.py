"""ScoreComparisonExplorer: what a model with each score reads, where the loss pushes it, how well it answers."""

import pytest
import torch
from card_reader import STEPS, deal, fresh, trained
from explorers import drive
from torch.nn.functional import cross_entropy

from attnlab import SCORES
from widgets.explorers.l03_alignment.score_comparison import ScoreComparisonExplorer, verdict


@pytest.fixture(scope="module")
def history():
    return {name: dict.fromkeys(STEPS, fresh(name)) for name in SCORES}


@pytest.fixture(scope="module")
def examples():
    return deal(7, seed=1)


def test_every_control(history, examples):
    drive(ScoreComparisonExplorer(history, examples), history=history, examples=examples)


def test_push_is_minus_the_gradient_by_finite_differences(history, examples):
    explorer = ScoreComparisonExplorer(history, examples, score="additive")
    model, letters, digits, right = history["additive"][200], *(part[:1] for part in examples)
    scores = explorer.result.scores.view(2, 5, 5)

    def loss(scores):
        answers, _ = model(letters, digits, weigh=lambda _, allowed: scores.unsqueeze(0).softmax(-1))
        goal = digits.unsqueeze(1).expand_as(right).gather(2, right)
        return cross_entropy(answers.flatten(0, 2), goal.flatten(), reduction="sum").item()

    for kind, question, card in [(0, 1, 2), (1, 3, 4)]:
        nudge = torch.zeros(2, 5, 5)
        nudge[kind, question, card] = 0.05
        slope = (loss(scores + nudge) - loss(scores - nudge)) / 0.1
        assert explorer.push[5 * kind + question, card].item() == pytest.approx(-slope, abs=2e-3)


def test_parameters_and_accuracy_are_told(history, examples):
    explorer = ScoreComparisonExplorer(
        {**history, "general": dict.fromkeys(STEPS, trained())}, examples, score="general"
    )
    assert explorer.result.parameters == 17 * 17
    assert explorer.result.right == [1.0, 1.0]
    assert "289 parameters" in repr(explorer.parts["caption"])
    assert "it has learned both" in repr(explorer.parts["caption"])
    explorer.score = "dot"
    assert "no parameters" in repr(explorer.parts["caption"])
    explorer.score = "concat"
    assert "All rows are the same" in repr(explorer.parts["caption"])
    assert (explorer.weights - explorer.weights[0]).abs().max() < 1e-6
    assert repr(explorer) == "ScoreComparisonExplorer(score='concat', step=200, again=0)"


@pytest.mark.parametrize(
    ("score", "shares", "name"),
    [
        ("dot", (0.96, 0.99, 1.0, 0.05), "knows"),
        ("dot", (0.96, 0.99, 1.0, 0.3), "knows nearly"),
        ("location", (1.0, 0.2, 0.0, 1.0), "by place"),
        ("concat", (0.1, 0.2, 0.0, 1.0), "blind"),
        ("content", (0.9, 0.6, 0.0, 1.0), "blurred"),
        ("dot", (0.9, 0.6, 0.1, 0.2), "learns"),
        ("dot", (0.9, 0.6, 0.1, 0.003), "learns elsewhere"),
        ("dot", (0.3, 0.3, 0.9, 0.0), "stuck"),
        ("location", (0.5, 0.2, 0.0, 0.5), "learns"),
    ],
)
def test_verdicts(score, shares, name):
    assert verdict(score, *shares) == name


def test_other_cards(history, examples):
    explorer = ScoreComparisonExplorer(history, examples)
    before = explorer.parts["weights"].key_labels
    explorer.again = 7  # as many as there are rows of cards: the first again
    assert explorer.parts["weights"].key_labels == explorer.parts["push"].key_labels == before
    explorer.again = 8
    assert explorer.parts["weights"].key_labels != before


def test_a_history_that_is_not_whole_yet_is_told(history, examples):
    explorer = ScoreComparisonExplorer({**history, "dot": {0: history["dot"][0]}}, examples, step=0)
    explorer.step = 10
    assert "train to the end first" in explorer.parts["caption"].error
