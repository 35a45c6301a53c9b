"""Exercises of lesson 09: layer normalisation by hand, a Transformer block, and what each part adds to the stream."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import blocks as specs
from attnlab.specs import each
from attnlab.specs.blocks import Layer

# 09.layer_norm -------------------------------------------------------------------------------------------------------


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


# 09.block ------------------------------------------------------------------------------------------------------------


def block(x: Tensor, attention: Layer, feed_forward: Layer, norm_1: Layer, norm_2: Layer) -> Tensor:
    """The solution."""
    x = x + attention(norm_1(x))
    return x + feed_forward(norm_2(x))


def block_spec(x: Tensor, attention: Layer, feed_forward: Layer, norm_1: Layer, norm_2: Layer) -> Tensor:
    """The same in loops."""
    return each(lambda tokens: specs.block(tokens, attention, feed_forward, norm_1, norm_2), x)


def _block_inputs(batch: int, tokens: int, dim: int, hidden: int) -> tuple:
    """Parts that are told from each other: the norms differ in their gains, and only the attention mixes tokens."""
    chance = torch.Generator().manual_seed(batch * 100 + tokens)
    x, A, W_1, W_2 = (
        torch.randn(*sizes, generator=chance) / sizes[-2] ** 0.5
        for sizes in ((batch, tokens, dim), (dim, dim), (dim, hidden), (hidden, dim))
    )
    norm_1, norm_2 = (
        lambda vectors, gain=gain: layer_norm(vectors, gain, torch.zeros(dim), 1e-5)
        for gain in (0.5 + torch.rand(dim, generator=chance), 1 + torch.rand(dim, generator=chance))
    )
    x = 2 * x * (0.5 + torch.arange(tokens).unsqueeze(1))

    def attention(x: Tensor) -> Tensor:  # named, as errors tell its name
        return _averages(x) @ A

    return x, attention, lambda x: (x @ W_1).relu() @ W_2, norm_1, norm_2


def _averages(x: Tensor) -> Tensor:
    """Each token's average with all that came before it: an attention with equal weights."""
    return x.cumsum(-2) / torch.arange(1, x.shape[-2] + 1).unsqueeze(1)


def _even_spread(
    result: Tensor, x: Tensor, attention: Layer, feed_forward: Layer, norm_1: Layer, norm_2: Layer
) -> str | None:
    """In x, the deviations of the vectors differ; a norm makes them nearly equal."""
    before, after = (value.std(-1) / value.std(-1).mean() for value in (x, result))
    message = (
        "all your vectors have nearly the same spread, so x itself has not come through: it must reach the "
        "result by two sums, with no norm on its way"
    )
    return message if after.std() < 0.3 * before.std() else None


Step = Callable[[Tensor, Layer, Layer], Tensor]
"""(x, part, norm) -> x, as a part and its norm leave it."""

_STEPS: dict[str, Step] = {
    "right": lambda x, part, norm: x + part(norm(x)),
    "post-norm": lambda x, part, norm: norm(x + part(x)),
    "norm behind": lambda x, part, norm: x + norm(part(x)),
    "norm behind too": lambda x, part, norm: x + norm(part(norm(x))),
    "norm at both ends": lambda x, part, norm: norm(x + part(norm(x))),
    "normed stream": lambda x, part, norm: norm(x) + part(norm(x)),
    "no residual": lambda x, part, norm: part(norm(x)),
    "product": lambda x, part, norm: x * part(norm(x)),
    "difference": lambda x, part, norm: x - part(norm(x)),
    "mean": lambda x, part, norm: (x + part(norm(x))) / 2,
}


def _steps(first: str = "right", second: str = "right") -> Callable[..., Tensor]:
    """A block of these `_STEPS`."""
    one, other = _STEPS[first], _STEPS[second]
    return lambda x, attention, feed_forward, norm_1, norm_2: other(one(x, attention, norm_1), feed_forward, norm_2)


BLOCK = Exercise(
    name="09.block",
    title="A Transformer block",
    statement="""Return what a pre-norm Transformer block makes of `x`, [batch, tokens, dim].

Two steps. First `attention` sees x normalised by `norm_1`, and what it finds is added to x. Then `feed_forward` sees
that sum normalised by `norm_2`, and what it finds is added to the sum. The norms stand in front of the two parts
only, so that x itself flows through the sums untouched.

x [batch, tokens, dim]; the others are functions that take and return [batch, tokens, dim].""",
    axes="[batch, tokens, dim]",
    stub="""def block(x, attention, feed_forward, norm_1, norm_2):
    ...
""",
    hints=(
        "Each part reads the stream through its norm, and what it finds is added to the stream as it was. Post-norm, "
        "which the page shows, does it the other way round.",
        "Two lines are enough. The first makes a new x with the attention; the x on the left of its plus has not been "
        "normalised.",
        "The second line is the first once more, with the other part and the other norm, and it begins with the new x.",
    ),
    solution=block,
    spec=block_spec,
    inputs=lambda: [_block_inputs(2, 5, 7, 11), _block_inputs(3, 7, 5, 13)],
    edges=lambda: [_block_inputs(2, 1, 3, 5), _block_inputs(1, 3, 2, 7)],
    diagnoses=(_even_spread,),
    mistakes=(
        Mistake(
            "this is post-norm, the first paper's way: norm(x + part(x)); here the norm stands in front of each part",
            _steps("post-norm", "post-norm"),
        ),
        Mistake(
            "the norms stand behind the parts, x + norm(part(x)): they belong in front of them, part(norm(x))",
            _steps("norm behind", "norm behind"),
        ),
        Mistake(
            "norm_1 stands behind the attention: it belongs in front of it, attention(norm_1(x))",
            _steps(first="norm behind"),
        ),
        Mistake(
            "norm_2 stands behind the feed-forward network: it belongs in front of it, feed_forward(norm_2(x))",
            _steps(second="norm behind"),
        ),
        Mistake(
            "the first step is post-norm, norm_1(x + attention(x)): the norm stands in front, x + attention(norm_1(x))",
            _steps(first="post-norm"),
        ),
        Mistake(
            "the second step is post-norm, norm_2(x + feed_forward(x)): the norm stands in front, "
            "x + feed_forward(norm_2(x))",
            _steps(second="post-norm"),
        ),
        Mistake(
            "the feed-forward network sees what the attention found alone: it must see the sum, x + attention(...)",
            lambda x, attention, feed_forward, norm_1, norm_2: x + feed_forward(norm_2(attention(norm_1(x)))),
        ),
        Mistake(
            "the second sum is made of x, what the attention found and what the network makes of that alone: it must "
            "see the sum of the first step",
            lambda x, attention, feed_forward, norm_1, norm_2: (
                x + attention(norm_1(x)) + feed_forward(norm_2(attention(norm_1(x))))
            ),
        ),
        Mistake(
            "both residual connections are missing: what a part finds is added to what it was given",
            lambda x, attention, feed_forward, norm_1, norm_2: feed_forward(norm_2(attention(norm_1(x)))),
        ),
        Mistake(
            "the residual connection around the attention is missing: x + attention(...)",
            _steps(first="no residual"),
        ),
        Mistake(
            "the residual connection around the feed-forward network is missing: x + feed_forward(...)",
            lambda x, attention, feed_forward, norm_1, norm_2: feed_forward(norm_2(x + attention(norm_1(x)))),
        ),
        Mistake(
            "the normalised x was added: add to x as it was, norm_1 is for the attention alone",
            _steps(first="normed stream"),
        ),
        Mistake(
            "normalised vectors were added in both steps: add to x as it was, the norms are for the parts alone",
            _steps("normed stream", "normed stream"),
        ),
        Mistake(
            "in the second step the normalised sum was added: add to the sum as it was, norm_2 is for the feed-forward "
            "network alone",
            _steps(second="normed stream"),
        ),
        Mistake(
            "the second sum begins with the first x again, so what the attention found is lost on the way: add to the "
            "sum of the first step",
            lambda x, attention, feed_forward, norm_1, norm_2: x + feed_forward(norm_2(x + attention(norm_1(x)))),
        ),
        Mistake(
            "both parts saw the first x, side by side: the feed-forward network comes after the attention and sees its "
            "sum",
            lambda x, attention, feed_forward, norm_1, norm_2: x + attention(norm_1(x)) + feed_forward(norm_2(x)),
        ),
        Mistake(
            "x was added twice: the sum of the first step holds it already",
            lambda x, attention, feed_forward, norm_1, norm_2: x + block(x, attention, feed_forward, norm_1, norm_2),
        ),
        Mistake(
            "the two norms are exchanged: norm_1 belongs to the attention, norm_2 to the feed-forward network",
            lambda x, attention, feed_forward, norm_1, norm_2: block(x, attention, feed_forward, norm_2, norm_1),
        ),
        Mistake(
            "norm_1 was used twice: norm_2 belongs to the feed-forward network",
            lambda x, attention, feed_forward, norm_1, norm_2: block(x, attention, feed_forward, norm_1, norm_1),
        ),
        Mistake(
            "norm_1 is missing: the attention sees the normalised x",
            lambda x, attention, feed_forward, norm_1, norm_2: block(x, attention, feed_forward, lambda x: x, norm_2),
        ),
        Mistake(
            "norm_2 is missing: the feed-forward network sees the normalised sum",
            lambda x, attention, feed_forward, norm_1, norm_2: block(x, attention, feed_forward, norm_1, lambda x: x),
        ),
        Mistake(
            "both norms are missing: each part sees a normalised x",
            lambda x, attention, feed_forward, norm_1, norm_2: block(
                x, attention, feed_forward, lambda x: x, lambda x: x
            ),
        ),
        Mistake(
            "the feed-forward network came first: attention, then feed-forward",
            lambda x, attention, feed_forward, norm_1, norm_2: block(x, feed_forward, attention, norm_2, norm_1),
        ),
        Mistake(
            "the feed-forward network came first, with the attention's norm: attention and norm_1, then feed-forward "
            "and norm_2",
            lambda x, attention, feed_forward, norm_1, norm_2: block(x, feed_forward, attention, norm_1, norm_2),
        ),
        Mistake(
            "norm_1 came twice: it normalises what the attention sees, once",
            lambda x, attention, feed_forward, norm_1, norm_2: block(
                x, attention, feed_forward, lambda x: norm_1(norm_1(x)), norm_2
            ),
        ),
        Mistake(
            "norm_2 came twice: it normalises what the feed-forward network sees, once",
            lambda x, attention, feed_forward, norm_1, norm_2: block(
                x, attention, feed_forward, norm_1, lambda x: norm_2(norm_2(x))
            ),
        ),
        Mistake(
            "both norms came twice: each normalises what its part sees, once",
            lambda x, attention, feed_forward, norm_1, norm_2: block(
                x, attention, feed_forward, lambda x: norm_1(norm_1(x)), lambda x: norm_2(norm_2(x))
            ),
        ),
        Mistake(
            "the attention sees x normalised by both norms: norm_1 is for the attention, norm_2 for the feed-forward "
            "network",
            lambda x, attention, feed_forward, norm_1, norm_2: block(
                x, attention, feed_forward, lambda x: norm_1(norm_2(x)), norm_2
            ),
        ),
        Mistake(
            "norm_2 was used twice: norm_1 belongs to the attention",
            lambda x, attention, feed_forward, norm_1, norm_2: block(x, attention, feed_forward, norm_2, norm_2),
        ),
        Mistake(
            "x and what each part finds were multiplied: they are added",
            _steps("product", "product"),
        ),
        Mistake(
            "x and what the attention finds were multiplied: they are added",
            _steps(first="product"),
        ),
        Mistake(
            "the sum and what the feed-forward network finds were multiplied: they are added",
            _steps(second="product"),
        ),
        Mistake(
            "what both parts find was subtracted: it is added",
            _steps("difference", "difference"),
        ),
        Mistake(
            "what the attention finds was subtracted: it is added",
            _steps(first="difference"),
        ),
        Mistake(
            "what the feed-forward network finds was subtracted: it is added",
            _steps(second="difference"),
        ),
        Mistake(
            "the sums were halved: add, do not average",
            _steps("mean", "mean"),
        ),
        Mistake(
            "the feed-forward network was called on its own result: once is enough",
            lambda x, attention, feed_forward, norm_1, norm_2: block(
                x, attention, lambda x: feed_forward(feed_forward(x)), norm_1, norm_2
            ),
        ),
        Mistake(
            "the feed-forward step came twice",
            lambda x, attention, feed_forward, norm_1, norm_2: (lambda x: x + feed_forward(norm_2(x)))(
                block(x, attention, feed_forward, norm_1, norm_2)
            ),
        ),
        Mistake(
            "the attention was called on its own result: once is enough",
            lambda x, attention, feed_forward, norm_1, norm_2: block(
                x, lambda x: attention(attention(x)), feed_forward, norm_1, norm_2
            ),
        ),
        Mistake(
            "the attention's step came twice",
            lambda x, attention, feed_forward, norm_1, norm_2: block(
                x + attention(norm_1(x)), attention, feed_forward, norm_1, norm_2
            ),
        ),
        Mistake(
            "what each part finds was normalised too: the norms stand in front of the parts alone",
            _steps("norm behind too", "norm behind too"),
        ),
        Mistake(
            "what the attention finds was normalised too: norm_1 stands in front of the attention alone",
            _steps(first="norm behind too"),
        ),
        Mistake(
            "both parts saw the first x normalised by norm_1: the feed-forward network comes after the attention and "
            "sees its sum, normalised by norm_2",
            lambda x, attention, feed_forward, norm_1, norm_2: x + attention(norm_1(x)) + feed_forward(norm_1(x)),
        ),
        Mistake(
            "post-norm, and without the norms' own places: norm(x + part(x)) at the end alone; here a norm stands in "
            "front of each part",
            lambda x, attention, feed_forward, norm_1, norm_2: (lambda x: norm_2(x + feed_forward(x)))(
                x + attention(x)
            ),
        ),
        Mistake(
            "pre-norm and post-norm at once: nothing stands behind the sums",
            _steps("norm at both ends", "norm at both ends"),
        ),
        Mistake(
            "the sum was normalised once more at the end, by norm_1: nothing stands behind the last sum",
            lambda x, attention, feed_forward, norm_1, norm_2: norm_1(
                block(x, attention, feed_forward, norm_1, norm_2)
            ),
        ),
        Mistake(
            "this is what the attention finds in x as it is: x, the norms and the feed-forward step are missing",
            lambda x, attention, feed_forward, norm_1, norm_2: attention(x),
        ),
        Mistake(
            "this is what the feed-forward network finds: x and the attention's step are missing",
            lambda x, attention, feed_forward, norm_1, norm_2: feed_forward(norm_2(x)),
        ),
        Mistake(
            "these are the vectors as they came: no part has seen them",
            lambda x, attention, feed_forward, norm_1, norm_2: x.clone(),
        ),
        Mistake(
            "the attention saw the feed-forward network's sum: attention first, and the second sum is what comes out",
            lambda x, attention, feed_forward, norm_1, norm_2: x + attention(norm_1(x + feed_forward(norm_2(x)))),
        ),
        Mistake(
            "this is what the attention's step gives: the feed-forward step is missing",
            lambda x, attention, feed_forward, norm_1, norm_2: x + attention(norm_1(x)),
        ),
        Mistake(
            "this is the feed-forward step alone: the attention's step is missing",
            lambda x, attention, feed_forward, norm_1, norm_2: x + feed_forward(norm_2(x)),
        ),
        Mistake(
            "the sum was normalised once more at the end: nothing stands behind the last sum",
            lambda x, attention, feed_forward, norm_1, norm_2: norm_2(
                block(x, attention, feed_forward, norm_1, norm_2)
            ),
        ),
    ),
)

# 09.added ------------------------------------------------------------------------------------------------------------


def added(x: Tensor, parts: Sequence[Layer], norms: Sequence[Layer]) -> Tensor:
    """The solution."""
    found = [x]
    for part, norm in zip(parts, norms, strict=True):
        found.append(part(norm(torch.stack(found).sum(dim=0))))
    return torch.stack(found)


def added_spec(x: Tensor, parts: Sequence[Layer], norms: Sequence[Layer]) -> Tensor:
    """The same in loops."""
    out = torch.zeros(len(parts) + 1, *x.shape)
    out[0] = x
    for i in range(len(parts)):
        stream = torch.zeros_like(x)
        for j in range(i + 1):
            stream = stream + out[j]
        out[i + 1] = parts[i](norms[i](stream))
    return out


def _added_inputs(batch: int, tokens: int, dim: int, count: int) -> tuple:
    """Parts and norms that are told from each other."""
    pairs = [_block_inputs(batch, tokens + i, dim, dim + i)[1:] for i in range(count)]
    parts = [attention if i % 2 == 0 else feed_forward for i, (attention, feed_forward, *_) in enumerate(pairs)]
    norms = [norm for *_, norm, _ in pairs]
    return _block_inputs(batch, tokens, dim, dim)[0], parts, norms


def _ran(x: Tensor, parts: Sequence[Layer], norms: Sequence[Layer]) -> list[Tensor]:
    """The stream before the first part and after each."""
    return list(added(x, parts, norms).cumsum(0))


def _post_norm_steps(x: Tensor, parts: Sequence[Layer], norms: Sequence[Layer]) -> Tensor:
    found = [x]
    for part, norm in zip(parts, norms, strict=True):
        found.append(part(x))
        x = norm(x + found[-1])
    return torch.stack(found)


def _one_after_the_other(x: Tensor, parts: Sequence[Layer], norms: Sequence[Layer]) -> Tensor:
    found = [x]
    for part, norm in zip(parts, norms, strict=True):
        found.append(part(norm(found[-1])))
    return torch.stack(found)


def _normed_behind(x: Tensor, parts: Sequence[Layer], norms: Sequence[Layer]) -> Tensor:
    found = [x]
    for part, norm in zip(parts, norms, strict=True):
        found.append(norm(part(torch.stack(found).sum(dim=0))))
    return torch.stack(found)


def _norms_in_the_stream(x: Tensor, parts: Sequence[Layer], norms: Sequence[Layer]) -> Tensor:
    found = [x]
    for part, norm in zip(parts, norms, strict=True):
        x = norm(x)
        found.append(part(x))
        x = x + found[-1]
    return torch.stack(found)


ADDED = Exercise(
    name="09.added",
    title="What each part has added",
    statement="""Return x, and what each part of a pre-norm stack adds to the stream: [1 + parts, batch, tokens, dim].

The first entry is x itself. Part i reads the stream as it is by then, through its own norm, and adds what it finds to
the stream. That finding is the next entry, so all entries together sum to the stream behind the last part.

x [batch, tokens, dim]; parts, norms: two lists of equal length, of functions that take and return [batch, tokens,
dim].""",
    axes="[1 + parts, batch, tokens, dim]",
    stub="""def added(x, parts, norms):
    ...
""",
    hints=(
        "What does the third part read? Neither x alone nor what the second part has found, but everything that stands "
        "in the stream by then.",
        "Go through `zip(parts, norms)` and keep a list that begins with x. The stream is the sum of this list.",
        "Add to the list what the part finds, not the stream behind it; `torch.stack` makes one tensor of a list.",
    ),
    solution=added,
    spec=added_spec,
    inputs=lambda: [_added_inputs(2, 5, 7, 3), _added_inputs(3, 4, 6, 4)],
    edges=lambda: [_added_inputs(1, 1, 3, 1), _added_inputs(2, 3, 4, 2)],
    mistakes=(
        Mistake(
            "these are the streams behind the parts: return what each part adds, the difference of two of them",
            lambda x, parts, norms: torch.stack(_ran(x, parts, norms)),
        ),
        Mistake(
            "every part read x as it came: from the second on a part reads what the parts before it have added, too",
            lambda x, parts, norms: torch.stack([
                x,
                *(part(norm(x)) for part, norm in zip(parts, norms, strict=True)),
            ]),
        ),
        Mistake(
            "each part read only what the part before it had found: that is a stack without residual connections; the "
            "stream is the sum of all that was added",
            _one_after_the_other,
        ),
        Mistake(
            "the norms are missing: each part reads the stream through its own",
            lambda x, parts, norms: added(x, parts, [lambda x: x] * len(parts)),
        ),
        Mistake(
            "the norms stand behind the parts: each stands in front of its part, part(norm(stream))",
            _normed_behind,
        ),
        Mistake(
            "this is post-norm: the stream was normalised behind each sum; here nothing stands in the stream",
            _post_norm_steps,
        ),
        Mistake(
            "the normalised stream went on: a norm is for its part alone, the stream goes on as it was",
            _norms_in_the_stream,
        ),
        Mistake(
            "the first norm was used for every part: each has its own",
            lambda x, parts, norms: added(x, parts, [norms[0]] * len(parts)),
        ),
        Mistake(
            "the first entry is missing: begin with x itself",
            lambda x, parts, norms: added(x, parts, norms)[1:],
        ),
        Mistake(
            "the first entry is 0: begin with x itself",
            lambda x, parts, norms: added(x, parts, norms) - torch.stack([x, *([0 * x] * len(parts))]),
        ),
        Mistake(
            "this is the stream behind the last part: return what it is the sum of",
            lambda x, parts, norms: added(x, parts, norms).sum(0),
        ),
        Mistake(
            "what the last part finds is missing: there is one entry more than there are parts",
            lambda x, parts, norms: added(x, parts, norms)[:-1],
        ),
    ),
)

EXERCISES = [LAYER_NORM, BLOCK, ADDED]
