"""HardAttentionGradientExplorer: estimates of a gradient from draws, beside the exact one."""

import pytest
import torch
from card_reader import deal, fresh, trained
from explorers import code_gives_the_picture, drive

from attnlab.analysis import reward_of_each_key
from attnlab.hard_attention import sampled, surrogate
from widgets.explorers.l03_alignment.hard_attention_gradient import ALL, HardAttentionGradientExplorer


@pytest.fixture(scope="module")
def examples():
    return deal(7, seed=1)


def test_every_control(examples):
    drive(HardAttentionGradientExplorer(fresh("scaled_dot"), examples), model=fresh("scaled_dot"), examples=examples)


@pytest.mark.parametrize(
    "state", [{"baseline": True}, {"reward": ALL}, {"reward": ALL, "baseline": True, "question": "2nd", "draws": 5}]
)
def test_code_of_other_states(examples, state):
    code_gives_the_picture(
        HardAttentionGradientExplorer(trained(), examples, **state), model=trained(), examples=examples
    )


@pytest.mark.parametrize("state", [{}, {"baseline": True}, {"reward": ALL}, {"reward": ALL, "baseline": True}])
def test_estimates_are_the_gradient_of_the_surrogate(examples, state):
    """The way in which a model learns: by the loss of `hard_attention`, through autograd."""
    model, (letters, digits, right) = fresh("scaled_dot"), (part[:1] for part in examples)
    explorer = HardAttentionGradientExplorer(model, examples, question="2nd", draws=64, **state)
    answers, seen = model(
        letters.expand(512, -1), digits.expand(512, -1), weigh=sampled(torch.Generator().manual_seed(0))
    )
    goal = digits.unsqueeze(1).expand_as(right).gather(2, right)
    rewards = answers.log_softmax(-1).gather(3, goal.expand(512, -1, -1).unsqueeze(3)).flatten(1).detach()
    drawn = seen.weights.flatten(1, 2)
    weights, each = reward_of_each_key(model, letters, digits, right)
    expected = (weights * each).sum(1)  # [questions]
    if "reward" in state:
        rewards, expected = rewards.sum(1, keepdim=True), expected.sum(0, keepdim=True)
    loss = surrogate(seen.scores.flatten(1, 2), drawn, rewards, expected[None] if "baseline" in state else 0.0)
    (gradient,) = torch.autograd.grad(-loss, seen.scores)
    single = gradient.flatten(1, 2)[:, 1]
    torch.testing.assert_close(explorer.result.estimates, single.view(8, 64, 5).mean(1), atol=1e-4, rtol=1e-4)


def test_the_exact_gradient_by_finite_differences(examples):
    explorer = HardAttentionGradientExplorer(trained(), examples, question="2nd")
    letters, digits, right = (part[:1] for part in examples)
    scores = trained()(letters, digits)[1].scores[0, 0, 1].detach()
    rewards = []
    for card in torch.eye(5):
        answers, _ = trained()(letters, digits, weigh=lambda scores, allowed, card=card: card.expand_as(scores))
        rewards.append(answers[0, 0, 1].log_softmax(-1)[digits[0, right[0, 0, 1]]].item())
    for card in range(5):
        nudge = 0.01 * torch.eye(5)[card]
        up, down = ((scores + step).softmax(0) @ torch.tensor(rewards) for step in (nudge, -nudge))
        assert explorer.result.exact[card].item() == pytest.approx(float(up - down) / 0.02, abs=2e-3)


def test_more_draws_and_a_baseline_spread_less(examples):
    explorer = HardAttentionGradientExplorer(fresh("scaled_dot"), examples)
    one = explorer.spread
    explorer.draws = 16
    assert explorer.spread == pytest.approx(one / 4)
    explorer.change(draws=1, baseline=True)
    assert explorer.spread < one
    own = explorer.spread
    explorer.reward = ALL
    assert explorer.spread > own
    explorer.draws = 64
    torch.testing.assert_close(
        explorer.result.estimates.mean(0), explorer.result.exact, atol=6 * explorer.spread, rtol=0
    )
