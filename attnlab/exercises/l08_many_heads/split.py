"""Exercise 08.split: into heads."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l08_many_heads.places import displaced, random_tensor
from attnlab.specs import each
from attnlab.specs import multihead as specs


def split(x: Tensor, heads: int) -> Tensor:
    """The solution."""
    batch, tokens, dim = x.shape
    return x.reshape(batch, tokens, heads, dim // heads).transpose(1, 2)


def _split_diagnosis(result: Tensor, x: Tensor, heads: int) -> str | None:
    return displaced(result, split(x, heads), x)


def _in_order(x: Tensor, heads: int, *order: int) -> Tensor:
    """[batch, tokens, heads, head_dim] with its axes in another order."""
    return x.unflatten(2, (heads, -1)).permute(order)


SPLIT = Exercise(
    name="08.split",
    title="Into heads",
    statement="""Return `x` [batch, tokens, dim] cut into heads, [batch, heads, tokens, head_dim].

head_dim is dim / heads. Head 0 takes the first head_dim numbers of every token, head 1 the next ones, and so on: no
number changes, and each head holds all tokens, in their order.

x [batch, tokens, dim]; heads: a whole number that divides dim.""",
    axes="[batch, heads, tokens, head_dim]",
    stub="""def split(x, heads):
    ...
""",
    hints=(
        "Two steps: cut the last axis in two, heads and head_dim; then bring the heads in front of the tokens.",
        "`reshape` only cuts: the numbers stay in the order they have in memory, so the two new axes must stand where "
        "dim stood. How long is each of the two?",
        "`transpose` exchanges two axes. A reshape cannot do that: it would deal the numbers out anew, and heads would "
        "get pieces of other tokens.",
    ),
    solution=split,
    spec=lambda x, heads: each(lambda tokens: specs.split(tokens, heads), x),
    inputs=lambda: [(random_tensor(2, 5, 21), 3), (random_tensor(3, 7, 10), 2)],
    edges=lambda: [(random_tensor(2, 1, 15), 5), (random_tensor(1, 11, 3), 1)],
    diagnoses=(_split_diagnosis,),
    mistakes=(
        Mistake(
            "reshaped straight to [batch, heads, tokens, head_dim]: the shape is right, but heads got pieces of other "
            "tokens; cut first, [batch, tokens, heads, head_dim], then transpose",
            lambda x, heads: x.reshape(len(x), heads, x.shape[1], -1),
        ),
        Mistake(
            "transposed first and reshaped then: cut the last axis first, [batch, tokens, heads, head_dim], and "
            "transpose that",
            lambda x, heads: x.transpose(1, 2).reshape(len(x), heads, x.shape[1], -1),
        ),
        Mistake(
            "tokens and heads have not been exchanged: expected [batch, heads, tokens, head_dim], got [batch, tokens, "
            "heads, head_dim]",
            lambda x, heads: _in_order(x, heads, 0, 1, 2, 3),
        ),
        Mistake(
            "head_dim and tokens are exchanged: expected [batch, heads, tokens, head_dim], got [batch, heads, "
            "head_dim, tokens]",
            lambda x, heads: _in_order(x, heads, 0, 2, 3, 1),
        ),
        Mistake(
            "heads stand in front of the batch: expected [batch, heads, tokens, head_dim], got [heads, batch, tokens, "
            "head_dim]",
            lambda x, heads: _in_order(x, heads, 2, 0, 1, 3),
        ),
        Mistake(
            "every head took each heads-th number: dim was cut to [head_dim, heads]; it must be [heads, head_dim], so "
            "that a head's numbers stand together",
            lambda x, heads: x.unflatten(2, (-1, heads)).permute(0, 3, 1, 2),
        ),
        Mistake(
            "heads and head_dim are exchanged: `x.split(n)` makes pieces **of** n, not n pieces; `x.chunk(heads, "
            "dim=-1)` makes that many",
            lambda x, heads: torch.stack(x.split(heads, -1), 1),
        ),
        Mistake(
            "the tokens were shared out among the heads: each head holds all tokens, and a part of every vector",
            lambda x, heads: x[:, : x.shape[1] // heads * heads].unflatten(1, (heads, -1)),
        ),
        Mistake(
            "every head got whole vectors: each gets head_dim = dim / heads numbers of them",
            lambda x, heads: x.unsqueeze(1).repeat(1, heads, 1, 1),
        ),
        Mistake(
            "batch and heads are one axis: expected [batch, heads, tokens, head_dim], got [batch · heads, tokens, "
            "head_dim]",
            lambda x, heads: split(x, heads).flatten(0, 1),
        ),
        Mistake(
            "batch and heads are one axis, and tokens are mixed: reshaped straight to [batch · heads, tokens, "
            "head_dim]",
            lambda x, heads: x.reshape(len(x) * heads, x.shape[1], -1),
        ),
        Mistake(
            "the last head alone: all are asked for, along an axis of their own",
            lambda x, heads: x[..., -(x.shape[2] // heads) :].unsqueeze(1),
        ),
        Mistake(
            "the tokens are in reverse order: each head holds them as they came",
            lambda x, heads: split(x, heads).flip(2),
        ),
        Mistake(
            "the numbers within each head are in reverse order: no number moves within its head",
            lambda x, heads: split(x, heads).flip(3),
        ),
        Mistake(
            "reshaped straight to [heads, batch, tokens, head_dim]: heads got pieces of other tokens and sentences; "
            "cut first, [batch, tokens, heads, head_dim], then transpose",
            lambda x, heads: x.reshape(heads, len(x), x.shape[1], -1).transpose(0, 1),
        ),
        Mistake(
            "the heads overlap: the second begins where the first ends, head_dim numbers further",
            lambda x, heads: x.unfold(2, x.shape[2] // heads, 1)[..., :heads, :].transpose(1, 2),
        ),
        Mistake("the numbers were scaled: no number changes", lambda x, heads: split(x, heads) / heads**0.5),
        Mistake(
            "the first head alone: all are asked for, along an axis of their own",
            lambda x, heads: x[..., : x.shape[2] // heads].unsqueeze(1),
        ),
        Mistake(
            "the heads are in reverse order: the first head takes the first numbers",
            lambda x, heads: split(x, heads).flip(1),
        ),
    ),
)
