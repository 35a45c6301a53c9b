"""From scores to weights, from weights to contexts. Of one sequence."""

import torch
from torch import Tensor

from attnlab.specs import alignment


def row_softmax(scores: Tensor, mask: Tensor | None = None, temperature: int | float = 1.0) -> Tensor:
    """scores [keys], mask [keys] -> weights [keys]. Where nothing may be attended to, all are 0."""
    seen = [j for j in range(len(scores)) if (mask is None or mask[j]) and scores[j] > -torch.inf]
    highest = max((scores[j].item() for j in seen), default=0.0)
    total = scores.new_zeros(())
    for j in seen:
        total = total + torch.exp((scores[j] - highest) / temperature)
    weights = torch.zeros_like(scores)
    for j in seen:
        weights[j] = torch.exp((scores[j] - highest) / temperature) / total
    return weights


def softmax(scores: Tensor, mask: Tensor | None = None, temperature: int | float = 1.0) -> Tensor:
    """scores [queries, keys], mask [queries, keys] -> weights [queries, keys]: every row for itself."""
    weights = torch.zeros_like(scores)
    for i in range(len(scores)):
        weights[i] = row_softmax(scores[i], None if mask is None else mask[i], temperature)
    return weights


def all_scores(query: Tensor, key: Tensor, score: alignment.Score) -> Tensor:
    """query [queries, query_dim], key [keys, key_dim] -> scores [queries, keys]."""
    scores = query.new_zeros(len(query), len(key))
    for i in range(len(query)):
        for j in range(len(key)):
            scores[i, j] = score(query[i], key[j], j)
    return scores


def average(weights: Tensor, value: Tensor) -> Tensor:
    """weights [queries, keys], value [keys, value_dim] -> contexts [queries, value_dim]."""
    contexts = value.new_zeros(len(weights), value.shape[1])
    for i in range(len(weights)):
        for j in range(len(value)):
            contexts[i] += weights[i, j] * value[j]
    return contexts


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score: alignment.Score,
    mask: Tensor | None = None,
    temperature: int | float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """query [queries, query_dim], key [keys, key_dim], value [keys, value_dim], mask [queries, keys] ->
    contexts [queries, value_dim], weights [queries, keys], scores [queries, keys]."""
    scores = all_scores(query, key, score)
    weights = softmax(scores, mask, temperature)
    return average(weights, value), weights, scores


def scaled_dot_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """query [queries, dim], key [keys, dim], value [keys, value_dim] -> contexts [queries, value_dim]."""
    return attend(query, key, value, lambda query, key, place: alignment.scaled_dot(query, key))[0]


def projected(x: Tensor, W: Tensor) -> Tensor:
    """x [tokens, dim], W [dim, out] -> [tokens, out]."""
    out = x.new_zeros(len(x), W.shape[1])
    for t in range(len(x)):
        for i in range(W.shape[1]):
            out[t, i] = alignment.dot(x[t], W[:, i])
    return out


def self_attention(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Tensor:
    """x [tokens, dim]; W_q, W_k [dim, key_dim]; W_v [dim, value_dim] -> contexts [tokens, value_dim]."""
    return scaled_dot_attention(projected(x, W_q), projected(x, W_k), projected(x, W_v))
