"""Letter models with and without a mask, told everything or only the past."""

import pytest
import torch

from attnlab.tasks.next_letter import loss_of_next, told_everything, told_the_past, two_models
from attnlab.tasks.text import Text


@pytest.fixture(scope="module")
def task():
    text = "the quick brown fox jumps over the lazy dog. " * 20
    return Text(text, text)


def test_they_begin_alike_and_differ_in_who_may_look(task):
    leaky, honest = two_models(task, seed=1).values()
    for one, other in zip(leaky.parameters(), honest.parameters(), strict=True):
        assert torch.equal(one, other)
    tokens = task.encode("the quick brown")[None]
    changed = tokens.clone()
    changed[0, 10:] = 0
    moved = [(model(changed) - model(tokens))[0, :10].abs().max().item() for model in (leaky, honest)]
    assert moved[0] > 0.01
    assert moved[1] == pytest.approx(0, abs=1e-5)


def test_what_is_told_matters_to_the_leaky_one_alone(task):
    windows = task.test(12, 3)
    for name, model in two_models(task).items():
        everything, past = told_everything(model, *windows), told_the_past(model, *windows)
        assert everything.shape == past.shape == (12,)
        assert torch.allclose(everything, past, atol=1e-5) is (name == "causal")
        torch.testing.assert_close(everything[-1], past[-1])


def test_the_loss_is_that_of_guessing_before_anything_is_learned(task):
    model = two_models(task)["causal"]
    loss = loss_of_next(model, task, torch.Generator().manual_seed(0))
    assert loss.item() == pytest.approx(torch.tensor(float(len(task.vocabulary))).log().item(), rel=0.2)
