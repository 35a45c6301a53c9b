"""Exercise 08.multihead: multi-head self-attention."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l08_many_heads.merge import merge
from attnlab.exercises.l08_many_heads.split import split
from attnlab.specs import each
from attnlab.specs import multihead as specs


def multihead(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, W_o: Tensor, heads: int) -> Tensor:
    """The solution."""
    query, key, value = (split(x @ W, heads) for W in (W_q, W_k, W_v))  # [batch, heads, tokens, head_dim]
    scores = query @ key.mT / query.shape[-1] ** 0.5  # [batch, heads, tokens, tokens]
    return merge(scores.softmax(dim=-1) @ value) @ W_o


def _multihead_inputs(batch: int, tokens: int, heads: int, head_dim: int) -> tuple:
    chance = torch.Generator().manual_seed(batch * 100 + tokens)
    dim = heads * head_dim
    x = torch.randn(batch, tokens, dim, generator=chance)
    W_q, W_k, W_v, W_o = (torch.randn(dim, dim, generator=chance) / dim**0.5 for _ in range(4))
    return x, 1.5 * W_q, W_k, W_v, W_o, heads


def _large_scores() -> tuple:
    """Scores in the hundreds."""
    x, W_q, *rest = _multihead_inputs(2, 4, 2, 3)
    return x, 300 * W_q, *rest


def _naive(scores: Tensor) -> Tensor:
    """A softmax that takes the exponentials as they are."""
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def _by_turns(x: Tensor, heads: int) -> Tensor:
    """Heads of every heads-th number."""
    return x.unflatten(2, (-1, heads)).permute(0, 3, 1, 2)


def _straight(x: Tensor, heads: int) -> Tensor:
    return x.reshape(len(x), heads, x.shape[1], -1)


Cut = Callable[[Tensor, int], Tensor]


def _heads(
    x: Tensor,
    W_q: Tensor,
    W_k: Tensor,
    W_v: Tensor,
    heads: int,
    cut: Cut = split,
    weigh: Callable[[Tensor], Tensor] = lambda scores: scores.softmax(-1),
    scale: int | float | None = None,
) -> Tensor:
    """What each head finds, with another cut, scale or softmax."""
    query, key, value = (cut(x @ W, heads) for W in (W_q, W_k, W_v))
    return weigh(query @ key.mT / (scale or query.shape[-1] ** 0.5)) @ value


def _weighed(weigh: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """Multi-head self-attention with these weights in place of the softmax."""
    return lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, weigh=weigh)) @ W_o


def _keys_reshaped(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, W_o: Tensor, heads: int) -> Tensor:
    query, key, value = (split(x @ W, heads) for W in (W_q, W_k, W_v))
    scores = query @ key.reshape(key.mT.shape) / query.shape[-1] ** 0.5
    return merge(scores.softmax(-1) @ value) @ W_o


def _own_part(W: Tensor, heads: int) -> Tensor:
    """A matrix by which each head sees its own part of x alone."""
    size = len(W) // heads
    return W * torch.block_diag(*torch.ones(heads, size, size))


def _right_heads(
    result: Tensor, x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, W_o: Tensor, heads: int
) -> str | None:
    found, expected = (
        split(vectors @ W_o.inverse(), heads) for vectors in (result, multihead(x, W_q, W_k, W_v, W_o, heads))
    )
    right = [h for h in range(heads) if torch.allclose(found[:, h], expected[:, h], atol=1e-3)]
    message = "taken back through W_o, what you return is right for head {} of {}, and wrong for the others"
    return message.format(", ".join(map(str, right)), heads) if right else None


def _between_values(
    result: Tensor, x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, W_o: Tensor, heads: int
) -> str | None:
    message = diagnoses.average(result @ W_o.inverse(), x @ W_v)
    return f"taken back through W_o, these are no contexts of x W_v: {message}" if message else None


MULTIHEAD = Exercise(
    name="08.multihead",
    title="Multi-head self-attention",
    statement="""Return what multi-head self-attention makes of `x`, [batch, tokens, dim].

Queries x W_q, keys x W_k and values x W_v are cut into heads, as in 08.split: head h takes its head_dim = dim / heads
numbers of each. Every head attends for itself, its scores divided by the square root of head_dim. What the heads found
for a token is put side by side, as in 08.merge, and goes through W_o.

x [batch, tokens, dim]; W_q, W_k, W_v, W_o [dim, dim]; heads: a whole number that divides dim.""",
    axes="[batch, tokens, dim]",
    stub="""def multihead(x, W_q, W_k, W_v, W_o, heads):
    ...
""",
    hints=(
        "Project, split, attend, merge, project. With the heads as an axis of their own, beside the batch, the "
        "attention in the middle is the one that you know.",
        "Query, key and value are [batch, heads, tokens, head_dim] each; `query @ key.mT` is then [batch, heads, "
        "tokens, tokens].",
        "Which width belongs under the root: that of the token, or that of a head? And W_o comes last, when the heads "
        "have been put together.",
    ),
    solution=multihead,
    spec=lambda x, W_q, W_k, W_v, W_o, heads: each(
        lambda tokens: specs.multihead(tokens, W_q, W_k, W_v, W_o, heads), x
    ),
    inputs=lambda: [_multihead_inputs(2, 5, 3, 7), _multihead_inputs(1, 7, 5, 2)],
    edges=lambda: [_multihead_inputs(2, 1, 2, 3), _multihead_inputs(1, 5, 1, 3), _large_scores()],
    diagnoses=(_right_heads, _between_values),
    mistakes=(
        Mistake(
            "NaN where numbers are large: the exponential of 100 is already infinite, and infinity by infinity is no "
            "number; subtract the highest of each row first, as `softmax` does",
            _weighed(_naive),
        ),
        Mistake(
            "you divided by the square root of dim: each head's dot products sum over head_dim numbers only",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, scale=x.shape[-1] ** 0.5)) @ W_o,
        ),
        Mistake(
            "the scale is missing: divide the scores by the square root of head_dim",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, scale=1)) @ W_o,
        ),
        Mistake(
            "you divided by head_dim, not by its square root",
            lambda x, W_q, W_k, W_v, W_o, heads: (
                merge(_heads(x, W_q, W_k, W_v, heads, scale=x.shape[-1] // heads)) @ W_o
            ),
        ),
        Mistake(
            "you divided by the square root of the number of heads: it must be that of head_dim",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, scale=heads**0.5)) @ W_o,
        ),
        Mistake(
            "this is one wide head: cut queries, keys and values into heads, each with a softmax of its own",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_v, W_o, 1),
        ),
        Mistake(
            "this is one wide head, though with a head's scale: cut queries, keys and values into heads, each with a "
            "softmax of its own",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q * heads**0.5, W_k, W_v, W_o, 1),
        ),
        Mistake(
            diagnoses.KEYS_RESHAPED,
            _keys_reshaped,
        ),
        Mistake(
            "W_o is missing: what the heads found goes through one more map, which mixes them",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads)),
        ),
        Mistake(
            "reshaped straight to [batch, heads, tokens, head_dim], so heads got pieces of other tokens: cut to "
            "[batch, tokens, heads, head_dim], then transpose",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, _straight)) @ W_o,
        ),
        Mistake(
            "reshaped straight to [batch, heads, tokens, head_dim] and straight back: heads got pieces of other "
            "tokens; a transpose belongs to both ways",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads, _straight).reshape(x.shape) @ W_o,
        ),
        Mistake(
            "merged without a transpose: vectors hold pieces of several tokens; bring tokens in front of heads first",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads).reshape(x.shape) @ W_o,
        ),
        Mistake(
            "the heads' numbers were put by turns before W_o: what one head found must stand together",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads).permute(0, 2, 3, 1).flatten(2) @ W_o,
        ),
        Mistake(
            "every head took each heads-th number: a head's numbers stand together",
            lambda x, W_q, W_k, W_v, W_o, heads: (
                _heads(x, W_q, W_k, W_v, heads, _by_turns).permute(0, 2, 3, 1).flatten(2) @ W_o
            ),
        ),
        Mistake(
            "every head took each heads-th number, yet they were merged as if each had taken neighbours: cut dim to "
            "[heads, head_dim], not to [head_dim, heads]",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, _by_turns)) @ W_o,
        ),
        Mistake(
            "merged after the wrong transpose: exchange heads and tokens, axes 1 and 2, then join the last two",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads).mT.reshape(x.shape) @ W_o,
        ),
        Mistake(
            "no transpose: the heads of one token asked each other, and tokens never met; bring heads in front of "
            "tokens",
            lambda x, W_q, W_k, W_v, W_o, heads: (
                _heads(x, W_q, W_k, W_v, heads, lambda x, heads: x.unflatten(2, (heads, -1))).flatten(2) @ W_o
            ),
        ),
        Mistake(
            "x was cut before it was projected, and each head saw its own part only: project first, with all of dim",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(
                x, _own_part(W_q, heads), _own_part(W_k, heads), _own_part(W_v, heads), W_o, heads
            ),
        ),
        Mistake(
            "softmax over queries: each token that asks shares its weight out, the last axis",
            _weighed(lambda scores: scores.softmax(-2)),
        ),
        Mistake(
            "softmax over heads: axis 1 holds the heads now; the keys are the last axis",
            _weighed(lambda scores: scores.softmax(1)),
        ),
        Mistake(
            "the softmax is missing: you weighted with the scores",
            _weighed(lambda scores: scores),
        ),
        Mistake(
            "all heads share one matrix of weights, their average: each has its own",
            _weighed(lambda scores: scores.softmax(-1).mean(1, keepdim=True)),
        ),
        Mistake(
            "all heads share the average of their scores: each has its own",
            _weighed(lambda scores: scores.mean(1, keepdim=True).softmax(-1)),
        ),
        Mistake(
            "W_q made the keys too: keys are x W_k",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_q, W_v, W_o, heads),
        ),
        Mistake(
            "W_k made the queries too: queries are x W_q",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_k, W_k, W_v, W_o, heads),
        ),
        Mistake(
            "x itself was averaged: the values are x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, torch.eye(len(W_v)), W_o, heads),
        ),
        Mistake(
            "the keys were averaged: the values are x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_k, W_o, heads),
        ),
        Mistake(
            "the weights were turned round before they met the values: row i of the weights makes context i",
            _weighed(lambda scores: scores.softmax(-1).mT),
        ),
        Mistake(
            "the future is hidden: nothing was said of a mask, every token may ask every other one",
            _weighed(
                lambda scores: scores.masked_fill(
                    torch.ones(scores.shape[2:], dtype=torch.bool).triu(1), -torch.inf
                ).softmax(-1)
            ),
        ),
        Mistake(
            "query and key are exchanged: row i must be what token i asks",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_k, W_q, W_v, W_o, heads),
        ),
        Mistake(
            "W_o is transposed: it stands behind the vectors as it is, `@ W_o`",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_v, W_o.T, heads),
        ),
        Mistake(
            "W_q, W_k and W_v are transposed: `F.linear` turns its matrix round; here it is `x @ W_q`",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q.T, W_k.T, W_v.T, W_o, heads),
        ),
        Mistake(
            "all four matrices are transposed: `F.linear` turns its matrix round; here it is `x @ W_q`",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q.T, W_k.T, W_v.T, W_o.T, heads),
        ),
        Mistake(
            "W_o came first, on the values: it comes last, where it mixes what the heads found",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v @ W_o, heads)),
        ),
        Mistake(
            "x was added: the residual connection belongs to the block around it, in lesson 09",
            lambda x, W_q, W_k, W_v, W_o, heads: x + multihead(x, W_q, W_k, W_v, W_o, heads),
        ),
        Mistake(
            "keys and values are exchanged: keys x W_k are compared with, values x W_v are averaged",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_v, W_k, W_o, heads),
        ),
        Mistake(
            "queries and values are exchanged: queries are x W_q, values x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_v, W_k, W_q, W_o, heads),
        ),
        Mistake(
            "query, key and value took the wrong matrices, W_k, W_v and W_q: they are x W_q, x W_k and x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_k, W_v, W_q, W_o, heads),
        ),
        Mistake(
            "query, key and value took the wrong matrices, W_v, W_q and W_k: they are x W_q, x W_k and x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_v, W_q, W_k, W_o, heads),
        ),
        Mistake(
            "W_v and W_o are exchanged: W_v makes the values, W_o comes last",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_o, W_v, heads),
        ),
        Mistake(
            "the queries were averaged: the values are x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_q, W_o, heads),
        ),
        Mistake(
            "W_q is missing: the queries are x W_q, not x",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, torch.eye(len(W_q)), W_k, W_v, W_o, heads),
        ),
        Mistake(
            "W_k is missing: the keys are x W_k, not x",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, torch.eye(len(W_k)), W_v, W_o, heads),
        ),
        Mistake(
            "x was compared with itself: queries and keys are x W_q and x W_k",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(
                x, torch.eye(len(W_q)), torch.eye(len(W_k)), W_v, W_o, heads
            ),
        ),
        Mistake("W_o came twice", lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_v, W_o, heads) @ W_o),
        Mistake(
            "nobody asked anything: these are the values through W_o",
            lambda x, W_q, W_k, W_v, W_o, heads: x @ W_v @ W_o,
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
            _weighed(lambda scores: scores.softmax(-1).softmax(-1)),
        ),
        Mistake(
            "the sign is wrong: the worst match got the highest weight",
            _weighed(lambda scores: (-scores).softmax(-1)),
        ),
        Mistake(
            "argmax: each head took the one best value; what it finds is an average of all, weighted",
            _weighed(lambda scores: one_hot(scores.argmax(-1), scores.shape[-1]).float()),
        ),
        Mistake(
            "sigmoid in place of the softmax: the weights of a token must sum to 1",
            _weighed(torch.sigmoid),
        ),
        Mistake(
            "exp without the division: the weights of a token must sum to 1",
            _weighed(torch.exp),
        ),
        Mistake(
            "the scores were divided by their sum without an exponential: a negative one is no weight",
            _weighed(lambda scores: scores / scores.sum(-1, keepdim=True)),
        ),
        Mistake(
            "softmax over the batch: the keys are the last axis",
            _weighed(lambda scores: scores.softmax(0)),
        ),
        Mistake(
            "averaged instead of weighted: every value counts the same",
            _weighed(lambda scores: torch.full_like(scores, 1 / scores.shape[-1])),
        ),
        Mistake(
            "no token saw itself: its own key and value count as well",
            _weighed(
                lambda scores: (
                    scores
                    .masked_fill(torch.eye(scores.shape[-1], dtype=torch.bool), -torch.inf)
                    .softmax(-1)
                    .nan_to_num(0)
                )
            ),
        ),
        Mistake(
            "the scale came after the softmax: the weights no longer sum to 1",
            lambda x, W_q, W_k, W_v, W_o, heads: (
                merge(
                    _heads(
                        x,
                        W_q,
                        W_k,
                        W_v,
                        heads,
                        weigh=lambda scores: scores.softmax(-1) / (len(W_q) // heads) ** 0.5,
                        scale=1,
                    )
                )
                @ W_o
            ),
        ),
        Mistake(
            "you multiplied by the square root of head_dim: divide",
            lambda x, W_q, W_k, W_v, W_o, heads: (
                merge(_heads(x, W_q, W_k, W_v, heads, scale=(len(W_q) // heads) ** -0.5)) @ W_o
            ),
        ),
        Mistake(
            "you divided by the square root of the number of tokens: it must be that of head_dim",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, scale=x.shape[1] ** 0.5)) @ W_o,
        ),
        Mistake(
            "you divided by dim: it must be the square root of head_dim",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, scale=x.shape[-1])) @ W_o,
        ),
        Mistake(
            "the heads are merged in reverse order: the first head comes first",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads).flip(1)) @ W_o,
        ),
        Mistake(
            "all heads use the weights of the first one: each has its own",
            _weighed(lambda scores: scores.softmax(-1)[:, :1].expand_as(scores)),
        ),
        Mistake(
            "the heads were averaged and repeated: put them side by side, so that nothing of them is lost",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads).mean(1).repeat(1, 1, heads) @ W_o,
        ),
        Mistake(
            "expected all heads put together, got one vector for each: [batch, heads, tokens, head_dim] must be merged",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads),
        ),
    ),
)
