"""Scores: how well one key answers one query. query [query_dim], key [key_dim] -> one number."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def dot(query: Tensor, key: Tensor) -> Tensor:
    """Both [dim]: the sum of the products."""
    return (query * key).sum()


def scaled_dot(query: Tensor, key: Tensor) -> Tensor:
    """Both [dim]."""
    return dot(query, key) / len(query) ** 0.5


def additive(query: Tensor, key: Tensor, W_q: Tensor, W_k: Tensor, b: Tensor, v: Tensor) -> Tensor:
    """W_q [query_dim, dim]; W_k [key_dim, dim]; b, v [dim]."""
    total = query.new_zeros(())
    for d in range(len(v)):
        total = total + v[d] * torch.tanh(dot(query, W_q[:, d]) + dot(key, W_k[:, d]) + b[d])
    return total


def general(query: Tensor, key: Tensor, W: Tensor) -> Tensor:
    """W [query_dim, key_dim]."""
    total = query.new_zeros(())
    for m in range(len(query)):
        for n in range(len(key)):
            total = total + query[m] * W[m, n] * key[n]
    return total


def concat(query: Tensor, key: Tensor, w: Tensor) -> Tensor:
    """w [query_dim + key_dim]."""
    return dot(torch.cat([query, key]), w)


def perceptron(query: Tensor, key: Tensor, W: Tensor, b: Tensor, v: Tensor) -> Tensor:
    """W [query_dim + key_dim, dim]; b, v [dim]."""
    total = query.new_zeros(())
    for d in range(len(v)):
        total = total + v[d] * torch.tanh(dot(torch.cat([query, key]), W[:, d]) + b[d])
    return total


def content(query: Tensor, key: Tensor) -> Tensor:
    """Both [dim]: the cosine of the angle between them, 0 where one of them has no length."""
    lengths = (dot(query, query) * dot(key, key)) ** 0.5
    return dot(query, key) / lengths if lengths > 0 else lengths


def location(query: Tensor, place: int, W: Tensor) -> Tensor:
    """W [places, query_dim]: the key itself is not looked at, only its place."""
    return dot(query, W[place])


Score = Callable[[Tensor, Tensor, int], Tensor]
"""(query, key, place of the key) -> one number."""


def _additive(made: Any) -> Score:
    W_q, W_k, b, v = made.query.weight.T, made.key.weight.T, made.query.bias, made.combine.weight[0]
    return lambda query, key, place: additive(query, key, W_q, W_k, b, v)


def _general(made: Any) -> Score:
    return lambda query, key, place: general(query, key, made.key.weight)


def _concat(made: Any) -> Score:
    return lambda query, key, place: concat(query, key, made.pair.weight[0])


def _perceptron(made: Any) -> Score:
    W, b, v = made.hidden.weight.T, made.hidden.bias, made.combine.weight[0]
    return lambda query, key, place: perceptron(query, key, W, b, v)


def _location(made: Any) -> Score:
    return lambda query, key, place: location(query, place, made.place.weight)


SCORES: dict[str, Callable[..., Score]] = {
    "dot": lambda made: lambda query, key, place: dot(query, key),
    "scaled_dot": lambda made: lambda query, key, place: scaled_dot(query, key),
    "additive": _additive,
    "general": _general,
    "concat": _concat,
    "perceptron": _perceptron,
    "content": lambda made: lambda query, key, place: content(query, key),
    "location": _location,
}
"""Name -> function that takes attnlab's score and gives the spec (query, key, place) with the same parameters."""
