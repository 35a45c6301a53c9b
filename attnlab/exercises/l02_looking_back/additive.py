"""Exercise 02.additive: additive attention with a mask."""

import torch
from torch import Tensor

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import alignment, each
from attnlab.specs.attention import all_scores, softmax

LOWEST = torch.finfo(torch.float32).min


def additive_weights(query: Tensor, key: Tensor, W_q: Tensor, W_k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """The solution."""
    pairs = (query @ W_q).unsqueeze(2) + (key @ W_k).unsqueeze(1)  # [batch, queries, keys, dim]
    scores = torch.tanh(pairs) @ v  # [batch, queries, keys]
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return weights.masked_fill(~mask, 0)  # a row of nothing but -inf became NaN


def additive_spec(query: Tensor, key: Tensor, W_q: Tensor, W_k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """The same in loops."""

    def score(query: Tensor, key: Tensor, place: int) -> Tensor:
        return alignment.additive(query, key, W_q, W_k, torch.zeros_like(v), v)

    return each(lambda query, key, mask: softmax(all_scores(query, key, score), mask), query, key, mask)


def _additive_inputs(batch: int, queries: int, keys: int, query_dim: int, key_dim: int, dim: int) -> tuple:
    """Scores spread by about 1, so that no weight is close to 0 or 1: a saturated softmax would hide mistakes."""
    chance = torch.Generator().manual_seed(batch * 100 + keys)
    query, key = (torch.randn(batch, *size, generator=chance) for size in ((queries, query_dim), (keys, key_dim)))
    W_q = torch.randn(query_dim, dim, generator=chance) / query_dim**0.5
    W_k = torch.randn(key_dim, dim, generator=chance) / key_dim**0.5
    v = 2.5 * torch.randn(dim, generator=chance) / dim**0.5
    return query, key, W_q, W_k, v, _holes(batch, queries, keys)


def _holes(batch: int, queries: int, keys: int) -> Tensor:
    """A mask with both True and False in every row and column, and not the same in every row."""
    place = torch.arange(queries).unsqueeze(1) + torch.arange(keys) + torch.arange(batch).reshape(-1, 1, 1)
    return place % 3 != 0


def _nothing_to_see() -> tuple:
    *inputs, mask = _additive_inputs(2, 3, 5, 3, 2, 7)
    mask[1, 2] = False
    return *inputs, mask


def _large_scores() -> tuple:
    query, key, W_q, W_k, v, mask = _additive_inputs(2, 4, 5, 3, 2, 7)
    return query, key, W_q, W_k, 20 * v, mask


def _pairs(query: Tensor, key: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    return (query @ W_q).unsqueeze(2) + (key @ W_k).unsqueeze(1)


def scores_of(query: Tensor, key: Tensor, W_q: Tensor, W_k: Tensor, v: Tensor) -> Tensor:
    return torch.tanh(_pairs(query, key, W_q, W_k)) @ v


def _weights(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    return scores.masked_fill(~mask, LOWEST).softmax(dim=dim).masked_fill(~mask, 0)


ADDITIVE = Exercise(
    name="02.additive",
    title="Additive attention with a mask",
    statement="""Return the weights [batch, queries, keys] of additive attention.

The score of a query with a key is v · tanh(query W_q + key W_k). Each row of weights is a softmax of its scores over
the keys. Where `mask` is False the weight is 0; a row in which nothing may be attended to holds only zeros.

query [batch, queries, query_dim]; key [batch, keys, key_dim]; W_q [query_dim, dim]; W_k [key_dim, dim]; v [dim];
mask [batch, queries, keys], True = may attend.""",
    axes="[batch, queries, keys]",
    stub="""def additive_weights(query, key, W_q, W_k, v, mask):
    ...
""",
    hints=(
        "Each query meets each key. Give the projected queries an axis for the keys, the projected keys one for the "
        "queries, and let broadcasting add them: [batch, queries, 1, dim] + [batch, 1, keys, dim].",
        "tanh, then `@ v`, leaves scores [batch, queries, keys]. Put the mask on the scores, before the softmax: "
        "`scores.masked_fill(~mask, -torch.inf)`. Then softmax over the last axis, the keys.",
        "A row of nothing but -inf becomes NaN in the softmax, which divides 0 by 0. After the softmax fill the hidden "
        "places with 0 once more.",
    ),
    solution=additive_weights,
    spec=additive_spec,
    inputs=lambda: [_additive_inputs(2, 3, 5, 7, 11, 13), _additive_inputs(1, 5, 7, 3, 2, 5)],
    edges=lambda: [_nothing_to_see(), _additive_inputs(3, 1, 7, 2, 3, 11), _large_scores()],
    diagnoses=(diagnoses.negative, diagnoses.hidden, diagnoses.row_sums),
    mistakes=(
        Mistake(
            "softmax over queries: your columns sum to 1, but each query has to share its weight out among the keys, "
            "the last axis",
            lambda query, key, W_q, W_k, v, mask: _weights(scores_of(query, key, W_q, W_k, v), mask, dim=1),
        ),
        Mistake(
            "softmax over the whole batch or matrix at once: each row must sum to 1 by itself",
            lambda query, key, W_q, W_k, v, mask: _weights(
                scores_of(query, key, W_q, W_k, v).flatten(1), mask.flatten(1)
            ).reshape(mask.shape),
        ),
        Mistake(
            "the mask came after the softmax: rows no longer sum to 1, since hidden words took their share first",
            lambda query, key, W_q, W_k, v, mask: scores_of(query, key, W_q, W_k, v).softmax(-1) * mask,
        ),
        Mistake(
            "hidden scores became 0, but exp(0) is 1, so they still get weight: before the softmax they must be very "
            "low",
            lambda query, key, W_q, W_k, v, mask: (scores_of(query, key, W_q, W_k, v) * mask).softmax(-1),
        ),
        Mistake(
            "the mask was added as numbers 0 and 1: hidden words must be shut out, not lowered by 1",
            lambda query, key, W_q, W_k, v, mask: (scores_of(query, key, W_q, W_k, v) + mask).softmax(-1),
        ),
        Mistake(
            "the mask is inverted: you hid the words and read the padding; True means may attend",
            lambda query, key, W_q, W_k, v, mask: _weights(scores_of(query, key, W_q, W_k, v), ~mask),
        ),
        Mistake(
            "the mask is not used: hidden words still have weight",
            lambda query, key, W_q, W_k, v, mask: scores_of(query, key, W_q, W_k, v).softmax(-1),
        ),
        Mistake(
            "tanh is missing: without it the query adds the same to all of a row's scores and cancels in the softmax",
            lambda query, key, W_q, W_k, v, mask: _weights(_pairs(query, key, W_q, W_k) @ v, mask),
        ),
        Mistake(
            "tanh came last: it belongs around the sum of the projections, and v weighs what it returns",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.tanh(_pairs(query, key, W_q, W_k) @ v), mask),
        ),
        Mistake(
            "sigmoid in place of tanh",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.sigmoid(_pairs(query, key, W_q, W_k)) @ v, mask),
        ),
        Mistake(
            "relu in place of tanh",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.relu(_pairs(query, key, W_q, W_k)) @ v, mask),
        ),
        Mistake(
            "v is missing: you summed what tanh returns; v says how much each part of it counts",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.tanh(_pairs(query, key, W_q, W_k)).sum(-1), mask),
        ),
        Mistake(
            "the query has no effect: it is missing, or tanh was taken of query and key apart, so that the query adds "
            "the same to all scores of its row and cancels in the softmax; tanh belongs around the sum of both",
            lambda query, key, W_q, W_k, v, mask: _weights(
                ((query @ W_q).tanh().unsqueeze(2) + (key @ W_k).tanh().unsqueeze(1)) @ v, mask
            ),
        ),
        Mistake(
            "query and key were multiplied: that is a dot product; the additive score adds the projections",
            lambda query, key, W_q, W_k, v, mask: _weights((query @ W_q) @ (key @ W_k).mT, mask),
        ),
        Mistake(
            "query and key were multiplied inside tanh: the additive score adds the projections",
            lambda query, key, W_q, W_k, v, mask: _weights(
                torch.tanh((query @ W_q).unsqueeze(2) * (key @ W_k).unsqueeze(1)) @ v, mask
            ),
        ),
        Mistake(
            "the scores were divided by the square root of the width: that is for dot products, additive scores stay "
            "as they are",
            lambda query, key, W_q, W_k, v, mask: _weights(scores_of(query, key, W_q, W_k, v) / len(v) ** 0.5, mask),
        ),
        Mistake(
            "the sign is wrong: the best match got the lowest weight",
            lambda query, key, W_q, W_k, v, mask: _weights(-scores_of(query, key, W_q, W_k, v), mask),
        ),
        Mistake(
            "these are the scores: the softmax over the keys is missing",
            lambda query, key, W_q, W_k, v, mask: scores_of(query, key, W_q, W_k, v).masked_fill(~mask, 0),
        ),
        Mistake(
            "these are the masked scores: the softmax over the keys is missing",
            lambda query, key, W_q, W_k, v, mask: scores_of(query, key, W_q, W_k, v).masked_fill(~mask, -torch.inf),
        ),
        Mistake(
            "exp without the division: each row must be divided by its sum",
            lambda query, key, W_q, W_k, v, mask: scores_of(query, key, W_q, W_k, v).exp() * mask,
        ),
        Mistake(
            "log_softmax in place of softmax: these are logarithms of the weights",
            lambda query, key, W_q, W_k, v, mask: (
                scores_of(query, key, W_q, W_k, v).masked_fill(~mask, -torch.inf).log_softmax(-1)
            ),
        ),
        Mistake(
            "sigmoid in place of the softmax: each weight was found by itself, so rows do not sum to 1",
            lambda query, key, W_q, W_k, v, mask: scores_of(query, key, W_q, W_k, v).sigmoid() * mask,
        ),
        Mistake(
            "argmax: all weight on the best key; softmax shares it out, and only so can the scores be learned",
            lambda query, key, W_q, W_k, v, mask: torch.nn.functional.one_hot(
                scores_of(query, key, W_q, W_k, v).masked_fill(~mask, LOWEST).argmax(-1), mask.shape[-1]
            ).float(),
        ),
        Mistake(
            "rows and columns are exchanged: expected [batch, queries, keys], got [batch, keys, queries]",
            lambda query, key, W_q, W_k, v, mask: _weights(scores_of(query, key, W_q, W_k, v), mask).mT,
        ),
        Mistake(
            "the encoder's states are forgotten: without the keys all visible words of a row have the same weight",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.zeros(mask.shape), mask),
        ),
        Mistake(
            "the keys were subtracted: the additive score adds the projections",
            lambda query, key, W_q, W_k, v, mask: _weights(scores_of(query, -key, W_q, W_k, v), mask),
        ),
        Mistake(
            "v came before tanh: tanh first, and v weighs what it returns",
            lambda query, key, W_q, W_k, v, mask: _weights(torch.tanh(_pairs(query, key, W_q, W_k) * v).sum(-1), mask),
        ),
        Mistake(
            "tanh came twice: once, around the sum of the projections",
            lambda query, key, W_q, W_k, v, mask: _weights(_pairs(query, key, W_q, W_k).tanh().tanh() @ v, mask),
        ),
        Mistake(
            "the keys went through tanh by themselves and then once more in the sum: one tanh, around the sum",
            lambda query, key, W_q, W_k, v, mask: _weights(
                torch.tanh((query @ W_q).unsqueeze(2) + (key @ W_k).tanh().unsqueeze(1)) @ v, mask
            ),
        ),
        Mistake(
            "tanh and v are missing: you summed the projections",
            lambda query, key, W_q, W_k, v, mask: _weights(_pairs(query, key, W_q, W_k).sum(-1), mask),
        ),
        Mistake(
            "averaged over the width in place of the sum: the score is v · tanh(...), a sum",
            lambda query, key, W_q, W_k, v, mask: _weights(scores_of(query, key, W_q, W_k, v) / len(v), mask),
        ),
        Mistake(
            "the scores were divided by the square root of the query's size: that is for dot products, additive scores "
            "stay as they are",
            lambda query, key, W_q, W_k, v, mask: _weights(
                scores_of(query, key, W_q, W_k, v) / query.shape[-1] ** 0.5, mask
            ),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
            lambda query, key, W_q, W_k, v, mask: _weights(_weights(scores_of(query, key, W_q, W_k, v), mask), mask),
        ),
        Mistake(
            "the softmax came twice, the second time without the mask: hidden words have weight again",
            lambda query, key, W_q, W_k, v, mask: _weights(scores_of(query, key, W_q, W_k, v), mask).softmax(-1),
        ),
        Mistake(
            "the exponential is missing: scores can be negative, weights cannot",
            lambda query, key, W_q, W_k, v, mask: (lambda seen: seen / seen.sum(-1, keepdim=True))(
                scores_of(query, key, W_q, W_k, v) * mask
            ),
        ),
        Mistake(
            "hidden scores became 0 before the softmax, where exp(0) is 1, and were hidden again behind it: what they "
            "took is lost, and rows no longer sum to 1",
            lambda query, key, W_q, W_k, v, mask: (scores_of(query, key, W_q, W_k, v) * mask).softmax(-1) * mask,
        ),
        Mistake(
            "every weight is 0; was it what may be seen that you hid before the softmax, and what may not behind it? "
            "`masked_fill` fills where its mask is True, so both times it must be `~mask`",
            lambda query, key, W_q, W_k, v, mask: torch.zeros(mask.shape),
        ),
        Mistake(
            "NaN where a row may attend to nothing: a softmax of nothing but -inf divides 0 by 0; such a row must "
            "hold zeros",
            lambda query, key, W_q, W_k, v, mask: (
                scores_of(query, key, W_q, W_k, v).masked_fill(~mask, -torch.inf).softmax(-1)
            ),
        ),
        Mistake(
            "a row that may attend to nothing shares its weight out evenly; it must hold zeros: fill the hidden places "
            "once more after the softmax",
            lambda query, key, W_q, W_k, v, mask: (
                scores_of(query, key, W_q, W_k, v).masked_fill(~mask, LOWEST).softmax(-1)
            ),
        ),
        Mistake(
            "the weights are right, but their gradient is NaN: -inf was added to the scores, and the NaN of an empty "
            "row flows back through the sum; masked_fill stops it",
            lambda query, key, W_q, W_k, v, mask: (
                (scores_of(query, key, W_q, W_k, v) + torch.zeros(mask.shape).masked_fill(~mask, -torch.inf))
                .softmax(-1)
                .masked_fill(~mask, 0)
            ),
        ),
    ),
)
