"""Exercise 04.attend: a query that may find nothing."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import pad

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import attention, each


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The solution."""
    query, key, value = _with_nothing(query, key, value)
    scores = query @ key.mT / query.shape[-1] ** 0.5  # [batch, queries, keys + 1]
    return scores.softmax(dim=-1) @ value


def _with_nothing(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
    """One more key of zeros, with a value of zeros."""
    return query, pad(key, (0, 0, 0, 1)), pad(value, (0, 0, 0, 1))


def _of_one_more(wrong: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A mistake made by somebody who has added the key and the value."""
    return lambda query, key, value: wrong(*_with_nothing(query, key, value))


def _attend_inputs(batch: int, queries: int, keys: int, dim: int, value_dim: int) -> tuple:
    """Numbers of variance 1 and 2.25, so that scaled scores spread by about 1.5."""
    chance = torch.Generator().manual_seed(batch * 100 + keys)
    query, key, value = (
        torch.randn(batch, *size, generator=chance) for size in ((queries, dim), (keys, dim), (keys, value_dim))
    )
    return 1.5 * query, key, value


def _scores(query: Tensor, key: Tensor, value: Tensor | None = None) -> Tensor:
    return query @ key.mT / query.shape[-1] ** 0.5


def _lowered_alone(scores: Tensor, lowered: Tensor) -> Tensor:
    """Weights from scores that were lowered for the exponential, the extra key's 0 left as it is."""
    exponentials = (scores - lowered).exp()
    return exponentials / (1 + exponentials.sum(dim=-1, keepdim=True))


def _between_values(context: Tensor, query: Tensor, key: Tensor, value: Tensor) -> str | None:
    return diagnoses.average(context, _with_nothing(query, key, value)[2])


# What is wrong with the attention, whatever its keys are.
_MISTAKES = (
    Mistake(
        "the scale is missing: divide the scores by the square root of dim",
        lambda query, key, value: (query @ key.mT).softmax(-1) @ value,
    ),
    Mistake(
        "you divided by dim, not by its square root",
        lambda query, key, value: (query @ key.mT / query.shape[-1]).softmax(-1) @ value,
    ),
    Mistake(
        "you multiplied by the square root of dim: divide",
        lambda query, key, value: (query @ key.mT * query.shape[-1] ** 0.5).softmax(-1) @ value,
    ),
    Mistake(
        "you divided by the square root of the number of keys: a dot product sums over dim, so dim sets its spread",
        lambda query, key, value: (query @ key.mT / key.shape[1] ** 0.5).softmax(-1) @ value,
    ),
    Mistake(
        "you divided by the square root of the number of queries: a dot product sums over dim, so dim sets its spread",
        lambda query, key, value: (query @ key.mT / query.shape[1] ** 0.5).softmax(-1) @ value,
    ),
    Mistake(
        "you divided by the square root of value_dim: the scores come from query and key, so their dim counts",
        lambda query, key, value: (query @ key.mT / value.shape[-1] ** 0.5).softmax(-1) @ value,
    ),
    Mistake(
        "you divided by the square root of the batch's size: `len(query)` is the first axis, dim is the last, "
        "`query.shape[-1]`",
        lambda query, key, value: (query @ key.mT / len(query) ** 0.5).softmax(-1) @ value,
    ),
    Mistake(
        diagnoses.KEYS_RESHAPED,
        lambda query, key, value: (query @ key.reshape(key.mT.shape) / query.shape[-1] ** 0.5).softmax(-1) @ value,
    ),
    Mistake(
        "the scale came after the softmax: the weights no longer sum to 1",
        lambda query, key, value: (query @ key.mT).softmax(-1) / query.shape[-1] ** 0.5 @ value,
    ),
    Mistake(
        "scaled twice: once before the softmax is right, once more after it is too much",
        lambda query, key, value: _scores(query, key).softmax(-1) / query.shape[-1] ** 0.5 @ value,
    ),
    Mistake(
        "softmax over queries: each query shares its weight out among the keys, the last axis",
        lambda query, key, value: _scores(query, key).softmax(1) @ value,
    ),
    Mistake(
        "softmax over the batch: each query shares its weight out among the keys, the last axis",
        lambda query, key, value: _scores(query, key).softmax(0) @ value,
    ),
    Mistake(
        "the softmax ran over the whole matrix at once: each row must sum to 1 by itself",
        lambda query, key, value: (
            _scores(query, key).flatten(1).softmax(-1).reshape(len(query), query.shape[1], -1) @ value
        ),
    ),
    Mistake(
        "the softmax is missing: you weighted with the scores",
        lambda query, key, value: _scores(query, key) @ value,
    ),
    Mistake(
        "exp without the division: the weights must sum to 1",
        lambda query, key, value: _scores(query, key).exp() @ value,
    ),
    Mistake(
        "sigmoid in place of the softmax: the weights of a query must sum to 1",
        lambda query, key, value: _scores(query, key).sigmoid() @ value,
    ),
    Mistake(
        "log_softmax in place of softmax: these are logarithms of the weights",
        lambda query, key, value: _scores(query, key).log_softmax(-1) @ value,
    ),
    Mistake(
        "argmax: you took the one best value; the context is an average of all, weighted",
        lambda query, key, value: (
            torch.nn.functional.one_hot(_scores(query, key).argmax(-1), key.shape[1]).float() @ value
        ),
    ),
    Mistake(
        "the future is hidden, and queries were taken for the first tokens: nothing was said of a mask, every "
        "query may look at every key",
        lambda query, key, value: (
            _scores(query, key)
            .masked_fill(~torch.ones(query.shape[1], key.shape[1], dtype=torch.bool).tril(), -torch.inf)
            .softmax(-1)
            @ value
        ),
    ),
    Mistake(
        "the future is hidden: nothing was said of a mask, every query may look at every key",
        lambda query, key, value: (
            _scores(query, key)
            .masked_fill(
                ~torch.ones(query.shape[1], key.shape[1], dtype=torch.bool).tril(key.shape[1] - query.shape[1]),
                -torch.inf,
            )
            .softmax(-1)
            .nan_to_num(0)
            @ value
        ),
    ),
    Mistake(
        "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
        lambda query, key, value: _scores(query, key).softmax(-1).softmax(-1) @ value,
    ),
    Mistake(
        "the exponential is missing: the scores were divided by their sum, and a negative one is no weight",
        lambda query, key, value: (lambda scores: scores / scores.sum(-1, keepdim=True))(_scores(query, key)) @ value,
    ),
    Mistake(
        "tanh of the scores: a dot product goes into the softmax as it is, only scaled",
        lambda query, key, value: _scores(query, key).tanh().softmax(-1) @ value,
    ),
    Mistake(
        "the sign of the scores is gone: a negative score must get less weight than a positive one",
        lambda query, key, value: _scores(query, key).abs().softmax(-1) @ value,
    ),
    Mistake(
        "negative scores became 0: they must get less weight than 0 does",
        lambda query, key, value: _scores(query, key).relu().softmax(-1) @ value,
    ),
    Mistake(
        "you divided by 2, the root of 4: the square root of dim, `query.shape[-1] ** 0.5`, follows the vectors",
        lambda query, key, value: (query @ key.mT / 2).softmax(-1) @ value,
    ),
    Mistake(
        "you divided by the fourth root of dim: the root was taken twice, or only one of query and key was scaled "
        "by it",
        lambda query, key, value: (query @ key.mT / query.shape[-1] ** 0.25).softmax(-1) @ value,
    ),
    Mistake(
        "query and key went through a softmax of their own: the one softmax comes after their product",
        lambda query, key, value: _scores(query.softmax(-1), key.softmax(-1)).softmax(-1) @ value,
    ),
    Mistake(
        "the values went through a softmax: they are averaged as they are",
        lambda query, key, value: _scores(query, key).softmax(-1) @ value.softmax(-1),
    ),
    Mistake(
        "the context was divided by the number of keys: the weights sum to 1 already",
        lambda query, key, value: _scores(query, key).softmax(-1) @ value / key.shape[1],
    ),
    Mistake(
        "tanh of the context: the average itself is asked for",
        lambda query, key, value: (_scores(query, key).softmax(-1) @ value).tanh(),
    ),
    Mistake(
        "the contexts were brought to length 1: the average itself is asked for",
        lambda query, key, value: torch.nn.functional.normalize(_scores(query, key).softmax(-1) @ value, dim=-1),
    ),
    Mistake(
        "summed instead of weighted: every value counts the same",
        lambda query, key, value: value.sum(1, keepdim=True).expand(-1, query.shape[1], -1),
    ),
    Mistake(
        "minus the squared distance in place of the dot product",
        lambda query, key, value: (
            (-(query.unsqueeze(2) - key.unsqueeze(1)).pow(2).sum(-1) / query.shape[-1] ** 0.5).softmax(-1) @ value
        ),
    ),
    Mistake(
        "the scale and the softmax are missing: you weighted with the raw products",
        lambda query, key, value: query @ key.mT @ value,
    ),
    Mistake(
        "these are weights of unscaled scores: the scale and the average of the values are missing",
        lambda query, key, value: (query @ key.mT).softmax(-1),
    ),
    Mistake(
        "averaged instead of weighted: every value counts the same",
        lambda query, key, value: value.mean(1, keepdim=True).expand(-1, query.shape[1], -1),
    ),
    Mistake(
        "the sign is wrong: the worst match got the highest weight",
        lambda query, key, value: (-_scores(query, key)).softmax(-1) @ value,
    ),
    Mistake(
        "these are the weights: what is missing is the average of the values, `weights @ value`",
        lambda query, key, value: _scores(query, key).softmax(-1),
    ),
    Mistake(
        "these are the scores: the softmax and the average of the values are missing",
        lambda query, key, value: _scores(query, key),
    ),
    Mistake(
        "the keys were averaged: they are only compared with, what is read are the values",
        lambda query, key, value: _scores(query, key).softmax(-1) @ key,
    ),
    Mistake(
        "rows and columns are exchanged: expected [batch, queries, value_dim], got [batch, value_dim, queries]",
        lambda query, key, value: (_scores(query, key).softmax(-1) @ value).mT,
    ),
    Mistake(
        "query and key were brought to length 1: that is the cosine; here their product is divided by the square "
        "root of dim, and by nothing else",
        lambda query, key, value: (
            (torch.nn.functional.normalize(query, dim=-1) @ torch.nn.functional.normalize(key, dim=-1).mT).softmax(-1)
            @ value
        ),
    ),
    Mistake(
        "every query was given the values of the first sentence: keep the axis of the batch",
        lambda query, key, value: _scores(query, key).softmax(-1) @ value[:1],
    ),
    Mistake(
        "the weights were averaged over the queries: each query has its own",
        lambda query, key, value: (
            _scores(query, key).softmax(-1).mean(1, keepdim=True).expand(-1, query.shape[1], -1) @ value
        ),
    ),
    Mistake(
        "the numbers are right, but the weights were detached: query and key learn through them",
        lambda query, key, value: _scores(query, key).softmax(-1).detach() @ value,
    ),
)

ATTEND = Exercise(
    name="04.attend",
    title="A query that may find nothing",
    statement="""Return the context [batch, queries, value_dim] of attention in which a query may also find nothing.

Beside the keys stands one more: a key of zeros, with a value of zeros. All else is scaled dot-product attention: the
score of a query with a key is their dot product divided by the square root of `dim`, a softmax over the keys makes
weights of each query's scores, and its context is the values averaged with these weights.

query [batch, queries, dim]; key [batch, keys, dim]; value [batch, keys, value_dim].""",
    axes="[batch, queries, value_dim]",
    stub="""def attend(query, key, value):
    ...
""",
    hints=(
        "What is the score of a query with a key of zeros? And what does a value of zeros add to the average?",
        "So nothing is added above the line, and one term below it, where the exponentials are added up. Or let keys "
        "and values have one more row of zeros.",
        "Rows are queries, so the softmax runs over the last axis. A query with low scores for all keys puts its "
        "weight on nothing: what is its context then?",
    ),
    solution=attend,
    spec=lambda *inputs: each(attention.scaled_dot_attention, *_with_nothing(*inputs)),
    inputs=lambda: [_attend_inputs(2, 3, 5, 7, 11), _attend_inputs(3, 7, 2, 5, 13)],
    edges=lambda: [_attend_inputs(1, 1, 7, 2, 3), _attend_inputs(2, 5, 1, 1, 1)],
    diagnoses=(diagnoses.same_for_all, _between_values),
    mistakes=(
        Mistake(
            "this is attention as it was: each query must find something; let it find nothing, too, a key of zeros",
            lambda query, key, value: _scores(query, key).softmax(-1) @ value,
        ),
        Mistake(
            "each context is half of that without the extra key: its exponential, 1, was added to the sum of the "
            "weights, which is 1 already; it belongs to the sum of the exponentials",
            lambda query, key, value: _scores(query, key).softmax(-1) @ value / 2,
        ),
        Mistake(
            "the extra key stands first and its value last: a key and its value need the same place",
            lambda query, key, value: _scores(query, pad(key, (0, 0, 1, 0))).softmax(-1) @ pad(value, (0, 0, 0, 1)),
        ),
        Mistake(
            "the extra key has a value of ones: to find nothing must add nothing",
            lambda query, key, value: (
                _scores(*_with_nothing(query, key, value)[:2]).softmax(-1) @ pad(value, (0, 0, 0, 1), value=1.0)
            ),
        ),
        Mistake(
            "the highest score was subtracted from all scores but that of the extra key, which is 0: subtract it "
            "there, too",
            lambda query, key, value: (
                (lambda scores: _lowered_alone(scores, scores.amax(dim=-1, keepdim=True)))(_scores(query, key)) @ value
            ),
        ),
        *(Mistake(one.message, _of_one_more(one.function)) for one in _MISTAKES),
    ),
)
