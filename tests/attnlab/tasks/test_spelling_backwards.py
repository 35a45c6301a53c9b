"""Strings to be named backwards, the stacks of blocks that learn it, and when they have."""

import math

import pytest
import torch

from attnlab.blocks import no_norm, post_norm, pre_norm
from attnlab.tasks.spelling_backwards import (
    Reverser,
    alike_after_blocks,
    backwards_loss,
    learned,
    right_backwards,
    strings,
    until_learned,
)
from attnlab.tasks.tagging import accuracy
from attnlab.training import Step, fit


@pytest.fixture
def asked():
    return strings(30, torch.Generator().manual_seed(5))


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Reverser(2, pre_norm).eval()


def test_the_answers_are_the_strings_backwards(asked):
    assert asked.targets.tolist() == [string[::-1] for string in asked.inputs.tolist()]
    assert asked.inputs.shape == (30, 10)
    assert set(asked.inputs.flatten().tolist()) == set(range(16))


def test_only_pre_norm_has_one_more_norm_at_the_end(model, asked):
    x = model.positions(model.embedding(asked.inputs))
    for block in model.blocks:
        x = block(x)
    torch.testing.assert_close(model(asked.inputs), model.answer(model.norm(x)))
    assert len(model.norm.gain) == 32
    assert not list(Reverser(1, post_norm).norm.parameters())
    assert not list(Reverser(1, pre_norm, no_norm).norm.parameters())


def test_how_alike_is_the_mean_of_all_pairs(model, asked):
    vectors = model.after_blocks(asked.inputs).flatten(0, 1).tolist()[:40]
    few = type(asked)(asked.inputs[:4], asked.targets[:4])
    pairs = [
        sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)
        for i, one in enumerate(vectors)
        for other in vectors[:i]
    ]
    assert alike_after_blocks(model, few) == pytest.approx(sum(pairs) / len(pairs), abs=1e-5)


def test_a_fresh_model_guesses_and_a_trained_one_is_right(model, asked):
    assert right_backwards(model, asked) == accuracy(model(asked.inputs), asked.targets) < 0.2
    steps = list(until_learned(fit(model, lambda g: backwards_loss(model, g), 300, rate=1e-2)))
    assert steps[0].loss > 2.5
    assert len(steps) < 300
    assert right_backwards(model, asked) > 0.95


def test_learned_is_ten_losses_below_a_tenth_on_average():
    assert not learned([0.01] * 9)
    assert learned([3.0] + [0.09] * 10)
    assert not learned([0.0] * 10 + [0.2] * 6)
    falling = (Step(i, 2.0 if i < 20 else 0.05) for i in range(1, 100))
    assert [step.step for step in until_learned(falling)] == list(range(1, 30))
