import copy

import pytest
import torch
from torch import nn

from attnlab.training import device, fit, schedule


def line(dropout=0.0):
    """A small model, and the loss of a batch that is drawn from the generator it is given."""
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Dropout(dropout), nn.Linear(5, 1))

    def loss(generator):
        x = torch.randn(11, 3, generator=generator)
        return (model(x).squeeze(-1) - x.sum(-1)).square().mean()

    return model, loss


def parameters(model):
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def test_it_learns():
    model, loss = line()
    steps = list(fit(model, loss, 200, rate=2e-2))
    assert [step.step for step in steps] == list(range(1, 201))
    assert sum(step.loss for step in steps[-10:]) < 0.1 * sum(step.loss for step in steps[:10])


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_pauses_and_other_random_numbers_change_nothing(dropout):
    start, _ = line(dropout)

    def trained(disturbed):
        model, loss = line(dropout)
        model.load_state_dict(start.state_dict())
        losses = []
        for step in fit(model, loss, 40, seed=3):
            losses.append(step.loss)
            if disturbed:
                torch.manual_seed(step.step)
                model(torch.randn(2, 3))
        return losses, parameters(model)

    losses, weights = trained(disturbed=False)
    losses_again, weights_again = trained(disturbed=True)
    assert losses == losses_again
    assert torch.equal(weights, weights_again)


def test_training_leaves_the_global_generator_alone():
    model, loss = line(dropout=0.5)
    before = torch.get_rng_state()
    list(fit(model, loss, 3))
    assert torch.equal(torch.get_rng_state(), before)


def test_another_seed_is_another_training():
    model, loss = line()
    twin = copy.deepcopy(model)
    first = [step.loss for step in fit(model, loss, 3, seed=0)]
    model.load_state_dict(twin.state_dict())
    assert first != [step.loss for step in fit(model, loss, 3, seed=1)]


@pytest.mark.parametrize("stop", [1, 7, 30])
def test_stopped_anywhere_it_is_where_it_was_at_that_step(stop):
    model, loss = line()
    start, passed = copy.deepcopy(model.state_dict()), []
    for _ in fit(model, loss, 40):
        passed.append(parameters(model))
    model.load_state_dict(start)
    training = fit(model, loss, 40)
    for _ in range(stop):
        next(training)
    training.close()
    assert torch.equal(parameters(model), passed[stop - 1])
    assert not model.training


def test_measurements():
    model, loss = line(dropout=0.5)
    seen = []

    def measure():
        seen.append((model.training, torch.is_grad_enabled()))
        return {"calls": torch.tensor(len(seen))}

    metrics = [step.metrics for step in fit(model, loss, 8, measure=measure, every=3)]
    assert metrics == [{}, {}, {"calls": 1.0}, {}, {}, {"calls": 2.0}, {}, {"calls": 3.0}]
    assert seen == [(False, False)] * 3


def test_dropout_is_on_for_the_loss_alone():
    model, loss = line(dropout=0.5)
    modes = []

    def watched(generator):
        modes.append(model.training)
        return loss(generator)

    for _ in fit(model, watched, 2):
        assert not model.training
    assert modes == [True, True]


def test_schedule():
    rates = [schedule(step, steps=130, warmup=30) for step in range(1, 131)]
    assert rates[:30] == pytest.approx([step / 30 for step in range(1, 31)])
    assert rates[79] == pytest.approx(1 - 0.97 / 2)
    assert rates[-1] == pytest.approx(0.03)
    assert max(rates) == rates[29] == 1
    assert schedule(5, steps=10, warmup=30) == pytest.approx(5 / 30)


def test_one_huge_batch_is_clipped():
    model, _ = line()
    before = parameters(model)
    next(fit(model, lambda generator: 1e8 * model(torch.ones(1, 3)).sum(), 40, warmup=1, clip=1.0))
    gradient = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
    assert gradient.norm().item() == pytest.approx(1.0, rel=1e-3)
    assert not torch.equal(before, parameters(model))


@pytest.mark.parametrize("wrong", [torch.nan, torch.inf])
def test_a_loss_that_is_no_number(wrong):
    model, loss = line()
    training = fit(model, lambda generator: loss(generator) * (wrong if training_has_begun else 1), 10)
    training_has_begun = False
    next(training)
    training_has_begun, before = True, parameters(model)
    with pytest.raises(ValueError, match=f"loss of step 2 is {wrong}: expected a number"):
        next(training)
    assert torch.equal(parameters(model), before)
    assert not model.training


def test_an_error_in_the_loss_leaves_the_model_in_evaluation():
    model, _ = line()
    with pytest.raises(KeyError):
        next(fit(model, lambda generator: {}["missing"], 3))
    assert not model.training


@pytest.mark.parametrize(("steps", "rate"), [(0, 1e-3), (5, 0.0), (5, torch.nan)])
def test_steps_and_rates_that_are_none(steps, rate):
    model, loss = line()
    with pytest.raises(ValueError, match=f"got {steps} steps and rate {rate}"):
        next(fit(model, loss, steps, rate))


def test_nothing_is_printed(capsys):
    model, loss = line()
    list(fit(model, loss, 2))
    assert capsys.readouterr() == ("", "")


def test_device():
    assert device().type in ("cuda", "mps", "cpu")
    torch.zeros(1, device=device())
