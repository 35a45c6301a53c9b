import copy
from functools import partial

import oracles_optimisers as oracles
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attnlab.optimisers import THREE, Muon, Together, adamw, clip_gradients, muon, orthogonal
from attnlab.schedules import constant
from attnlab.seq2seq import AttentionSeq2Seq
from attnlab.training import fit

JORDAN = ((3.4445, -4.775, 2.0315),) * 5


def matrices(*shapes, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=generator, dtype=dtype) for shape in shapes]


# orthogonal


@pytest.mark.parametrize("shape", [(7, 7), (5, 13), (13, 5), (1, 3)])
@pytest.mark.parametrize("coefficients", [THREE, JORDAN])
def test_orthogonal_is_the_loop(shape, coefficients):
    (matrix,) = matrices(shape)
    expected = torch.tensor(oracles.orthogonal(matrix.tolist(), coefficients), dtype=torch.float64)
    torch.testing.assert_close(orthogonal(matrix, coefficients), expected, rtol=1e-6, atol=1e-6)


@given(st.integers(1, 17), st.integers(1, 17), st.integers(0, 1000))
def test_singular_values_come_near_one(rows, columns, seed):
    """Those that were at least a hundredth of all together; and nothing turns: U and V stay."""
    (matrix,) = matrices((rows, columns), seed=seed)
    left, values, right = torch.linalg.svd(matrix, full_matrices=False)
    seen = torch.linalg.diagonal(left.mT @ orthogonal(matrix) @ right.mT)
    large = values >= 0.01 * matrix.norm()
    assert seen[large].min() > 0.72
    assert seen[large].max() < 1.28
    rest = left.mT @ orthogonal(matrix) @ right.mT - torch.diag(seen)
    assert rest.abs().max() < 1e-6


def test_more_steps_come_nearer_to_the_decomposition():
    """With the classical coefficients each step only comes nearer."""
    (matrix,) = matrices((11, 17))
    left, _, right = torch.linalg.svd(matrix, full_matrices=False)
    exact = orthogonal(matrix, ((1.875, -1.25, 0.375),) * 20)
    torch.testing.assert_close(exact, left @ right, atol=1e-6, rtol=0)
    rough = (orthogonal(matrix) - left @ right).norm() / (left @ right).norm()
    assert rough < 0.28
    assert (left @ right).norm() ** 2 == pytest.approx(11)


def test_no_three_steps_do_better():
    """Minimax: each polynomial's error takes its largest size four times, with alternating signs (Chebyshev)."""
    low, high = 0.01, 1.0
    for a, b, c in THREE:
        s = torch.linspace(low, high, 100_001, dtype=torch.float64)
        error = 1 - (a * s + b * s**3 + c * s**5)
        turns = [0, *((error[1:-1] - error[:-2]) * (error[2:] - error[1:-1]) < 0).nonzero().flatten().add(1), -1]
        extremes = torch.stack([error[i] for i in turns])
        assert len(extremes) == 4
        torch.testing.assert_close(
            extremes, error.abs().max() * torch.tensor([1, -1, 1, -1.0]).double(), rtol=2e-3, atol=2e-3
        )
        low, high = 1 - error.abs().max().item(), 1 + error.abs().max().item()
    assert low == pytest.approx(0.73, abs=0.005)


@given(st.integers(-20, 20).map(lambda power: 10.0**power))
def test_the_size_of_a_gradient_does_not_count(scale):
    (matrix,) = matrices((5, 7))
    torch.testing.assert_close(orthogonal(scale * 1e15 * matrix), orthogonal(matrix), rtol=1e-3, atol=1e-3)


def test_matrices_together_are_matrices_alone():
    many = torch.stack(matrices((5, 7), (5, 7), (5, 7)))
    torch.testing.assert_close(orthogonal(many), torch.stack([orthogonal(one) for one in many]))


def test_no_gradient_no_direction():
    assert not orthogonal(torch.zeros(3, 5)).any()


def test_what_is_nearly_nothing_stays_small():
    for size in 1e-44, 1e-30, 1e-12:
        direction = orthogonal(torch.full((2, 3), size))
        assert direction.isfinite().all()
        assert direction.norm() < 1e-2


# Muon


def moved(start, gradients, **settings):
    """The matrices after one step of Muon for each list of gradients."""
    parameters = [nn.Parameter(matrix.clone()) for matrix in start]
    optimiser = Muon(parameters, 0.1, **settings)
    for step in gradients:
        for parameter, gradient in zip(parameters, step, strict=True):
            parameter.grad = gradient.clone()
        optimiser.step()
    return parameters, optimiser


SHAPES = [(3, 5), (2, 2), (5, 2), (3, 5), (2, 2)]


@pytest.mark.parametrize("decay", [0.0, 0.3])
@pytest.mark.parametrize("coefficients", [THREE, JORDAN])
def test_muon_is_the_loop(decay, coefficients):
    start, gradients = matrices(*SHAPES), [matrices(*SHAPES, seed=seed) for seed in (1, 2)]
    found, _ = moved(start, gradients, momentum=0.8, decay=decay, coefficients=coefficients)
    for i, matrix in enumerate(start):
        expected = oracles.muon(
            matrix.tolist(), [step[i].tolist() for step in gradients], 0.1, 0.8, decay, coefficients
        )
        torch.testing.assert_close(found[i].data, torch.tensor(expected).double(), rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="this torch has no Muon")
def test_muon_is_torchs():
    """torch computes in bfloat16, which has 8 bits: 5 steps of Jordan's coefficients then agree to a few per cent."""
    start, gradients = matrices(*SHAPES), [matrices(*SHAPES, seed=seed) for seed in (1, 2)]
    found, _ = moved(start, gradients, momentum=0.95, decay=0.3, coefficients=JORDAN)
    theirs = [nn.Parameter(matrix.clone()) for matrix in start]
    optimiser = torch.optim.Muon(theirs, lr=0.1, weight_decay=0.3)
    for step in gradients:
        for parameter, gradient in zip(theirs, step, strict=True):
            parameter.grad = gradient.clone()
        optimiser.step()
    for ours, other, matrix in zip(found, theirs, start, strict=True):
        assert (ours - other).norm() < 0.05 * (other - matrix).norm()


def test_a_matrix_without_gradient_stays():
    start = matrices((3, 5), (3, 5))
    parameters = [nn.Parameter(matrix.clone()) for matrix in start]
    parameters[0].grad = torch.ones(3, 5).double()
    Muon(parameters, 0.1).step()
    assert torch.equal(parameters[1].data, start[1])
    assert not torch.equal(parameters[0].data, start[0])


def test_a_matrix_whose_gradient_has_become_0_comes_to_rest():
    parameter = nn.Parameter(torch.ones(8, 8))
    optimiser = Muon([parameter], 0.02)
    parameter.grad = torch.eye(8)
    optimiser.step()
    parameter.grad = torch.zeros(8, 8)
    for step in range(600):
        before = parameter.detach().clone()
        optimiser.step()
        assert parameter.isfinite().all(), step
    assert torch.equal(parameter, before)


def test_a_vector_is_not_a_matrix():
    with pytest.raises(ValueError, match=r"expected 2 axes, got shape \[3\]"):
        Muon([nn.Parameter(torch.zeros(3))], 0.1)


def test_a_closure_is_evaluated_with_gradients():
    parameter = nn.Parameter(torch.ones(2, 3))

    def closure():
        loss = parameter.square().sum()
        loss.backward()
        return loss

    assert Muon([parameter], 0.1).step(closure).item() == 6
    assert (parameter < 1).all()


# The factories


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.inside, self.output = nn.Embedding(11, 5), nn.Linear(5, 5), nn.Linear(5, 11)
        self.output.weight = self.embedding.weight


def names(model, group):
    return {name for name, parameter in model.named_parameters() if any(parameter is p for p in group["params"])}


def test_who_moves_what():
    model = AttentionSeq2Seq(11, 13, hidden=5, embedding=3)
    inside, embeddings, rest = muon(model, 0.1, embedding=0.5, rest=0.3, decay=0.7).param_groups
    assert names(model, embeddings) == {"encoder.embedding.weight", "decoder.embedding.weight"}
    vectors = {name for name, parameter in model.named_parameters() if parameter.ndim == 1}
    assert names(model, rest) == {"decoder.output.weight", *vectors}
    assert names(model, inside) | names(model, embeddings) | names(model, rest) == {
        n for n, _ in model.named_parameters()
    }
    assert [group["lr"] for group in (inside, embeddings, rest)] == pytest.approx([0.1, 0.05, 0.03])
    assert inside["decay"] == 0.7
    assert embeddings["weight_decay"] == rest["weight_decay"] == 0


@pytest.mark.filterwarnings("error")
def test_a_table_in_two_modules_is_moved_once():
    model = nn.Sequential(nn.Embedding(11, 5), nn.Embedding(11, 5), nn.Linear(5, 5))
    model[1].weight = model[0].weight
    _, embeddings, _ = muon(model, 0.1).param_groups
    assert len(embeddings["params"]) == 1


def test_a_tied_output_is_an_embedding():
    model = Tied()
    inside, embeddings, rest = muon(model, 0.1).param_groups
    assert names(model, inside) == {"inside.weight"}
    assert names(model, embeddings) == {"embedding.weight"}
    assert names(model, rest) == {"inside.bias", "output.bias"}


def test_a_vocabulary_as_large_as_the_width():
    model = nn.Sequential(nn.Embedding(5, 5), nn.Linear(5, 5), nn.Linear(5, 5))
    inside, embeddings, rest = muon(model, 0.1).param_groups
    assert names(model, inside) == {"1.weight"}
    assert names(model, rest) == {"1.bias", "2.bias", "2.weight"}
    assert names(model, embeddings) == {"0.weight"}


def test_a_width_as_large_as_a_vocabulary():
    """Of the maps that have one row for each token, among them the score's, the output is the one that says so."""
    model = AttentionSeq2Seq(64, 49)
    inside, _, rest = muon(model, 0.1).param_groups
    assert "decoder.output.weight" in names(model, rest)
    assert "decoder.attention.score.key.weight" in names(model, inside)


@pytest.mark.parametrize("factory", [adamw, muon])
def test_what_is_frozen_stays(factory):
    model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 3), nn.Linear(3, 5))
    model[0].weight.requires_grad_(False)
    before = model[0].weight.clone()
    list(fit(model, lambda generator: model(torch.arange(5)).square().sum(), 2, optimiser=factory))
    assert torch.equal(model[0].weight, before)


@pytest.mark.parametrize("factory", [adamw, muon])
def test_a_model_of_one_matrix(factory):
    model = nn.Linear(3, 1, bias=False)
    training = fit(model, lambda g: model(torch.ones(1, 3)).square().sum(), 9, optimiser=factory)
    losses = [step.loss for step in training]
    assert losses[-1] < losses[0]


def test_adamw_is_torchs_but_for_the_decay_of_vectors():
    def trained(optimiser):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
        list(
            fit(
                model,
                lambda g: model(torch.randn(7, 3, generator=g)).square().mean(),
                9,
                0.1,
                optimiser=optimiser,
                schedule=constant,
            )
        )
        return torch.cat([p.detach().flatten() for p in model.parameters()])

    def torchs(decay):
        return lambda model, rate: torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.8, 0.9), weight_decay=decay)

    ours = partial(adamw, betas=(0.8, 0.9), decay=0.0, clip=None)
    torch.testing.assert_close(trained(ours), trained(torchs(0.0)))
    ours = partial(adamw, betas=(0.8, 0.9), decay=0.5, clip=None)
    assert not torch.allclose(trained(ours), trained(torchs(0.5)))


def test_decay_is_for_matrices():
    model = nn.Linear(3, 5)
    before = copy.deepcopy(model)
    optimiser = adamw(model, 0.1, decay=0.5)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimiser.step()
    torch.testing.assert_close(model.weight, 0.95 * before.weight)
    assert torch.equal(model.bias, before.bias)


@pytest.mark.parametrize("norm", [0.5, 2.0, 100.0])
def test_clipping(norm):
    parameters = [nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(2, 2))]
    optimiser = clip_gradients(torch.optim.SGD([{"params": [p]} for p in parameters], lr=1.0), norm)
    gradients = [torch.tensor([3.0, 0, 0]), torch.tensor([[0, 4.0], [0, 0]])]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    optimiser.step()
    share = min(1, norm / 5)
    for parameter, gradient in zip(parameters, gradients, strict=True):
        torch.testing.assert_close(parameter.data, -share * gradient, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("factory", [adamw, muon])
@pytest.mark.parametrize("as_keyword", [False, True])
def test_clipping_of_gradients_that_the_step_computes(factory, as_keyword):
    model = nn.Linear(2, 1)
    optimiser = clip_gradients(factory(model, 0.1), 0.5)

    def closure(factor=100.0):
        optimiser.zero_grad()
        loss = factor * model(torch.ones(1, 2)).sum()
        loss.backward()
        return loss

    loss = optimiser.step(closure=closure) if as_keyword else optimiser.step(closure)
    assert torch.stack([p.grad.norm() for p in model.parameters()]).norm().item() == pytest.approx(0.5, rel=1e-4)
    assert loss.isfinite()
    before = copy.deepcopy(model)
    with pytest.raises(ValueError, match="a gradient of finite numbers"):
        optimiser.step(lambda: closure(torch.nan))
    assert all(torch.equal(*pair) for pair in zip(before.parameters(), model.parameters(), strict=True))


def test_clipping_of_several_optimisers_together():
    """The norm is that of all gradients together, and the training goes another way."""

    def trained(optimiser):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 7), nn.Tanh(), nn.Linear(7, 5))
        norms = []

        def made(model, rate):
            moving = optimiser(model, rate)
            moving.register_step_post_hook(
                lambda *_: norms.append(torch.stack([p.grad.norm() for p in model.parameters()]).norm().item())
            )
            return moving

        list(fit(model, lambda g: 50 * model(torch.arange(5)).square().mean(), 5, 0.02, optimiser=made))
        return torch.cat([p.detach().flatten() for p in model.parameters()]), norms

    (free, long), (clipped, short) = trained(muon), trained(lambda model, rate: clip_gradients(muon(model, rate), 0.5))
    assert min(long) > 0.5
    assert short == pytest.approx([0.5] * 5, rel=1e-4)
    assert not torch.allclose(free, clipped)


def test_clipping_of_several_optimisers_still_holds_after_loading():
    model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5))
    optimiser = clip_gradients(muon(model, 0.02), 0.5)
    optimiser.load_state_dict(optimiser.state_dict())
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimiser.step()
    assert torch.stack([p.grad.norm() for p in model.parameters()]).norm().item() == pytest.approx(0.5, rel=1e-4)


def test_together_moves_at_the_rate_that_its_groups_say_also_after_loading():
    model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5))
    optimiser = muon(model, 0.02)
    for _ in range(2):
        for group in optimiser.param_groups:
            group["lr"] = 0.0
        before = [parameter.clone() for parameter in model.parameters()]
        loss = optimiser.step(lambda: [optimiser.zero_grad(), model(torch.arange(5)).square().sum()][1])
        assert loss.item() > 0
        loss.backward()
        optimiser.step()
        assert all(torch.equal(*pair) for pair in zip(before, model.parameters(), strict=True))
        optimiser.load_state_dict(optimiser.state_dict())


def test_a_norm_that_is_none():
    with pytest.raises(ValueError, match="clip above 0, got 0"):
        adamw(nn.Linear(2, 3), 0.1, clip=0)


def test_to_disk_and_back(tmp_path):
    """Stopped, saved, loaded into a new optimiser and gone on with: as if never stopped."""

    def new(seed=0):
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 7), nn.Tanh(), nn.Linear(7, 5))
        return model, muon(model, 0.05)

    def train(model, optimiser, steps):
        for _ in range(steps):
            optimiser.zero_grad()
            nn.functional.cross_entropy(model(torch.arange(5)), torch.arange(5)).backward()
            optimiser.step()

    model, optimiser = new()
    train(model, optimiser, 4)
    torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict()}, tmp_path / "state")
    train(model, optimiser, 4)
    other, other_optimiser = new(1)
    kept = torch.load(tmp_path / "state")
    other.load_state_dict(kept["model"])
    other_optimiser.load_state_dict(kept["optimiser"])
    train(other, other_optimiser, 4)
    for ours, theirs in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_together_passes_everything_on():
    first, second = nn.Linear(2, 3), nn.Linear(3, 2)
    both = Together(torch.optim.SGD(first.parameters(), lr=1.0), torch.optim.SGD(second.parameters(), lr=0.1))
    assert [group["lr"] for group in both.param_groups] == [1.0, 0.1]
    (first.weight.sum() + second.weight.sum()).backward()
    before = first.weight.detach().clone(), second.weight.detach().clone()
    both.step()
    torch.testing.assert_close(first.weight.data, before[0] - 1)
    torch.testing.assert_close(second.weight.data, before[1] - 0.1)
    both.zero_grad()
    assert first.weight.grad is None
    assert second.weight.grad is None


def test_together_takes_no_more_parameters():
    with pytest.raises(ValueError, match="expected all parameters when the optimiser is made"):
        muon(nn.Linear(2, 3), 0.1).add_param_group({"params": [nn.Parameter(torch.ones(2, 2))]})


def test_a_copy_of_both_steps_as_they_do():
    model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5))
    optimiser = muon(model, 0.02)
    for _ in range(2):
        other, its = copy.deepcopy((model, optimiser))
        for net, moving in [(model, optimiser), (other, its)]:
            moving.zero_grad()
            net(torch.arange(5)).square().sum().backward()
            moving.param_groups[0]["lr"] = 0.05
            moving.step()
        assert all(torch.equal(*pair) for pair in zip(model.parameters(), other.parameters(), strict=True))


def test_muon_learns_on_every_device(device):
    """A task that needs the inside: each letter's successor, through a narrow place."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(23, 8), nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 23)).to(device)

    def loss(generator):
        letters = torch.randint(23, (64,), generator=generator).to(device)
        return nn.functional.cross_entropy(model(letters), (letters + 1) % 23)

    losses = [step.loss for step in fit(model, loss, 60, rate=0.05, optimiser=muon)]
    assert losses[0] > 3
    assert losses[-1] < 0.25 * losses[0]
    assert all(p.device.type == device.type for p in model.parameters())


def test_a_rate_set_after_loading_is_the_one_that_together_moves_at():
    model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5))
    optimiser = muon(model, 0.02)
    optimiser.load_state_dict(optimiser.state_dict())
    for group in optimiser.param_groups:
        group["lr"] = 0.0
    before = [parameter.clone() for parameter in model.parameters()]
    model(torch.arange(5)).square().sum().backward()
    optimiser.step()
    assert all(torch.equal(*pair) for pair in zip(before, model.parameters(), strict=True))


def test_adamw_clips_at_1_and_takes_the_papers_betas_unless_told_otherwise():
    model = nn.Linear(3, 5)
    optimiser = adamw(model, 0.1)
    assert {group["betas"] for group in optimiser.param_groups} == {(0.9, 0.999)}
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimiser.step()
    assert torch.stack([p.grad.norm() for p in model.parameters()]).norm().item() == pytest.approx(1.0, rel=1e-4)
