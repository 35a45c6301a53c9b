"""Masks: may the query at place i look at the key at place j? The first query stands at `start`."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def filled(queries: int, keys: int, start: int, allowed: Callable[[int, int], bool]) -> Tensor:
    """[queries, keys], boolean, of a rule (place of the query, place of the key) -> may attend."""
    mask = torch.zeros(queries, keys, dtype=torch.bool)
    for i in range(queries):
        for j in range(keys):
            mask[i, j] = allowed(start + i, j)
    return mask


def everything(queries: int, keys: int, start: int) -> Tensor:
    """[queries, keys]: every key."""
    return filled(queries, keys, start, lambda i, j: True)


def causal(queries: int, keys: int, start: int) -> Tensor:
    """[queries, keys]: the past and itself."""
    return filled(queries, keys, start, lambda i, j: j <= i)


def window(queries: int, keys: int, start: int, radius: int = 2) -> Tensor:
    """[queries, keys]: `radius` keys on both sides, and itself."""
    return filled(queries, keys, start, lambda i, j: i - radius <= j <= i + radius)


def causal_window(queries: int, keys: int, start: int, radius: int = 2) -> Tensor:
    """[queries, keys]: `radius` keys before it, and itself."""
    return filled(queries, keys, start, lambda i, j: i - radius <= j <= i)


def prefix(queries: int, keys: int, start: int, length: int = 2) -> Tensor:
    """[queries, keys]: the first `length` keys, the past and itself."""
    return filled(queries, keys, start, lambda i, j: j <= i or j < length)


MASKS = {"everything": everything, "causal": causal, "window": window, "causal_window": causal_window, "prefix": prefix}


def document(ids: Sequence[int], keys: Sequence[int]) -> Tensor:
    """[queries, keys]: a token sees those of its own document."""
    return filled(len(ids), len(keys), 0, lambda i, j: ids[i] == keys[j])


def padding(lengths: Sequence[int], keys: int) -> Tensor:
    """[batch, 1, keys]: sequence b has `lengths[b]` words, then padding."""
    mask = torch.zeros(len(lengths), 1, keys, dtype=torch.bool)
    for b in range(len(lengths)):
        for j in range(keys):
            mask[b, 0, j] = j < lengths[b]
    return mask


def causal_and_padding_left(lengths: Sequence[int], tokens: int) -> Tensor:
    """[batch, queries, keys]: no future and no padding, which stands at the left: the last `lengths[b]` are words."""
    mask = torch.zeros(len(lengths), tokens, tokens, dtype=torch.bool)
    for b in range(len(lengths)):
        for i in range(tokens):
            for j in range(tokens):
                mask[b, i, j] = tokens - lengths[b] <= j <= i
    return mask
