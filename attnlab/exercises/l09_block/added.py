"""Exercise 09.added: what each part has added."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l09_block.block import block_inputs
from attnlab.specs.blocks import Layer


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
    pairs = [block_inputs(batch, tokens + i, dim, dim + i)[1:] for i in range(count)]
    parts = [attention if i % 2 == 0 else feed_forward for i, (attention, feed_forward, *_) in enumerate(pairs)]
    norms = [norm for *_, norm, _ in pairs]
    return block_inputs(batch, tokens, dim, dim)[0], parts, norms


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
