"""Exercise 09.block: a Transformer block."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l09_block.layer_norm import layer_norm
from attnlab.specs import blocks as specs
from attnlab.specs import each
from attnlab.specs.blocks import Layer


def block(x: Tensor, attention: Layer, feed_forward: Layer, norm_1: Layer, norm_2: Layer) -> Tensor:
    """The solution."""
    x = x + attention(norm_1(x))
    return x + feed_forward(norm_2(x))


def block_spec(x: Tensor, attention: Layer, feed_forward: Layer, norm_1: Layer, norm_2: Layer) -> Tensor:
    """The same in loops."""
    return each(lambda tokens: specs.block(tokens, attention, feed_forward, norm_1, norm_2), x)


def block_inputs(batch: int, tokens: int, dim: int, hidden: int) -> tuple:
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
    inputs=lambda: [block_inputs(2, 5, 7, 11), block_inputs(3, 7, 5, 13)],
    edges=lambda: [block_inputs(2, 1, 3, 5), block_inputs(1, 3, 2, 7)],
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
