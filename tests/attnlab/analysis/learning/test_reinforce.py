"""The exact gradient by finite differences, the estimates by autograd; and the rewards of a reader by loops."""

from inspect import unwrap

import pytest
import torch

from attnlab.analysis.learning.reinforce import draw_rewards, exact_gradient, reinforce_estimates, reward_of_each_key
from attnlab.attention import attend
from attnlab.hard_attention import argmax, sampled, surrogate

LETTERS, DIGITS = torch.tensor([[0, 2, 1]]), torch.tensor([[4, 7, 1]])
RIGHT = torch.tensor([[[0, 1, 2], [0, 2, 1]]])  # by place and by letter


def reader(letters, digits, **look):
    """Three keys, two kinds of three questions, ten answers: fixed vectors in place of learned ones."""
    generator = torch.Generator().manual_seed(3)
    letter, digit = torch.randn(3, 6, generator=generator), torch.randn(10, 6, generator=generator)
    question, answer = torch.randn(2, 3, 6, generator=generator), torch.randn(6, 10, generator=generator)
    key = (letter[letters] + digit[digits]).unsqueeze(1)
    seen = attend(question, key, key, **look)
    return seen.context @ answer, seen


def test_exact_gradient_by_finite_differences():
    generator = torch.Generator().manual_seed(0)
    scores, rewards = torch.randn(2, 5, dtype=torch.float64, generator=generator)
    found = exact_gradient(scores.softmax(0), rewards)
    for key in range(5):
        nudge = 1e-6 * torch.eye(5, dtype=torch.float64)[key]
        slope = ((scores + nudge).softmax(0) @ rewards - (scores - nudge).softmax(0) @ rewards) / 2e-6
        assert found[key].item() == pytest.approx(float(slope), abs=1e-8)


@pytest.mark.parametrize("baseline", [0.0, -1.5])
def test_estimates_are_the_gradient_of_the_surrogate(baseline):
    generator = torch.Generator().manual_seed(0)
    scores, rewards = torch.randn(5, generator=generator), torch.randn(64, generator=generator)
    every = scores.expand(64, 1, 5).clone().requires_grad_()
    drawn = sampled(generator)(every, torch.ones(64, 1, 5, dtype=torch.bool))
    (expected,) = torch.autograd.grad(surrogate(every, drawn, rewards[:, None], baseline), every)
    found = reinforce_estimates(scores.softmax(0), drawn[:, 0], rewards, baseline)
    torch.testing.assert_close(found, -expected[:, 0])


@pytest.mark.parametrize("baseline", [0.0, 2.0])
def test_estimates_agree_in_the_mean_over_all_keys(baseline):
    """Each key once, weighted with its chance: an expectation without a single draw."""
    weights, rewards = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([-1.0, -3.0, 0.5])
    estimates = reinforce_estimates(weights, torch.eye(3), rewards, baseline)
    torch.testing.assert_close(weights @ estimates, exact_gradient(weights, rewards))


def test_rewards_of_each_key_one_after_the_other():
    weights, rewards = reward_of_each_key(reader, LETTERS, DIGITS, RIGHT)
    torch.testing.assert_close(weights, reader(LETTERS, DIGITS)[1].weights[0].flatten(0, 1))
    for kind in range(2):
        for question in range(3):
            for key in range(3):
                chosen = torch.zeros(3)
                chosen[key] = 1
                answers, _ = reader(LETTERS, DIGITS, weigh=lambda scores, _, one=chosen: one.expand_as(scores))
                goal = DIGITS[0, RIGHT[0, kind, question]]
                expected = answers[0, kind, question].softmax(0)[goal].log()
                torch.testing.assert_close(rewards[3 * kind + question, key], expected)


def test_a_draw_is_rewarded_for_the_key_that_it_read():
    _, each = reward_of_each_key(reader, LETTERS, DIGITS, RIGHT)
    drawn, rewards = draw_rewards(reader, LETTERS, DIGITS, RIGHT, 40, torch.Generator().manual_seed(0))
    assert drawn.shape == (40, 6, 3)
    assert set(drawn.unique().tolist()) == {0.0, 1.0}
    torch.testing.assert_close(rewards, (drawn * each).sum(-1))
    again, _ = draw_rewards(reader, LETTERS, DIGITS, RIGHT, 40, torch.Generator().manual_seed(0))
    assert torch.equal(drawn, again)
    likeliest = reader(LETTERS, DIGITS, weigh=argmax)[1].weights[0].flatten(0, 1)
    assert (drawn.mean(0) * likeliest).sum() > 6 / 3, "the likely ones are drawn more often than by chance"


def test_one_example_at_a_time():
    two = (LETTERS.expand(2, -1), DIGITS.expand(2, -1), RIGHT.expand(2, -1, -1))
    with pytest.raises(ValueError, match="expected one example, got 2"):
        unwrap(reward_of_each_key)(reader, *two)
    with pytest.raises(ValueError, match="expected one example and one draw or more, got 1 and 0"):
        draw_rewards(reader, LETTERS, DIGITS, RIGHT, 0)
