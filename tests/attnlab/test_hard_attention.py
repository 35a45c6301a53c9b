from math import log

import oracles_hard
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import seeded

from attnlab.alignment import General, dot
from attnlab.attention import attend, masked_softmax
from attnlab.hard_attention import argmax, entropy, log_probability, moving_average, sampled, surrogate


def drawn(seed, queries=3, keys=5, *batch):
    """Scores in double precision and which keys are allowed."""
    generator = seeded(seed)
    scores = torch.randn(*batch, queries, keys, dtype=torch.float64, generator=generator)
    return scores, torch.rand(*batch, queries, keys, generator=generator) < 0.6


sizes = {"seed": st.integers(0, 10**6), "queries": st.integers(0, 5), "keys": st.integers(0, 7)}


# One key for each query.


def test_keys_are_drawn_with_the_softmaxs_probabilities():
    scores, allowed = torch.tensor([[0.3, -1.0, 2.0, 9.0, 1.1]]), torch.tensor([[True, True, True, False, True]])
    draws = 20_000
    weights = sampled(seeded(0))(scores.expand(draws, 1, 5), allowed.expand(draws, 1, 5))
    found = weights.sum(0)
    expected = draws * masked_softmax(scores, allowed)
    assert found[0, 3] == 0
    chi_squared = ((found - expected).square() / expected)[allowed].sum()
    assert chi_squared < 16.3  # three degrees of freedom: a fair draw is above in 1 of 1000 seeds


@settings(deadline=None, max_examples=40)
@given(**sizes, temperature=st.floats(0.05, 20))
@pytest.mark.parametrize("make", [lambda seed: sampled(seeded(seed)), lambda seed: argmax])
def test_each_query_gets_one_allowed_key_or_none(make, seed, queries, keys, temperature):
    generator = seeded(seed)
    query, key, value = (torch.randn(2, rows, 3, generator=generator) for rows in (queries, keys, keys))
    mask = torch.rand(2, queries, keys, generator=generator) < 0.5
    attention = attend(query, key, value, dot, mask, temperature, weigh=make(seed))
    weights = attention.weights
    assert ((weights == 0) | (weights == 1)).all()
    assert torch.equal(weights.sum(-1), mask.any(-1).float())
    assert not weights[~mask].any()
    assert not attention.context[~mask.any(-1)].any()


@settings(deadline=None, max_examples=40)
@given(**sizes)
def test_argmax_in_loops(seed, queries, keys):
    scores, allowed = drawn(seed, queries, keys)
    expected = oracles_hard.argmax(scores, allowed)
    weights = argmax(scores, allowed)
    assert torch.equal(weights.float(), expected)
    if queries and keys:
        torch.testing.assert_close(weights, masked_softmax(scores / 1e-7, allowed))  # the limit of low temperatures


def test_equal_scores_share_nothing():
    assert argmax(torch.zeros(3, 5), torch.ones(3, 5, dtype=torch.bool)).sum(-1).tolist() == [1, 1, 1]


def test_the_same_seed_draws_the_same_keys(device):
    scores, allowed = drawn(0, 11, 7, 2)
    first, again = (sampled(seeded(3))(scores, allowed) for _ in range(2))
    assert torch.equal(first, again)
    there = sampled(seeded(3))(scores.to(device), allowed.to(device))
    assert there.device.type == device.type
    assert torch.equal(there.cpu(), first)
    assert not torch.equal(sampled(seeded(4))(scores, allowed), first)
    weigh = sampled(seeded(3))
    weigh(scores, allowed)
    assert not torch.equal(weigh(scores, allowed), first)  # the generator goes on


def test_without_a_generator_torchs_own_draws(device):
    scores, allowed = (part.to(device) for part in drawn(0, 11, 7, 2))
    torch.manual_seed(5)
    first = sampled()(scores, allowed)
    torch.manual_seed(5)
    assert torch.equal(sampled()(scores, allowed), first)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_weights_are_of_the_scores_dtype(dtype):
    query, key, value = (torch.randn(rows, 3).to(dtype) for rows in (2, 5, 5))
    for weigh in (sampled(seeded(0)), argmax):
        attention = attend(query, key, value, weigh=weigh)
        assert attention.weights.dtype == attention.context.dtype == dtype


def test_no_gradient_goes_through_a_draw():
    query, key, value = (torch.randn(rows, 3, requires_grad=True) for rows in (2, 5, 5))
    for weigh in (sampled(seeded(0)), argmax):
        attention = attend(query, key, value, weigh=weigh)
        assert not attention.weights.requires_grad
        value.grad = None
        attention.context.sum().backward()
        assert query.grad is None
        assert torch.equal(value.grad.any(-1), attention.weights.bool().any(0))


# The losses in loops.


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), queries=st.integers(1, 5), keys=st.integers(1, 7))
def test_losses_in_loops(seed, queries, keys):
    scores, allowed = drawn(seed, queries, keys)
    weights = sampled(seeded(seed))(scores, allowed)
    reward, baseline = torch.randn(2, queries, dtype=torch.float64, generator=seeded(seed))
    logs = oracles_hard.log_probability(scores, weights, allowed)
    assert log_probability(scores, weights, allowed).tolist() == pytest.approx(logs, abs=1e-9)
    assert entropy(scores, allowed).tolist() == pytest.approx(oracles_hard.entropy(scores, allowed), abs=1e-9)
    expected = oracles_hard.surrogate(scores, weights, reward, baseline, allowed)
    assert surrogate(scores, weights, reward, baseline, allowed).item() == pytest.approx(expected, abs=1e-9)


def test_loss_gradients():
    scores, allowed = drawn(1)
    allowed[1] = False
    weights = sampled(seeded(0))(scores, allowed)
    reward = torch.randn(3, dtype=torch.float64)
    scores.requires_grad_()
    for loss in (
        lambda scores: log_probability(scores, weights, allowed),
        lambda scores: entropy(scores, allowed),
        lambda scores: surrogate(scores, weights, reward, 0.3, allowed),
    ):
        assert torch.autograd.gradcheck(loss, scores)


def test_entropy_from_certain_to_undecided():
    scores = torch.tensor([[0.0] * 7, [0.0] * 6 + [1e4], [0.0] * 7, [0.0] * 7], requires_grad=True)
    mask = torch.ones(4, 7, dtype=torch.bool)
    mask[2, 3:], mask[3] = False, False
    found = entropy(scores, mask)
    assert found.tolist() == pytest.approx([log(7), 0, log(3), 0], abs=1e-6)
    found.sum().backward()
    assert scores.grad.isfinite().all()


def test_scores_of_minus_infinity_are_a_mask():
    scores, allowed = drawn(2)
    masked = scores.masked_fill(~allowed, -torch.inf)
    weights = sampled(seeded(0))(scores, allowed)
    assert torch.equal(log_probability(masked, weights), log_probability(scores, weights, allowed))
    assert torch.equal(entropy(masked), entropy(scores, allowed))


def test_a_choice_too_unlikely_for_a_number():
    scores = torch.tensor([[0.0, -200.0]], requires_grad=True)
    found = log_probability(scores, torch.tensor([[0.0, 1.0]]))
    assert found.item() == -200
    found.backward(torch.ones(1))
    torch.testing.assert_close(scores.grad, torch.tensor([[-1.0, 1.0]]))


def test_losses_on_every_device(device):
    scores, allowed = drawn(3, 5, 7, 2)
    weights, reward = sampled(seeded(0))(scores, allowed), torch.randn(2, 5).double()
    expected = surrogate(scores, weights, reward, 0.5, allowed)
    found = surrogate(*(part.to(device) for part in (scores, weights, reward)), 0.5, allowed.to(device))
    assert found.item() == pytest.approx(expected.item(), abs=1e-4)
    assert entropy(scores.to(device), allowed.to(device)).device.type == device.type


# What REINFORCE promises, with every choice counted and none drawn.


def counted(scores, mask, reward, baseline):
    """Mean and variance of the surrogate's gradient over all choices. reward: weights -> reward."""
    gradients, shares = [], []
    for weights, probability in oracles_hard.choices(scores, mask):
        leaf = scores.clone().requires_grad_()
        loss = surrogate(leaf, weights, reward(weights), baseline, mask)
        gradients.append(torch.autograd.grad(loss, leaf)[0])
        shares.append(probability)
    gradients, shares = torch.stack(gradients), torch.tensor(shares, dtype=torch.float64).view(-1, 1, 1)
    mean = (shares * gradients).sum(0)
    return mean, (shares * (gradients - mean).square()).sum()


def true_gradient(scores, mask, reward):
    """Of -E[sum of the rewards]: through the softmax, which is written out as the expectation of every choice."""
    leaf = scores.clone().requires_grad_()
    weights_of_softmax = leaf.masked_fill(~mask, -torch.inf).softmax(-1)
    expectation = 0.0
    for weights, _ in oracles_hard.choices(scores, mask):
        chosen = (weights_of_softmax.nan_to_num(0.0) * weights).sum(-1)
        probability = chosen[mask.any(-1)].prod()
        expectation = expectation + probability * reward(weights).sum()
    return torch.autograd.grad(-expectation, leaf)[0]


def table(mask, seed=0, level=0.0):
    """A reward for every choice of all queries together: [1], the same for the whole sentence."""
    size = (mask.shape[1] + 1,) * mask.shape[0]
    rewards = level + torch.randn(size, dtype=torch.float64, generator=seeded(seed))

    def reward(weights):
        place = weights @ torch.arange(1, mask.shape[1] + 1, dtype=torch.float64)  # 0 where nothing is chosen
        return rewards[tuple(place.long().tolist())].view(1)

    return reward


MASKS = [
    torch.ones(2, 3, dtype=torch.bool),
    torch.tensor([[True, False, True, True], [False, True, True, False], [True, False, False, False]]),
]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("baseline", [0.0, -2.5, 7])
def test_on_average_the_gradient_is_that_of_the_expected_reward(mask, baseline):
    scores, _ = drawn(5, *mask.shape)
    reward = table(mask)
    mean, _ = counted(scores, mask, reward, baseline)
    expected = true_gradient(scores, mask, reward)
    assert expected.abs().max() > 0.01
    torch.testing.assert_close(mean, expected, atol=1e-12, rtol=1e-9)


def test_a_reward_for_each_query():
    """It may be the query's own where nothing that one query does changes the others' rewards."""
    mask = MASKS[1]
    scores, own = drawn(6, *mask.shape)[0], torch.randn(mask.shape, dtype=torch.float64, generator=seeded(1))

    def reward(weights):
        return (weights * own).sum(-1)

    mean, variance = counted(scores, mask, reward, 0.0)
    torch.testing.assert_close(mean, true_gradient(scores, mask, reward), atol=1e-12, rtol=1e-9)
    shared, larger = counted(scores, mask, lambda weights: reward(weights).sum().view(1), 0.0)
    torch.testing.assert_close(shared, mean, atol=1e-12, rtol=1e-9)
    assert variance < larger  # blame that is shared out is noise


def test_a_query_with_nothing_to_attend_to_learns_nothing():
    mask = torch.tensor([[True, True, True], [False, False, False]])
    scores, _ = drawn(7, *mask.shape)
    mean, _ = counted(scores, mask, table(mask), 0.5)
    torch.testing.assert_close(mean, true_gradient(scores, mask, table(mask)), atol=1e-12, rtol=1e-9)
    assert not mean[1].any()


@pytest.mark.parametrize("mask", MASKS)
def test_a_baseline_lowers_the_variance_and_not_the_mean(mask):
    scores, _ = drawn(8, *mask.shape)
    reward = table(mask, level=10.0)
    average = sum(probability * reward(weights).item() for weights, probability in oracles_hard.choices(scores, mask))
    plain, steadied = (counted(scores, mask, reward, baseline) for baseline in (0.0, average))
    torch.testing.assert_close(steadied[0], plain[0], atol=1e-12, rtol=1e-9)
    assert steadied[1] < plain[1] / 10


def test_a_model_learns_all_of_its_gradient():
    """Values and scores at once: the gradient of the reward itself, plus that of the surrogate."""
    parts = [torch.randn(rows, 3, dtype=torch.float64, generator=seeded(rows)) for rows in (2, 4)]
    target = torch.randn(2, 3, dtype=torch.float64, generator=seeded(9))
    score, mask, temperature = General(3, 3).double(), MASKS[1][:2], 0.7

    def reward(context):
        return -(context - target).square().sum(-1)

    def seen(query, key, weigh):
        return attend(query, key, torch.tanh(key), score, mask, temperature, weigh)

    def leaves():
        return [*(part.clone().requires_grad_() for part in parts), score.key.weight]

    query, key, weight = leaves()
    tempered = seen(query, key, masked_softmax).scores / temperature
    weights_of_softmax, expectation, estimates = masked_softmax(tempered, mask), 0.0, 0.0
    for weights, probability in oracles_hard.choices(tempered.detach(), mask):
        rewards = reward(weights @ torch.tanh(key))
        expectation = expectation + (weights_of_softmax * weights).sum(-1).prod() * rewards.sum()

        here = leaves()
        attention = seen(*here[:2], lambda scores, allowed, fixed=weights: fixed)
        rewards = reward(attention.context)
        loss = -rewards.sum() + surrogate(attention.scores / temperature, weights, rewards, -3.0, mask)
        estimates = estimates + probability * torch.cat([g.flatten() for g in torch.autograd.grad(loss, here)])
    expected = torch.cat([g.flatten() for g in torch.autograd.grad(-expectation, [query, key, weight])])
    torch.testing.assert_close(estimates, expected, atol=1e-12, rtol=1e-9)


def test_the_reward_and_the_baseline_are_constants():
    scores, allowed = drawn(9)
    weights = argmax(scores, allowed)
    reward, baseline = (torch.randn(3).double().requires_grad_() for _ in range(2))
    scores.requires_grad_()
    surrogate(scores, weights, reward, baseline, allowed).backward()
    assert reward.grad is None
    assert baseline.grad is None


def test_drawing_learns_which_key_is_paid_for():
    query, key = torch.eye(3).unsqueeze(0).expand(16, 3, 3), torch.eye(5)
    paid, baseline, generator = torch.tensor([4, 0, 2]), 0.0, seeded(0)
    torch.manual_seed(0)
    score = General(3, 5)
    optimiser = torch.optim.Adam(score.parameters(), lr=0.2)
    for _ in range(40):
        seen = attend(query, key, key, score, weigh=sampled(generator))
        reward = seen.weights.gather(-1, paid.expand(16, 3).unsqueeze(-1)).squeeze(-1)
        loss = surrogate(seen.scores, seen.weights, reward, baseline) - 0.01 * entropy(seen.scores).sum()
        baseline = moving_average(baseline, reward)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert torch.equal(attend(query[0], key, key, score, weigh=argmax).weights.argmax(-1), paid)
    assert baseline > 0.8


def test_moving_average():
    reward = torch.tensor([[1.0, 2.0], [4.0, 5.0]], requires_grad=True)
    first = moving_average(0.0, reward)
    assert first.item() == pytest.approx(0.3)
    assert not first.requires_grad
    assert moving_average(first, reward, keep=0.5).item() == pytest.approx(0.5 * 0.3 + 0.5 * 3)
    assert moving_average(2, reward, keep=1).item() == 2
    for keep in (-0.1, 1.1, torch.nan):
        with pytest.raises(ValueError, match=f"keep from 0 to 1, got {keep}"):
            moving_average(0.0, reward, keep)


# Bad inputs.


SCORES, CHOICE, REWARD = torch.zeros(2, 3, 5), torch.eye(3, 5).repeat(2, 1, 1), torch.zeros(2, 3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reward": torch.zeros(3)}, r"a reward for each choice, \[2, 3\], .* got \[3\]"),
        ({"reward": torch.zeros(2)}, r"a reward for each choice, \[2, 3\], .* got \[2\]"),
        ({"reward": torch.zeros(2, 5)}, r"a reward .* got \[2, 5\]"),
        ({"baseline": torch.zeros(3)}, r"a baseline for each choice, \[2, 3\], .* got \[3\]"),
        ({"weights": CHOICE / 2}, r"1 for at most one key .* got a row with the sum 0.5 and the largest weight 0.5"),
        ({"weights": torch.full((2, 3, 5), 0.2)}, r"1 for at most one key .* sum 1 and the largest weight 0.2"),
        ({"weights": torch.ones(2, 3, 5)}, r"1 for at most one key .* sum 5 and the largest weight 1"),
        ({"weights": -CHOICE}, r"1 for at most one key .* sum -1"),
        ({"mask": torch.arange(5) > 1}, "got one that the mask forbids"),
        ({"weights": CHOICE[..., :4]}, r"weights of the shape of the scores, \[2, 3, 5\], got \[2, 3, 4\]"),
        ({"mask": torch.ones(4, dtype=torch.bool)}, r"a mask that broadcasts to the scores \[2, 3, 5\], got \[4\]"),
        ({"mask": torch.ones(3, 5)}, r"a boolean mask .* got torch.float32"),
    ],
)
@pytest.mark.usefixtures("as_a_learner")
def test_bad_inputs(changes, message):
    given = {"scores": SCORES, "weights": CHOICE, "reward": REWARD, "baseline": 0.0, "mask": None} | changes
    with pytest.raises(ValueError, match=message):
        surrogate(**given)


@pytest.mark.parametrize("reward", [torch.tensor(2.0), torch.full((2, 1), 2.0), torch.full((1, 3), 2.0)])
def test_rewards_for_whole_axes(reward):
    scores = torch.randn(2, 3, 5)
    expected = surrogate(scores, CHOICE, torch.full((2, 3), 2.0))
    torch.testing.assert_close(surrogate(scores, CHOICE, reward), expected)


def test_a_score_of_minus_infinity_forbids_its_key_beside_a_mask():
    scores, mask = torch.tensor([[0.0, -torch.inf, 1.0, 2.0]]), torch.tensor([True, True, True, False])
    torch.testing.assert_close(entropy(scores, mask), entropy(torch.tensor([[0.0, 1.0]])))
