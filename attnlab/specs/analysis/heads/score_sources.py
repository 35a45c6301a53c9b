"""Scores split by source. Of one sequence and head: sources [tokens, dim], maps [head_dim, dim], shifts [head_dim]."""

from collections.abc import Sequence
from math import sqrt

from torch import Tensor


def score_parts(
    sources: Sequence[Tensor], query: Tensor, query_shift: Tensor, key: Tensor, key_shift: Tensor
) -> Tensor:
    """[sources, sources, queries, keys]: of the score of each pair of tokens, what each pair of sources makes alone.

    The shifts belong to the last source.
    """
    tokens, head_dim = len(sources[0]), len(query)
    parts = query.new_zeros(len(sources), len(sources), tokens, tokens)
    for a, asking in enumerate(sources):
        for b, asked in enumerate(sources):
            for i in range(tokens):
                for j in range(tokens):
                    for d in range(head_dim):
                        q = query[d] @ asking[i] + (query_shift[d] if a == len(sources) - 1 else 0)
                        k = key[d] @ asked[j] + (key_shift[d] if b == len(sources) - 1 else 0)
                        parts[a, b, i, j] += q * k / sqrt(head_dim)
    return parts


def without(scores: Tensor, parts: Tensor, cut: Sequence[tuple[int, int]], i: int) -> Tensor:
    """[keys]: the weights of query i, which sees the keys up to its own place, when the pairs in `cut` are left out."""
    left = [scores[i, j] - sum(parts[a, b, i, j] for a, b in cut) for j in range(i + 1)]
    total = sum(score.exp() for score in left)
    weights = scores.new_zeros(len(scores))
    for j, score in enumerate(left):
        weights[j] = score.exp() / total
    return weights
