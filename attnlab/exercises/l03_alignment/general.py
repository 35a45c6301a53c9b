"""Exercise 03.general: luong's general score."""

import torch
from torch import Tensor

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import alignment, each
from attnlab.specs.attention import all_scores


def _weights_not_scores(scores: Tensor, *_: object) -> str | None:
    ones = torch.ones(scores.shape[:-1])
    message = "your rows sum to 1: these are weights, the scores are asked for, before any softmax"
    return message if scores.shape[-1] > 1 and torch.allclose(scores.sum(-1), ones, atol=1e-4) else None


def general(query: Tensor, key: Tensor, W: Tensor) -> Tensor:
    """The solution."""
    return query @ W.mT @ key.mT


def general_spec(query: Tensor, key: Tensor, W: Tensor) -> Tensor:
    """The same in loops."""

    def score(query: Tensor, key: Tensor, place: int) -> Tensor:
        return alignment.general(query, key, W.mT)

    return each(lambda query, key: all_scores(query, key, score), query, key)


def _general_inputs(batch: int, queries: int, keys: int, query_dim: int, key_dim: int) -> tuple:
    chance = torch.Generator().manual_seed(batch * 100 + keys)
    query, key = (torch.randn(batch, *size, generator=chance) for size in ((queries, query_dim), (keys, key_dim)))
    return query, key, torch.randn(key_dim, query_dim, generator=chance) / (query_dim * key_dim) ** 0.5


GENERAL = Exercise(
    name="03.general",
    title="Luong's general score",
    statement="""Return the scores [batch, queries, keys] of Luong's general score.

The score of a query with a key is the dot product of W query with key. W is kept as torch keeps it, as the weight of an
`nn.Linear(query_dim, key_dim)`. No softmax here: the scores themselves are asked for.

query [batch, queries, query_dim]; key [batch, keys, key_dim]; W [key_dim, query_dim].""",
    axes="[batch, queries, keys]",
    stub="""def general(query, key, W):
    ...
""",
    hints=(
        "Two matrix products, no loop. `@` multiplies the last two axes and leaves the batch alone.",
        "A linear layer multiplies its rows by its weight turned round, [query_dim, key_dim] here. Then the queries, "
        "[batch, queries, key_dim], are as long as the keys.",
        "For the second product the keys must lie on their side, [batch, key_dim, keys]: `key.mT` turns the last two "
        "axes round.",
    ),
    solution=general,
    spec=general_spec,
    inputs=lambda: [_general_inputs(2, 3, 5, 7, 2), _general_inputs(3, 5, 2, 3, 11)],
    edges=lambda: [_general_inputs(1, 1, 7, 5, 3), _general_inputs(2, 3, 1, 1, 2)],
    diagnoses=(_weights_not_scores,),
    mistakes=(
        Mistake(
            "these are weights: the scores are asked for, before any softmax",
            lambda query, key, W: general(query, key, W).softmax(-1),
        ),
        Mistake(
            "this is a softmax over queries: leave the softmax out here; and where one comes, it runs over the keys",
            lambda query, key, W: general(query, key, W).softmax(1),
        ),
        Mistake(
            "rows and columns are exchanged: expected [batch, queries, keys], got [batch, keys, queries]",
            lambda query, key, W: general(query, key, W).mT,
        ),
        Mistake(
            "the scores were divided by the square root of the query's size: that is for the scaled dot product; here "
            "W learns the scale",
            lambda query, key, W: general(query, key, W) / query.shape[-1] ** 0.5,
        ),
        Mistake(
            "the scores were divided by the square root of the key's size: that is for the scaled dot product; here "
            "W learns the scale",
            lambda query, key, W: general(query, key, W) / key.shape[-1] ** 0.5,
        ),
        Mistake(
            "tanh around the product: tanh belongs to the additive score, this one is a plain product",
            lambda query, key, W: general(query, key, W).tanh(),
        ),
        Mistake(
            "tanh of the projected query: this score has no tanh", lambda query, key, W: (query @ W.mT).tanh() @ key.mT
        ),
        Mistake(
            diagnoses.KEYS_RESHAPED,
            lambda query, key, W: query @ W.mT @ key.reshape(key.mT.shape),
        ),
        Mistake(
            "W was reshaped, which deals its numbers out anew: `W.mT` turns it round",
            lambda query, key, W: query @ W.reshape(W.mT.shape) @ key.mT,
        ),
        Mistake(
            "query and key were added: the general score multiplies them",
            lambda query, key, W: ((query @ W.mT).unsqueeze(2) + key.unsqueeze(1)).sum(-1),
        ),
        Mistake(
            "an axis too many: the last one, of the products, must be summed",
            lambda query, key, W: (query @ W.mT).unsqueeze(2) * key.unsqueeze(1),
        ),
        Mistake(
            "averaged over the size: the products of a dot product are summed",
            lambda query, key, W: ((query @ W.mT).unsqueeze(2) * key.unsqueeze(1)).mean(-1),
        ),
        Mistake(
            "queries met the keys of other sentences: the axis of the batch was summed away or mixed up",
            lambda query, key, W: torch.einsum("bqm,nm,ckn->bqk", query, W, key),
        ),
        Mistake(
            "every query met the keys of the first sentence: each has keys of its own",
            lambda query, key, W: query @ W.mT @ key[:1].mT,
        ),
        Mistake(
            "W was turned into weights by a softmax: it is used as it is",
            lambda query, key, W: query @ W.mT.softmax(-1) @ key.mT,
        ),
        Mistake(
            "W was turned into weights by a softmax over its columns' numbers: it is used as it is",
            lambda query, key, W: query @ W.mT.softmax(0) @ key.mT,
        ),
        Mistake("tanh of W: it is used as it is", lambda query, key, W: query @ W.mT.tanh() @ key.mT),
        Mistake("tanh of the keys: this score has no tanh", lambda query, key, W: query @ W.mT @ key.tanh().mT),
        Mistake(
            "sigmoid around the product: the scores themselves are asked for",
            lambda query, key, W: general(query, key, W).sigmoid(),
        ),
        Mistake(
            "the exponential belongs to a softmax: the scores themselves are asked for",
            lambda query, key, W: general(query, key, W).exp(),
        ),
        Mistake("the sign is gone: a score may be negative", lambda query, key, W: general(query, key, W).abs()),
        Mistake(
            "negative scores became 0: a score may be negative", lambda query, key, W: general(query, key, W).relu()
        ),
        Mistake(
            "these are logarithms of weights: the scores are asked for, before any softmax",
            lambda query, key, W: general(query, key, W).log_softmax(-1),
        ),
        Mistake(
            "this is a softmax of the whole matrix: the scores are asked for, before any softmax",
            lambda query, key, W: general(query, key, W).flatten(1).softmax(-1).reshape(len(query), query.shape[1], -1),
        ),
        Mistake(
            "the highest score of each row was subtracted: that belongs to a softmax, leave the scores as they are",
            lambda query, key, W: general(query, key, W) - general(query, key, W).amax(-1, keepdim=True),
        ),
        Mistake(
            "query and key were subtracted: the general score multiplies them",
            lambda query, key, W: ((query @ W.mT).unsqueeze(2) - key.unsqueeze(1)).sum(-1),
        ),
        Mistake(
            "this is minus the squared distance: the general score is a product",
            lambda query, key, W: -((query @ W.mT).unsqueeze(2) - key.unsqueeze(1)).pow(2).sum(-1),
        ),
        Mistake(
            "the projected queries were brought to length 1; the general score leaves them as they are",
            lambda query, key, W: torch.nn.functional.normalize(query @ W.mT, dim=-1) @ key.mT,
        ),
        Mistake(
            "every row holds the scores of the first query: each has its own",
            lambda query, key, W: general(query, key, W)[:, :1].expand(-1, query.shape[1], -1),
        ),
        Mistake("these are the projected keys: the product with the queries is missing", lambda query, key, W: key @ W),
        Mistake(
            "these are the projected queries: the product with the keys is missing", lambda query, key, W: query @ W.mT
        ),
        Mistake(
            "these are cosines: the vectors were brought to length 1; the general score leaves them as they are",
            lambda query, key, W: (
                torch.nn.functional.normalize(query @ W.mT, dim=-1) @ torch.nn.functional.normalize(key, dim=-1).mT
            ),
        ),
    ),
)
