"""ScoreExplorer, LookExplorer and DrawExplorer show what a model with each score reads, and how it learns to."""

from typing import NamedTuple

import pytest
import torch
from explorers import drive
from torch import nn
from torch.nn.functional import cross_entropy

from attnlab import SCORES, attend, fit
from attnlab.hard import argmax
from widgets.draws import DrawExplorer
from widgets.look import LookExplorer
from widgets.score import ScoreExplorer

STEPS = range(0, 201, 10)


class Examples(NamedTuple):
    letters: torch.Tensor
    digits: torch.Tensor
    right: torch.Tensor


class Reader(nn.Module):
    """The model of lesson 03, narrower."""

    def __init__(self, score, dim=17):
        super().__init__()
        self.letter, self.digit, self.place = nn.Embedding(5, dim), nn.Embedding(10, dim), nn.Embedding(5, dim)
        self.question = nn.Parameter(torch.randn(2, 5, dim))
        self.answer = nn.Linear(dim, 10)
        self.score = score(dim, dim, dim)

    def forward(self, letters, digits, **look):
        key = (self.letter(letters) + self.digit(digits) + self.place.weight).unsqueeze(1)
        seen = attend(self.question, key, key, self.score, **look)
        return self.answer(seen.context), seen


def draw(batch, seed):
    generator = torch.Generator().manual_seed(seed)
    letters = torch.rand(batch, 5, generator=generator).argsort(1)
    places = torch.arange(5).expand(batch, 5)
    digits = torch.randint(10, (batch, 5), generator=generator)
    return Examples(letters, digits, torch.stack([places, letters.argsort(1)], 1))


def made(score):
    torch.manual_seed(0)
    return Reader(score)


@pytest.fixture(scope="module")
def history():
    return {name: dict.fromkeys(STEPS, made(score)) for name, score in SCORES.items()}


@pytest.fixture(scope="module")
def examples():
    return draw(7, seed=1)


@pytest.fixture(scope="module")
def trained():
    """A model that knows where to look."""
    model = made(SCORES["general"])

    def loss(generator):
        seed = int(torch.randint(10**6, (), generator=generator))
        letters, digits, right = draw(32, seed)
        answers, _ = model(letters, digits)
        return cross_entropy(answers.flatten(0, 2), digits.unsqueeze(1).expand(-1, 2, -1).gather(2, right).flatten())

    for _ in fit(model, loss, steps=250, rate=2e-2):
        pass
    return model


def test_scores(history, examples):
    drive(ScoreExplorer(history, examples), history=history, examples=examples)


def test_looks(history, examples):
    models = {name: models[0] for name, models in history.items()}
    drive(LookExplorer(models, examples), models=models, examples=examples)


@pytest.mark.parametrize("look", ["hard, the likeliest", "hard, drawn", "window", "window and bell"])
def test_each_look(history, examples, look):
    models = {name: models[0] for name, models in history.items()}
    drive(LookExplorer(models, examples, look=look), models=models, examples=examples)


@pytest.mark.parametrize("state", [{}, {"baseline": True}, {"reward": "for all ten answers"},
                                   {"reward": "for all ten answers", "baseline": True, "question": "2nd"}])
def test_draws(trained, examples, state):
    drive(DrawExplorer(trained, examples, **state), model=trained, examples=examples)


def test_push_is_minus_the_gradient_by_finite_differences(history, examples):
    explorer = ScoreExplorer(history, examples, score="additive")
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


def test_parameters_and_accuracy_are_told(history, examples, trained):
    explorer = ScoreExplorer({**history, "general": dict.fromkeys(STEPS, trained)}, examples, score="general")
    assert explorer.result.parameters == 17 * 17
    assert explorer.result.right == [1.0, 1.0]
    assert "289 parameters" in repr(explorer.parts["caption"])
    assert "it has learned both" in repr(explorer.parts["caption"])
    explorer.score = "dot"
    assert "no parameters" in repr(explorer.parts["caption"])
    explorer.score = "concat"
    assert "All rows are the same" in repr(explorer.parts["caption"])
    assert (explorer.weights - explorer.weights[0]).abs().max() < 1e-6
    assert repr(explorer) == "ScoreExplorer(concat, step 200): w·[q; k]"


def test_a_history_that_is_not_whole_yet_is_told(history, examples):
    explorer = ScoreExplorer({**history, "dot": {0: history["dot"][0]}}, examples, step=0)
    explorer.step = 10
    assert "train to the end first" in explorer.parts["caption"].error


def test_a_window_hides_what_lies_outside(trained, examples):
    explorer = LookExplorer({"general": trained}, examples, score="general", look="window", radius=1)
    weights, mask = explorer.weights, torch.from_numpy(explorer.parts["matrix"].mask[0])
    far = (torch.arange(5) - torch.arange(5).unsqueeze(1)).abs().repeat(2, 1) > 1
    assert (weights[far] == 0).all()
    assert torch.equal(mask == 0, far)
    torch.testing.assert_close(weights.sum(1), torch.ones(10))
    explorer.look = "window and bell"
    assert (explorer.weights.sum(1) <= 1 + 1e-6).all()
    assert explorer.weights[5:].sum(1).min() < 0.9


def test_a_window_costs_the_questions_by_letter(trained, examples):
    explorer = LookExplorer({"general": trained}, examples, score="general")
    assert explorer.result.right == [1.0, 1.0]
    explorer.change(look="window", radius=1)
    assert explorer.result.right[0] == 1.0
    assert explorer.result.right[1] < 0.8


def test_hard_looks_choose_one(trained, examples):
    models = {"general": trained, "content": made(SCORES["content"])}
    explorer = LookExplorer(models, examples, score="content", look="hard, drawn")
    first = explorer.weights.clone()
    assert set(first.unique().tolist()) == {0.0, 1.0}
    explorer.again = 1
    assert not torch.equal(first, explorer.weights)
    explorer.change(score="general", look="hard, the likeliest")
    _, seen = trained(examples.letters, examples.digits, weigh=argmax)
    torch.testing.assert_close(explorer.weights, seen.weights[0].flatten(0, 1))


def test_the_exact_gradient_is_what_draws_agree_on(trained, examples):
    """By finite differences of the expected reward; and the mean of all draws comes near it."""
    explorer = DrawExplorer(trained, examples, question="2nd", draws=64)
    letters, digits, right = (part[:1] for part in examples)
    scores = trained(letters, digits)[1].scores[0, 0, 1].detach()
    goal = digits[0, right[0, 0, 1]]
    rewards = []
    for card in torch.eye(5):
        answers, _ = trained(letters, digits, weigh=lambda scores, allowed, card=card: card.expand_as(scores))
        rewards.append(answers[0, 0, 1].log_softmax(-1)[goal].item())
    expected = lambda scores: (scores.softmax(0) * torch.tensor(rewards)).sum().item()  # noqa: E731
    for card in range(5):
        nudge = 0.01 * torch.eye(5)[card]
        slope = (expected(scores + nudge) - expected(scores - nudge)) / 0.02
        assert explorer.result.exact[card].item() == pytest.approx(slope, abs=2e-3)


def test_more_draws_and_a_baseline_spread_less(history, examples):
    explorer = DrawExplorer(history["scaled_dot"][0], examples)
    one = explorer.spread
    explorer.draws = 16
    assert explorer.spread == pytest.approx(one / 4)
    explorer.change(draws=1, baseline=True)
    assert explorer.spread < one
    own = explorer.spread
    explorer.reward = "for all ten answers"
    assert explorer.spread > own
    mean = explorer.change(draws=64) or explorer.result.estimates.mean(0)
    torch.testing.assert_close(mean, explorer.result.exact, atol=6 * explorer.spread, rtol=0)
