"""Exercise 11.causal_attention: the newest tokens ask, all have answers."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.attention import scaled_dot_attention


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The solution."""
    new, tokens = query.shape[1], key.shape[1]
    place = torch.arange(tokens, device=query.device)
    allowed = place <= place[tokens - new :].unsqueeze(1)  # the queries are the last ones
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1) @ value


def causal_attention_spec(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The same, one text and one query at a time, among the keys that it may look at."""
    batch, new, _ = query.shape
    earlier = key.shape[1] - new
    context = torch.zeros_like(query)
    for b in range(batch):
        for i in range(new):
            seen = earlier + i + 1
            context[b, i] = scaled_dot_attention(query[b, i : i + 1], key[b, :seen], value[b, :seen])[0]
    return context


def _attended(query: Tensor, key: Tensor, value: Tensor, allowed: Tensor, root: int | float = 0.5) -> Tensor:
    scores = query @ key.mT / query.shape[-1] ** root
    return scores.masked_fill(~allowed, -torch.inf).softmax(-1) @ value


def _causal_mask(query: Tensor, key: Tensor, further: int = 0, from_zero: bool = False) -> Tensor:
    """Up to a query's own place and `further`; from_zero: as if the queries stood at the beginning."""
    new, tokens = query.shape[1], key.shape[1]
    first = 0 if from_zero else tokens - new
    return torch.arange(tokens) <= torch.arange(first, first + new).unsqueeze(1) + further


def _everybody(query: Tensor, key: Tensor) -> Tensor:
    return torch.ones(query.shape[1], key.shape[1], dtype=torch.bool)


def _naive(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """With a softmax that takes the exponentials as they are."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    exponentials = scores.masked_fill(~_causal_mask(query, key), -torch.inf).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ value


def _minus_thirty(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.masked_fill(~_causal_mask(query, key), -30.0).softmax(-1) @ value


def _asking(batch: int, new: int, tokens: int, dim: int, size: float = 1.0) -> tuple:
    chance = torch.Generator().manual_seed(tokens + dim)
    query, key, value = (torch.randn(batch, n, dim, generator=chance) for n in (new, tokens, tokens))
    return size * query, key, value


CAUSAL_ATTENTION = Exercise(
    name="11.causal_attention",
    title="The newest tokens ask, all have answers",
    statement="""Return the context [batch, new, dim] of the last `new` tokens of a text, with causal attention.

Keys and values are there for all tokens, as with a cache; queries only for the last `new` of them. Each may look at
itself and at every token before it, at none after it. Scaled dot products.

query [batch, new, dim]; key, value [batch, tokens, dim]; new is at most tokens.""",
    axes="[batch, new, dim]",
    stub="""def causal_attention(query, key, value):
    ...
""",
    hints=(
        "At which place of the text does the first of the queries stand? It is not 0.",
        "With n queries and N keys, query i stands at place N - n + i. `torch.arange` makes all of these places.",
        "A comparison of key places [keys] with query places [new, 1] is the mask; where it is False, the scores "
        "become -inf before the softmax.",
    ),
    solution=causal_attention,
    spec=causal_attention_spec,
    inputs=lambda: [_asking(2, 3, 7, 4), _asking(3, 2, 5, 8)],
    edges=lambda: [_asking(1, 1, 6, 4), _asking(2, 4, 4, 3), _asking(5, 3, 3, 4, size=300.0)],
    mistakes=(
        Mistake(
            "NaN where numbers are large: the exponential of 100 is already infinite, and infinity by infinity is no "
            "number; subtract the highest of each row first, as `softmax` does",
            _naive,
        ),
        Mistake(
            "a number such as -30 in place of -inf: where the real scores are lower than that, the future is seen",
            _minus_thirty,
        ),
        Mistake(
            "the first query was put at place 0, so the newest tokens do not see the text before them: the queries "
            "are the last ones",
            lambda query, key, value: _attended(query, key, value, _causal_mask(query, key, from_zero=True)),
        ),
        Mistake(
            "there is no mask: of several new tokens the earlier ones see the later ones",
            lambda query, key, value: _attended(query, key, value, _everybody(query, key)),
        ),
        Mistake(
            "every token sees itself and the one after it, which it has to predict: compare with <=, and begin at the "
            "right place",
            lambda query, key, value: _attended(query, key, value, _causal_mask(query, key, 1)),
        ),
        Mistake(
            "no token sees itself: compare with <=, not with <",
            lambda query, key, value: _attended(query, key, value, _causal_mask(query, key, -1)),
        ),
        Mistake(
            "the scores were not divided by the root of dim",
            lambda query, key, value: _attended(query, key, value, _causal_mask(query, key), 0),
        ),
        Mistake(
            "the scores were divided by dim, not by its root",
            lambda query, key, value: _attended(query, key, value, _causal_mask(query, key), 1),
        ),
        Mistake(
            "the mask came after the softmax: the rows no longer sum to 1",
            lambda query, key, value: (
                (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) * _causal_mask(query, key) @ value
            ),
        ),
        Mistake(
            "a hidden score became 0, and exp(0) is 1: it must become -inf",
            lambda query, key, value: (
                (query @ key.mT / query.shape[-1] ** 0.5 * _causal_mask(query, key)).softmax(-1) @ value
            ),
        ),
        Mistake(
            "the mask is the wrong way round: the past is hidden, and the future is seen",
            lambda query, key, value: _attended(query, key, value, ~_causal_mask(query, key, -1)),
        ),
        Mistake(
            "the mask is inverted: each query hides itself and all before it, the last one hides everything, and a "
            "softmax of nothing but -inf is NaN; where the mask is False, the scores become -inf",
            lambda query, key, value: _attended(query, key, value, ~_causal_mask(query, key)),
        ),
        Mistake(
            "only the newest keys and values were used: the queries are new, but all tokens before them answer, too",
            lambda query, key, value: causal_attention(query, key[:, -query.shape[1] :], value[:, -query.shape[1] :]),
        ),
        Mistake(
            "the scores were divided by the root of the number of keys: it is the root of dim, the length of a query",
            lambda query, key, value: causal_attention(query * (query.shape[-1] / key.shape[1]) ** 0.5, key, value),
        ),
        Mistake(
            "the keys were averaged, not the values",
            lambda query, key, value: causal_attention(query, key, key),
        ),
        Mistake(
            "the softmax ran over the queries: each query shares its weight out among the keys, the last axis",
            lambda query, key, value: (
                (query @ key.mT / query.shape[-1] ** 0.5)
                .masked_fill(~_causal_mask(query, key), -torch.inf)
                .softmax(-2)
                .nan_to_num()
                @ value
            ),
        ),
    ),
)
