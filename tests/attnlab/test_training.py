import copy
from functools import partial

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attnlab.optimisers import adamw
from attnlab.schedules import constant
from attnlab.seq2seq import AttentionSeq2Seq
from attnlab.specs import training as specs
from attnlab.training import (
    Film,
    Step,
    fit,
    in_bfloat16,
    measured,
    seeded,
    side_by_side,
    smoothed_cross_entropy,
    weights_of,
)
from attnlab.training import device as best_device


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


def test_a_step_on_the_cpu_seeds_no_other_device(monkeypatch):
    model, loss = line(dropout=0.5)
    asked = []
    monkeypatch.setattr(torch.cuda, "manual_seed_all", asked.append)
    list(fit(model, loss, 1))
    assert not asked, "where there is no GPU, torch writes down the stack of calls for each who asks"


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

    metrics = [step.metrics for step in measured(fit(model, loss, 8), measure, every=3)]
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


def test_one_huge_batch_is_clipped():
    model, _ = line()
    before = parameters(model)
    next(fit(model, lambda generator: 1e8 * model(torch.ones(1, 3)).sum(), 40, optimiser=partial(adamw, clip=1.0)))
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


@pytest.mark.parametrize(
    ("steps", "rate", "message"),
    [
        (0, 1e-3, "steps to be a whole number of at least 1, got 0"),
        (5, 0.0, "rate above 0, got 0.0"),
        (5, torch.nan, "rate above 0, got nan"),
    ],
)
def test_steps_and_rates_that_are_none(steps, rate, message):
    model, loss = line()
    with pytest.raises(ValueError, match=message):
        next(fit(model, loss, steps, rate))


def test_nothing_is_printed(capsys):
    model, loss = line()
    list(fit(model, loss, 2))
    assert capsys.readouterr() == ("", "")


def test_the_schedule_moves_the_rate_of_every_group():
    model, loss = line()
    made = []

    def two_rates(model, rate):
        first, *rest = model.parameters()
        made.append(torch.optim.SGD([{"params": [first], "lr": 10 * rate}, {"params": rest}], lr=rate))
        return made[0]

    shares = []

    def halving(step, steps):
        shares.append((step, steps))
        return 0.5**step

    for step in fit(model, loss, 3, rate=1e-3, optimiser=two_rates, schedule=halving):
        rates = [group["lr"] for group in made[0].param_groups]
        assert rates == pytest.approx([1e-2 * 0.5**step.step, 1e-3 * 0.5**step.step])
    assert shares == [(1, 3), (2, 3), (3, 3)]


def test_one_step_is_the_optimisers_own():
    model, _ = line()
    twin = copy.deepcopy(model)
    next(
        fit(
            model,
            lambda generator: model(torch.ones(2, 3)).square().sum(),
            5,
            rate=0.1,
            schedule=constant,
            optimiser=lambda model, rate: torch.optim.SGD(model.parameters(), lr=rate),
        )
    )
    twin(torch.ones(2, 3)).square().sum().backward()
    expected = [parameter - 0.1 * parameter.grad for parameter in twin.parameters()]
    for got, wanted in zip(model.parameters(), expected, strict=True):
        torch.testing.assert_close(got, wanted)


def test_the_last_step_says_so():
    model, loss = line()
    assert [step.last for step in fit(model, loss, 3)] == [False, False, True]


def test_measuring_never():
    with pytest.raises(ValueError, match="every to be a whole number of at least 1, got 0"):
        next(measured([], dict, every=0))
    with pytest.raises(ValueError, match="every to be a whole number of at least 1, got 0"):
        Film(dict, every=0)


def test_a_film_of_weights():
    model = AttentionSeq2Seq(11, 13, hidden=5, embedding=3)
    source, lengths = torch.randint(3, 11, (2, 7)), torch.tensor([7, 4])
    target = torch.randint(3, 13, (2, 5))

    def loss(generator):
        return cross_entropy(model(source, lengths, target).flatten(0, 1), target.flatten())

    film, seen = Film(lambda: weights_of(model, "decoder.attention", source, lengths, target), every=3), []
    seen.append(weights_of(model, "decoder.attention", source, lengths, target))
    for step in film.of(fit(model, loss, 8)):
        if step.step in (3, 6, 8):
            seen.append(weights_of(model, "decoder.attention", source, lengths, target))
    assert film.steps == [0, 3, 6, 8]
    assert film.frames.shape == (4, 2, 5, 7)
    assert torch.equal(film.frames, torch.stack(seen))
    assert not torch.equal(film.frames[0], film.frames[-1])


def test_a_film_keeps_what_it_saw_of_weights_that_change_in_place():
    shown = torch.zeros(2, 3)
    film = Film(lambda: shown, every=1)
    with pytest.raises(ValueError, match="got none yet"):
        _ = film.frames
    for _ in film.of(Step(i, 0.0) for i in (1, 2)):
        shown += 1
    assert film.frames[:, 0, 0].tolist() == [0, 0, 1]


def test_a_film_does_not_change_the_training():
    def trained(watched):
        torch.manual_seed(0)
        model, loss = line(dropout=0.5)
        training = fit(model, loss, 7)
        return [step.loss for step in (Film(lambda: model(torch.rand(2, 3)), 2).of(training) if watched else training)]

    assert trained(True) == trained(False)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.0])
def test_label_smoothing(smoothing):
    torch.manual_seed(0)
    logits, target = torch.randn(3, 5, 7, dtype=torch.float64, requires_grad=True), torch.randint(7, (3, 5))
    target[0, 3:] = target[2, 1] = 4
    loss = smoothed_cross_entropy(logits, target, smoothing, ignore=4)
    counted = target != 4
    expected = specs.smoothed_cross_entropy(logits[counted], target[counted], smoothing).mean()
    assert loss.item() == pytest.approx(expected.item())
    by_torch = cross_entropy(logits.flatten(0, 1), target.flatten(), label_smoothing=smoothing, ignore_index=4)
    torch.testing.assert_close(loss, by_torch)
    gradients = [torch.autograd.grad(one, logits)[0] for one in (loss, by_torch)]
    torch.testing.assert_close(*gradients)


def test_label_smoothing_is_least_at_the_smoothed_target():
    logits = torch.zeros(1, 5, requires_grad=True)
    target = torch.tensor([2])
    best = (0.1 / 5 + 0.9 * torch.eye(5)[target]).log().requires_grad_()
    assert torch.autograd.grad(smoothed_cross_entropy(best, target), best)[0].abs().max() < 1e-6
    assert smoothed_cross_entropy(best, target) < smoothed_cross_entropy(logits, target)


@pytest.mark.parametrize("smoothing", [-0.1, 1.5])
def test_a_smoothing_that_is_none(smoothing):
    with pytest.raises(ValueError, match=f"from 0 to 1, got {smoothing}"):
        smoothed_cross_entropy(torch.zeros(2, 3), torch.zeros(2, dtype=torch.long), smoothing)


def test_bfloat16_is_near_and_the_parameters_stay_wide(device):
    def trained(narrow):
        torch.manual_seed(0)
        model, _ = line()
        model.to(device)
        dtypes = set()
        model[0].register_forward_hook(lambda module, inputs, output: dtypes.add(output.dtype))

        def moved(generator):
            x = torch.randn(11, 3, generator=generator).to(device)
            return (model(x).squeeze(-1) - x.sum(-1)).square().mean()

        losses = [step.loss for step in fit(model, in_bfloat16(moved, device) if narrow else moved, 20, rate=2e-2)]
        return losses, dtypes, parameters(model).dtype

    losses, dtypes, kept = trained(narrow=True)
    assert (dtypes, kept) == ({torch.bfloat16}, torch.float32)
    expected, *rest = trained(narrow=False)
    assert rest == [{torch.float32}, torch.float32]
    assert losses == pytest.approx(expected, rel=0.05)
    assert losses != expected


def test_device():
    assert best_device().type in ("cuda", "mps", "cpu")
    torch.zeros(1, device=best_device())


def test_each_device_draws_the_same_batches(device):
    def trained(device):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1)).to(device)

        def loss(generator):
            x = torch.randn(11, 3, generator=generator).to(device)
            return (model(x).squeeze(-1) - x.sum(-1)).square().mean()

        return [step.loss for step in fit(model, loss, 20, rate=2e-2)]

    assert trained(device) == pytest.approx(trained(torch.device("cpu")), rel=1e-4)


def test_dropout_is_repeatable_on_each_device(device):
    def trained(disturbed):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 5), nn.Dropout(0.5), nn.Linear(5, 1)).to(device)

        def loss(generator):
            return model(torch.randn(11, 3, generator=generator).to(device)).square().mean()

        losses = []
        for step in fit(model, loss, 5):
            losses.append(step.loss)
            if disturbed:
                torch.rand(3, device=device)
        return losses

    before = torch.rand(2, device=device)
    assert trained(False) == trained(True)
    assert not torch.equal(before, torch.rand(2, device=device))


def test_a_gradient_that_is_none_leaves_the_model_as_it_was():
    model = nn.Linear(2, 1, bias=False)
    nn.init.zeros_(model.weight)
    with pytest.raises(ValueError, match="expected a gradient of finite numbers, got one that is none"):
        list(fit(model, lambda generator: model.weight.square().sum().sqrt() + 1, 3))
    assert not model.weight.any()


def test_without_smoothing_a_token_may_be_ruled_out():
    logits, target = torch.tensor([[0.5, -torch.inf, 1.0]]), torch.tensor([2])
    torch.testing.assert_close(smoothed_cross_entropy(logits, target, smoothing=0.0), cross_entropy(logits, target))


def test_side_by_side_takes_a_step_of_each():
    def steps(*losses):
        return (Step(i, loss, last=i == len(losses)) for i, loss in enumerate(losses, 1))

    assert [(step.step, step.loss, step.last) for step in side_by_side([steps(1.0, 3.0), steps(2.0, 5.0)])] == [
        (1, 1.5, False),
        (2, 4.0, True),
    ]
    with pytest.raises(ValueError, match="expected one training or more"):
        next(side_by_side([]))
    with pytest.raises(ValueError, match="shorter"):
        list(side_by_side([steps(1.0, 3.0), steps(2.0)]))


def test_seeded_draws_alike_and_disturbs_nothing():
    torch.manual_seed(1)
    wanted = torch.rand(3)
    torch.manual_seed(1)
    with seeded(7):
        one = torch.rand(3)
    with seeded(7):
        assert torch.equal(torch.rand(3), one)
    assert torch.equal(torch.rand(3), wanted)


def test_only_the_targets_that_count_must_be_tokens():
    with pytest.raises(ValueError, match="targets"):
        smoothed_cross_entropy(torch.randn(2, 5), torch.tensor([1, -1]))
    logits = torch.randn(2, 5)
    one = smoothed_cross_entropy(logits[:1], torch.tensor([1]))
    torch.testing.assert_close(smoothed_cross_entropy(logits, torch.tensor([1, 7]), ignore=7), one)
