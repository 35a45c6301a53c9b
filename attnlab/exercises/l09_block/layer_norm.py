"""Exercise 09.layer_norm: layer normalisation."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import blocks as specs
from attnlab.specs import each


def layer_norm(x: Tensor, gain: Tensor | int, shift: Tensor | int, epsilon: int | float) -> Tensor:
    """The solution."""
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = (centred**2).mean(dim=-1, keepdim=True)
    return gain * centred / (variance + epsilon).sqrt() + shift


def layer_norm_spec(x: Tensor, gain: Tensor, shift: Tensor, epsilon: float) -> Tensor:
    """The same in loops."""
    return each(lambda vector: specs.layer_norm(vector, gain, shift, epsilon), x.flatten(0, 1)).reshape(x.shape)


def _norm_inputs(batch: int, tokens: int, dim: int, epsilon: float = 0.1) -> tuple:
    """Vectors of different means and deviations, and an epsilon large enough to be seen."""
    chance = torch.Generator().manual_seed(batch * 100 + tokens)
    x = torch.randn(batch, tokens, dim, generator=chance)
    x = x * (0.5 + torch.arange(tokens).unsqueeze(1)) + torch.randn(batch, tokens, 1, generator=chance)
    return x, 1 + torch.rand(dim, generator=chance), torch.randn(dim, generator=chance), epsilon


def _all_equal() -> tuple:
    """Vectors whose numbers are all the same: their variance is 0."""
    x, gain, shift, epsilon = _norm_inputs(2, 3, 5)
    x[:, 1] = torch.tensor([[2.0], [-3.0]])
    return x, gain, shift, epsilon


def _normalised(
    x: Tensor,
    gain: Tensor | int,
    shift: Tensor | int,
    epsilon: int | float,
    axes: int | tuple[int, ...] = -1,
    correction: int = 0,
) -> Tensor:
    """Over other axes, or with another divisor of the variance."""
    variance = x.var(axes, keepdim=True, correction=correction)
    return gain * (x - x.mean(axes, keepdim=True)) / (variance + epsilon).sqrt() + shift


def _centred(numbers: Tensor) -> bool:
    return bool((numbers.mean(-1).abs() < 1e-3).all())


def _before_gain_and_shift(result: Tensor, gain: Tensor, shift: Tensor) -> tuple[str, Tensor] | None:
    """What gain and shift did, and the numbers before it: these have mean 0, which shows which way it was."""
    ways = {
        "the mean is right": (result - shift) / gain,
        "gain and shift are missing": result,
        "the shift is missing": result / gain,
        "the gain is missing": result - shift,
        "the shift was subtracted": (result + shift) / gain,
    }
    return next(((way, numbers) for way, numbers in ways.items() if _centred(numbers)), None)


def _not_centred(result: Tensor, x: Tensor, gain: Tensor, shift: Tensor, epsilon: float) -> str | None:
    if result.isnan().any() or _before_gain_and_shift(result, gain, shift):
        return None
    means = ((result - shift) / gain).mean(-1)
    return (
        f"take shift off your result and divide by gain: each vector should have mean 0 then, and one of yours "
        f"has {means.flatten()[means.abs().argmax()].item():.3g}; either the mean was not subtracted, or gain and "
        "shift were not used as gain * (...) + shift"
    )


def _wrong_spread(result: Tensor, x: Tensor, gain: Tensor, shift: Tensor, epsilon: float) -> str | None:
    before, wanted = _before_gain_and_shift(result, gain, shift), layer_norm(x, torch.ones_like(gain), 0, epsilon)
    if before is None:
        return None
    way, numbers = before
    found, right = (value.var(-1, correction=0).mean().item() for value in (numbers, wanted))
    if abs(found - right) < 1e-3:
        return None if way == "the mean is right" else way
    return (
        f"{way}; the spread is wrong: before gain and shift the variance should be {right:.3g} on average, yours "
        f"is {found:.3g}; "
        + ("is it `epsilon`, as it was given, that you add?" if abs(found - 1) < 0.01 else "look at the division")
    )


LAYER_NORM = Exercise(
    name="09.layer_norm",
    title="Layer normalisation",
    statement="""Return `x` after layer normalisation, [batch, tokens, dim].

Each vector for itself: subtract its mean, divide by the square root of (variance + epsilon), multiply by gain, add
shift. The variance is the mean of the squared differences from the mean: divide by dim, not by dim - 1. Try it
without `layer_norm` of torch.

x [batch, tokens, dim]; gain [dim]; shift [dim]; epsilon: a small positive number.""",
    axes="[batch, tokens, dim]",
    stub="""def layer_norm(x, gain, shift, epsilon):
    ...
""",
    hints=(
        "Mean and variance belong to one vector: they run over the last axis, dim, and nothing else is mixed.",
        "`x.mean(dim=-1, keepdim=True)` is [batch, tokens, 1]: the axis that was kept lets the subtraction broadcast. "
        "The variance is the mean of the squares of what is left.",
        "`torch.var` and `torch.std` divide by dim - 1 unless you say `correction=0`. Epsilon goes inside the root; "
        "gain first, then shift.",
    ),
    solution=layer_norm,
    spec=layer_norm_spec,
    inputs=lambda: [_norm_inputs(2, 3, 5), _norm_inputs(3, 5, 7, 0.5)],
    edges=lambda: [_all_equal(), _norm_inputs(1, 1, 2)],
    diagnoses=(_not_centred, _wrong_spread),
    mistakes=(
        Mistake(
            "divided by dim - 1: `var` and `std` of torch do so unless `correction=0`; layer normalisation divides by "
            "dim",
            lambda x, gain, shift, epsilon: _normalised(x, gain, shift, epsilon, correction=1),
        ),
        Mistake(
            "epsilon was added to the root, not under it, and the variance was divided by dim - 1: "
            "sqrt(variance + epsilon), `correction=0`",
            lambda x, gain, shift, epsilon: (
                gain * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + epsilon) + shift
            ),
        ),
        Mistake(
            "epsilon was added to the root, not under it: sqrt(variance + epsilon)",
            lambda x, gain, shift, epsilon: (
                gain * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True, correction=0) + epsilon) + shift
            ),
        ),
        Mistake(
            "epsilon is missing: without it a vector of equal numbers is divided by 0",
            lambda x, gain, shift, epsilon: _normalised(x, gain, shift, 0),
        ),
        Mistake(
            "epsilon is missing, and the variance was divided by dim - 1: sqrt(variance + epsilon), `correction=0`",
            lambda x, gain, shift, epsilon: _normalised(x, gain, shift, 0, correction=1),
        ),
        Mistake(
            "the root is missing: divide by the square root of the variance, not by the variance",
            lambda x, gain, shift, epsilon: (
                gain * (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + epsilon) + shift
            ),
        ),
        Mistake(
            "normalised over the tokens: each vector has a mean of its own, over the last axis",
            lambda x, gain, shift, epsilon: _normalised(x, gain, shift, epsilon, 1),
        ),
        Mistake(
            "normalised over the batch: each vector has a mean of its own, over the last axis",
            lambda x, gain, shift, epsilon: _normalised(x, gain, shift, epsilon, 0),
        ),
        Mistake(
            "normalised over batch and tokens: that is batch normalisation; here each vector is treated alone",
            lambda x, gain, shift, epsilon: _normalised(x, gain, shift, epsilon, (0, 1)),
        ),
        Mistake(
            "one mean and one deviation for each sentence: each of its vectors has its own, over the last axis alone",
            lambda x, gain, shift, epsilon: _normalised(x, gain, shift, epsilon, (1, 2)),
        ),
        Mistake(
            "one mean and one deviation for everything: `mean()` without `dim` takes all numbers together",
            lambda x, gain, shift, epsilon: _normalised(x, gain, shift, epsilon, (0, 1, 2)),
        ),
        Mistake(
            "the mean was not subtracted, and the squares not centred: that is RMSNorm",
            lambda x, gain, shift, epsilon: gain * x / (x.pow(2).mean(-1, keepdim=True) + epsilon).sqrt() + shift,
        ),
        Mistake(
            "the mean was not subtracted above the line: (x - mean) / sqrt(variance + epsilon)",
            lambda x, gain, shift, epsilon: gain * x / (x.var(-1, keepdim=True, correction=0) + epsilon).sqrt() + shift,
        ),
        Mistake(
            "these are the squares' mean, not the variance: subtract the mean before you square",
            lambda x, gain, shift, epsilon: (
                gain * (x - x.mean(-1, keepdim=True)) / (x.pow(2).mean(-1, keepdim=True) + epsilon).sqrt() + shift
            ),
        ),
        Mistake(
            "the squares were summed, not averaged: divide by dim",
            lambda x, gain, shift, epsilon: (
                gain
                * (x - x.mean(-1, keepdim=True))
                / ((x - x.mean(-1, keepdim=True)).pow(2).sum(-1, keepdim=True) + epsilon).sqrt()
                + shift
            ),
        ),
        Mistake(
            "only the mean was subtracted: the division is missing",
            lambda x, gain, shift, epsilon: gain * (x - x.mean(-1, keepdim=True)) + shift,
        ),
        Mistake(
            "gain and shift are missing",
            lambda x, gain, shift, epsilon: _normalised(x, torch.ones_like(gain), torch.zeros_like(shift), epsilon),
        ),
        Mistake(
            "the shift is missing",
            lambda x, gain, shift, epsilon: _normalised(x, gain, torch.zeros_like(shift), epsilon),
        ),
        Mistake(
            "the gain is missing", lambda x, gain, shift, epsilon: _normalised(x, torch.ones_like(gain), shift, epsilon)
        ),
        Mistake(
            "1 was added to the gain: multiply by the gain as it is",
            lambda x, gain, shift, epsilon: _normalised(x, 1 + gain, shift, epsilon),
        ),
        Mistake(
            "the shift came before the gain: multiply first, then add",
            lambda x, gain, shift, epsilon: _normalised(x, gain, gain * shift, epsilon),
        ),
        Mistake(
            "the shift was subtracted: it is added",
            lambda x, gain, shift, epsilon: _normalised(x, gain, -shift, epsilon),
        ),
        Mistake(
            "you divided by the gain: multiply",
            lambda x, gain, shift, epsilon: _normalised(x, 1 / gain, shift, epsilon),
        ),
        Mistake(
            "gain and shift were added and multiplied together: multiply by gain, then add shift",
            lambda x, gain, shift, epsilon: _normalised(x, gain + shift, 0 * shift, epsilon),
        ),
        Mistake(
            "you multiplied by the shift: multiply by gain, add shift",
            lambda x, gain, shift, epsilon: _normalised(x, shift, 0 * shift, epsilon),
        ),
        Mistake(
            "gain and shift are missing, and the variance was divided by dim - 1: `correction=0`",
            lambda x, gain, shift, epsilon: _normalised(x, 1, 0, epsilon, correction=1),
        ),
        Mistake(
            "gain, shift and epsilon are missing, and the variance was divided by dim - 1: sqrt(variance + epsilon), "
            "`correction=0`",
            lambda x, gain, shift, epsilon: _normalised(x, 1, 0, 0, correction=1),
        ),
        Mistake(
            "gain and shift are missing, epsilon was added to the root, not under it, and the variance was divided by "
            "dim - 1",
            lambda x, gain, shift, epsilon: (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + epsilon),
        ),
        Mistake(
            "the shift is missing, and the variance was divided by dim - 1: `correction=0`",
            lambda x, gain, shift, epsilon: _normalised(x, gain, 0, epsilon, correction=1),
        ),
        Mistake(
            "the gain is missing, and the variance was divided by dim - 1: `correction=0`",
            lambda x, gain, shift, epsilon: _normalised(x, 1, shift, epsilon, correction=1),
        ),
        Mistake(
            "epsilon is 1e-5 in yours: use the one that is given",
            lambda x, gain, shift, epsilon: _normalised(x, gain, shift, 1e-5),
        ),
        Mistake(
            "gain and shift are missing, and epsilon is 1e-5 in yours: use the one that is given",
            lambda x, gain, shift, epsilon: _normalised(x, 1, 0, 1e-5),
        ),
        Mistake(
            "epsilon was squared: variance + epsilon",
            lambda x, gain, shift, epsilon: _normalised(x, gain, shift, epsilon**2),
        ),
        Mistake(
            "gain and shift are missing, and the root: divide by the square root of the variance",
            lambda x, gain, shift, epsilon: (
                (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + epsilon)
            ),
        ),
        Mistake(
            "only the mean was subtracted: the division, gain and shift are missing",
            lambda x, gain, shift, epsilon: x - x.mean(-1, keepdim=True),
        ),
        Mistake(
            "gain and shift alone: subtract the mean, and divide by the square root of the variance",
            lambda x, gain, shift, epsilon: gain * x + shift,
        ),
        Mistake(
            "you multiplied by the square root of the variance: divide",
            lambda x, gain, shift, epsilon: (
                gain * (x - x.mean(-1, keepdim=True)) * (x.var(-1, keepdim=True, correction=0) + epsilon).sqrt() + shift
            ),
        ),
        Mistake(
            "the mean was added: subtract it",
            lambda x, gain, shift, epsilon: (
                gain * (x + x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + epsilon).sqrt() + shift
            ),
        ),
        Mistake(
            "the sum was subtracted, not the mean",
            lambda x, gain, shift, epsilon: (
                gain * (x - x.sum(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + epsilon).sqrt() + shift
            ),
        ),
        Mistake(
            "the median was subtracted, not the mean",
            lambda x, gain, shift, epsilon: (
                gain
                * (x - x.median(-1, keepdim=True).values)
                / (x.var(-1, keepdim=True, correction=0) + epsilon).sqrt()
                + shift
            ),
        ),
        Mistake(
            "divided by the mean of the absolute differences: square them, average, square root",
            lambda x, gain, shift, epsilon: (
                gain
                * (x - x.mean(-1, keepdim=True))
                / ((x - x.mean(-1, keepdim=True)).abs().mean(-1, keepdim=True) + epsilon)
                + shift
            ),
        ),
        Mistake(
            "scaled between lowest and highest: subtract the mean, divide by the square root of the variance",
            lambda x, gain, shift, epsilon: (
                gain * (x - x.amin(-1, keepdim=True)) / (x.amax(-1, keepdim=True) - x.amin(-1, keepdim=True) + epsilon)
                + shift
            ),
        ),
        Mistake(
            "each vector was brought to length 1: subtract the mean, divide by the square root of the variance",
            lambda x, gain, shift, epsilon: gain * torch.nn.functional.normalize(x, dim=-1) + shift,
        ),
        Mistake(
            "the mean was not subtracted, and the squares not centred: that is RMSNorm; and the shift is missing",
            lambda x, gain, shift, epsilon: gain * x / (x.pow(2).mean(-1, keepdim=True) + epsilon).sqrt(),
        ),
        Mistake(
            "the mean was not subtracted, and the squares not centred: that is RMSNorm; and gain and shift are missing",
            lambda x, gain, shift, epsilon: x / (x.pow(2).mean(-1, keepdim=True) + epsilon).sqrt(),
        ),
        Mistake(
            "normalised twice: once is enough",
            lambda x, gain, shift, epsilon: layer_norm(layer_norm(x, gain, shift, epsilon), gain, shift, epsilon),
        ),
        Mistake(
            "the sign is wrong: x - mean, not mean - x",
            lambda x, gain, shift, epsilon: layer_norm(-x, gain, shift, epsilon),
        ),
        Mistake(
            "a softmax in place of the normalisation: subtract the mean, divide by the square root of the variance",
            lambda x, gain, shift, epsilon: gain * x.softmax(-1) + shift,
        ),
        Mistake(
            "gain and shift are exchanged: multiply by gain, add shift",
            lambda x, gain, shift, epsilon: _normalised(x, shift, gain, epsilon),
        ),
        Mistake(
            "the numbers are right, but mean and variance were detached: they depend on x too, and their gradient "
            "counts",
            lambda x, gain, shift, epsilon: (
                gain
                * (x - x.detach().mean(-1, keepdim=True))
                / (x.detach().var(-1, keepdim=True, correction=0) + epsilon).sqrt()
                + shift
            ),
        ),
        Mistake(
            "the numbers are right, but the variance was detached: it depends on x too, and its gradient counts",
            lambda x, gain, shift, epsilon: (
                gain
                * (x - x.mean(-1, keepdim=True))
                / (x.detach().var(-1, keepdim=True, correction=0) + epsilon).sqrt()
                + shift
            ),
        ),
        Mistake(
            "the numbers are right, but where all numbers of a vector are equal the gradient is NaN: the variance was "
            "rooted twice or its root squared; the slope of a root is infinite at 0, so keep epsilon under it",
            lambda x, gain, shift, epsilon: (
                gain
                * (x - x.mean(-1, keepdim=True))
                / (x.var(-1, keepdim=True, correction=0).sqrt().pow(2) + epsilon).sqrt()
                + shift
            ),
        ),
    ),
)
