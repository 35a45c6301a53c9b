"""Exercise 05.self_attention: a sequence asks itself, with one matrix."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import attention, each


def self_attention(x: Tensor, W: Tensor, key_dim: int) -> Tensor:
    """The solution."""
    query, key, value = (x @ W).tensor_split([key_dim, 2 * key_dim], dim=-1)
    scores = query @ key.mT / key_dim**0.5  # [batch, tokens, tokens]: rows ask, columns answer
    return scores.softmax(dim=-1) @ value


def _maps(W: Tensor, key_dim: int) -> tuple[Tensor, ...]:
    """W_q, W_k, W_v."""
    return W.tensor_split([key_dim, 2 * key_dim], dim=1)


def _of_maps(wrong: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A mistake that is written with x, W_q, W_k and W_v."""
    return lambda x, W, key_dim: wrong(x, *_maps(W, key_dim))


def _inputs(batch: int, tokens: int, dim: int, key_dim: int, value_dim: int) -> tuple:
    chance = torch.Generator().manual_seed(batch * 100 + tokens)
    x = torch.randn(batch, tokens, dim, generator=chance)
    W_q, W_k, W_v = (torch.randn(dim, size, generator=chance) / dim**0.5 for size in (key_dim, key_dim, value_dim))
    return x, torch.cat([1.5 * W_q, W_k, W_v], dim=1), key_dim


def _attended(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value


def _from_maps(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Tensor:
    return _attended(x @ W_q, x @ W_k, x @ W_v)


def _weighed(weigh: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """The attention of scores that became weights in another way."""
    return lambda x, W_q, W_k, W_v: weigh((x @ W_q) @ (x @ W_k).mT / W_q.shape[1] ** 0.5) @ (x @ W_v)


def _with(change: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """The attention of scores that were changed."""
    return _weighed(lambda scores: change(scores).softmax(-1))


def _between_values(context: Tensor, x: Tensor, W: Tensor, key_dim: int) -> str | None:
    return diagnoses.average(context, x @ W[:, 2 * key_dim :])


_MISTAKES = (
    Mistake(
        "what x W made was cut into three equal parts: queries and keys are key_dim wide, the values are all the rest",
        lambda x, W_q, W_k, W_v: (lambda query, key, value: (query @ key.mT / W_q.shape[1] ** 0.5).softmax(-1) @ value)(
            *(x @ torch.cat([W_q, W_k, W_v], dim=1)).chunk(3, dim=-1)
        ),
    ),
    Mistake(
        diagnoses.KEYS_RESHAPED,
        lambda x, W_q, W_k, W_v: (
            (x @ W_q @ (x @ W_k).reshape(len(x), -1, x.shape[1]) / W_q.shape[1] ** 0.5).softmax(-1) @ (x @ W_v)
        ),
    ),
    Mistake(
        "you divided by the square root of dim, the size of x: the dot products sum over key_dim",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT / x.shape[-1] ** 0.5).softmax(-1) @ (x @ W_v),
    ),
    Mistake(
        "the scale is missing: divide the scores by the square root of key_dim",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT).softmax(-1) @ (x @ W_v),
    ),
    Mistake(
        "you divided by key_dim, not by its square root",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT / W_k.shape[1]).softmax(-1) @ (x @ W_v),
    ),
    Mistake(
        "you divided by dim, the size of x: it must be the square root of key_dim",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT / x.shape[-1]).softmax(-1) @ (x @ W_v),
    ),
    Mistake(
        "the scale came after the softmax: the weights no longer sum to 1",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT).softmax(-1) / W_q.shape[1] ** 0.5 @ (x @ W_v),
    ),
    Mistake(
        "you divided by the square root of the number of tokens: the dot products sum over key_dim",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT / x.shape[1] ** 0.5).softmax(-1) @ (x @ W_v),
    ),
    Mistake(
        "you divided by the square root of value_dim: the dot products sum over key_dim",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT / W_v.shape[1] ** 0.5).softmax(-1) @ (x @ W_v),
    ),
    Mistake(
        "query and key are exchanged: row i must be what token i asks, `(x @ W_q) @ (x @ W_k).mT`",
        lambda x, W_q, W_k, W_v: _attended(x @ W_k, x @ W_q, x @ W_v),
    ),
    Mistake(
        "softmax over queries: your columns sum to 1, but it is the token that asks, a row, that shares its weight "
        "out: the last axis",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT / W_q.shape[1] ** 0.5).softmax(1) @ (x @ W_v),
    ),
    Mistake(
        "the softmax ran over the whole matrix at once: each row must sum to 1 by itself",
        lambda x, W_q, W_k, W_v: (
            (x @ W_q @ (x @ W_k).mT / W_q.shape[1] ** 0.5).flatten(1).softmax(-1).reshape(len(x), x.shape[1], -1)
            @ (x @ W_v)
        ),
    ),
    Mistake(
        "the weights were turned round before they met the values: row i of the weights makes context i",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT / W_q.shape[1] ** 0.5).softmax(-1).mT @ (x @ W_v),
    ),
    Mistake(
        "W_q made the keys too: keys are x W_k; with one matrix for both the scores would be symmetric",
        lambda x, W_q, W_k, W_v: _attended(x @ W_q, x @ W_q, x @ W_v),
    ),
    Mistake(
        "W_k made the queries too: queries are x W_q; with one matrix for both the scores would be symmetric",
        lambda x, W_q, W_k, W_v: _attended(x @ W_k, x @ W_k, x @ W_v),
    ),
    Mistake(
        "x was compared with itself: queries and keys are x W_q and x W_k",
        lambda x, W_q, W_k, W_v: _attended(x, x, x @ W_v),
    ),
    Mistake("x itself was averaged: the values are x W_v", lambda x, W_q, W_k, W_v: _attended(x @ W_q, x @ W_k, x)),
    Mistake(
        "the keys were averaged: the values are x W_v",
        lambda x, W_q, W_k, W_v: _attended(x @ W_q, x @ W_k, x @ W_k),
    ),
    Mistake(
        "the softmax is missing: you weighted with the scores",
        lambda x, W_q, W_k, W_v: x @ W_q @ (x @ W_k).mT / W_q.shape[1] ** 0.5 @ (x @ W_v),
    ),
    Mistake(
        "these are the weights: the average of the values is missing, `weights @ value`",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT / W_q.shape[1] ** 0.5).softmax(-1),
    ),
    Mistake("these are the values: nobody has asked anything yet", lambda x, W_q, W_k, W_v: x @ W_v),
    Mistake(
        "the future is hidden: nothing was said of a mask, every token may ask every other one",
        _with(lambda scores: scores.masked_fill(torch.ones(scores.shape[1:], dtype=torch.bool).triu(1), -torch.inf)),
    ),
    Mistake(
        "no token saw itself: its own key and value count as well",
        lambda x, W_q, W_k, W_v: torch.nan_to_num(
            _with(lambda scores: scores.masked_fill(torch.eye(scores.shape[1], dtype=torch.bool), -torch.inf))(
                x, W_q, W_k, W_v
            )
        ),
    ),
    Mistake(
        "tokens asked the same place of other sentences: the softmax and the sums must run over the tokens of one "
        "sentence, not over the batch",
        lambda x, W_q, W_k, W_v: _from_maps(x.transpose(0, 1), W_q, W_k, W_v).transpose(0, 1),
    ),
    Mistake(
        "the sentences of the batch were read as one long one: each asks only itself",
        lambda x, W_q, W_k, W_v: _from_maps(x.flatten(0, 1).unsqueeze(0), W_q, W_k, W_v).reshape(*x.shape[:2], -1),
    ),
    Mistake(
        "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
        _with(lambda scores: scores.softmax(-1)),
    ),
    Mistake(
        "the sign is wrong: the worst match got the highest weight",
        _with(lambda scores: -scores),
    ),
    Mistake(
        "tanh of the scores: a dot product goes into the softmax as it is, only scaled",
        _with(lambda scores: scores.tanh()),
    ),
    Mistake(
        "scores and their transpose were averaged: what i asks j is not what j asks i",
        _with(lambda scores: (scores + scores.mT) / 2),
    ),
    Mistake(
        "you multiplied by the square root of key_dim: divide",
        lambda x, W_q, W_k, W_v: _with(lambda scores: scores * W_k.shape[1])(x, W_q, W_k, W_v),
    ),
    Mistake(
        "a token saw only those before it: nothing was said of a mask, every token may ask every other one, and itself",
        lambda x, W_q, W_k, W_v: torch.nan_to_num(
            _with(lambda scores: scores.masked_fill(torch.ones(scores.shape[1:], dtype=torch.bool).triu(), -torch.inf))(
                x, W_q, W_k, W_v
            )
        ),
    ),
    Mistake(
        "argmax: you took the one best value; the context is an average of all, weighted",
        _weighed(lambda scores: one_hot(scores.argmax(-1), scores.shape[-1]).float()),
    ),
    Mistake(
        "sigmoid in place of the softmax: the weights of a token must sum to 1",
        _weighed(torch.sigmoid),
    ),
    Mistake(
        "exp without the division: the weights must sum to 1",
        _weighed(torch.exp),
    ),
    Mistake(
        "log_softmax in place of softmax: these are logarithms of the weights",
        _weighed(lambda scores: scores.log_softmax(-1)),
    ),
    Mistake(
        "softmax over the batch: each token shares its weight out among the tokens of its own sequence, the last axis",
        _weighed(lambda scores: scores.softmax(0)),
    ),
    Mistake(
        "averaged instead of weighted: every value counts the same",
        lambda x, W_q, W_k, W_v: (x @ W_v).mean(1, keepdim=True).expand(-1, x.shape[1], -1),
    ),
    Mistake(
        "summed instead of weighted: every value counts the same",
        lambda x, W_q, W_k, W_v: (x @ W_v).sum(1, keepdim=True).expand(-1, x.shape[1], -1),
    ),
    Mistake(
        "the values were added to what was found: the residual connection belongs to the block around it, in "
        "lesson 09, and adds x",
        lambda x, W_q, W_k, W_v: _from_maps(x, W_q, W_k, W_v) + x @ W_v,
    ),
    Mistake(
        "x was compared with itself, and nothing scaled: queries and keys are x W_q and x W_k",
        lambda x, W_q, W_k, W_v: (x @ x.mT).softmax(-1) @ (x @ W_v),
    ),
    Mistake(
        "rows and columns are exchanged: expected [batch, tokens, value_dim], got [batch, value_dim, tokens]",
        lambda x, W_q, W_k, W_v: _from_maps(x, W_q, W_k, W_v).mT,
    ),
    Mistake(
        "these are the scores: the softmax and the average of the values are missing",
        lambda x, W_q, W_k, W_v: (x @ W_q) @ (x @ W_k).mT / W_q.shape[1] ** 0.5,
    ),
    Mistake(
        "the context of the last token: every token has a context of its own",
        lambda x, W_q, W_k, W_v: _from_maps(x, W_q, W_k, W_v)[:, -1],
    ),
    Mistake(
        "every sentence was given the values of the first one: keep the axis of the batch",
        lambda x, W_q, W_k, W_v: _attended(x @ W_q, x @ W_k, x[:1] @ W_v),
    ),
    Mistake(
        "one context for the sentence: every token has a context of its own",
        lambda x, W_q, W_k, W_v: _from_maps(x, W_q, W_k, W_v).mean(1),
    ),
    Mistake(
        "the average of all contexts for every token: each has its own",
        lambda x, W_q, W_k, W_v: (lambda found: found.mean(1, keepdim=True).expand_as(found))(
            _from_maps(x, W_q, W_k, W_v)
        ),
    ),
    Mistake(
        "the values were made by the first columns: those are W_q; W_v comes last",
        lambda x, W_q, W_k, W_v: (
            lambda W: _from_maps(
                x, W[:, W_v.shape[1] : W_v.shape[1] + W_q.shape[1]], W[:, -W_q.shape[1] :], W[:, : W_v.shape[1]]
            )
        )(torch.cat([W_q, W_k, W_v], dim=1)),
    ),
)

SELF_ATTENTION = Exercise(
    name="05.self_attention",
    title="A sequence asks itself, with one matrix",
    statement="""Return the contexts [batch, tokens, value_dim] of self-attention.

The three maps stand side by side in one matrix, W = (W_q | W_k | W_v), as large models keep them: the first key_dim
columns make the queries, the next key_dim the keys, all others the values. Each token's query asks the keys of all
tokens of its sequence, its own too: scaled dot products, divided by the square root of key_dim, a softmax over the
keys, and the values averaged with these weights.

x [batch, tokens, dim]; W [dim, 2 key_dim + value_dim]; key_dim is a whole number.""",
    axes="[batch, tokens, value_dim]",
    stub="""def self_attention(x, W, key_dim):
    ...
""",
    hints=(
        "A product of x with columns that stand side by side gives results that stand side by side: multiply once, and "
        "cut what comes out.",
        "`split` and `tensor_split` cut along an axis; the last one here. The scores are [batch, tokens, tokens]: row "
        "i is what token i asks, column j what token j answers.",
        "What does the softmax run over, and what is left to average once you have the weights? The root is that of "
        "key_dim, not of the width of W.",
    ),
    solution=self_attention,
    spec=lambda x, W, key_dim: each(lambda sentence: attention.self_attention(sentence, *_maps(W, key_dim)), x),
    inputs=lambda: [_inputs(2, 5, 3, 7, 11), _inputs(3, 7, 5, 2, 13)],
    edges=lambda: [_inputs(2, 1, 3, 5, 2), _inputs(1, 11, 2, 1, 3)],
    diagnoses=(diagnoses.same_for_all, _between_values),
    mistakes=tuple(Mistake(one.message, _of_maps(one.function)) for one in _MISTAKES),
)
