"""Vectors cut into heads and put together again. Of one sequence; dim is heads · head_dim. And a head set by hand."""

import torch
from torch import Tensor

from attnlab.specs.attention import projected, scaled_dot_attention


def split(x: Tensor, heads: int) -> Tensor:
    """x [tokens, dim] -> [heads, tokens, head_dim]: head h takes the columns from h · head_dim on."""
    tokens, size = len(x), x.shape[1] // heads
    parts = x.new_zeros(heads, tokens, size)
    for h in range(heads):
        for t in range(tokens):
            for i in range(size):
                parts[h, t, i] = x[t, h * size + i]
    return parts


def merge(x: Tensor) -> Tensor:
    """x [heads, tokens, head_dim] -> [tokens, dim]: the way back."""
    heads, tokens, size = x.shape
    whole = x.new_zeros(tokens, heads * size)
    for t in range(tokens):
        for h in range(heads):
            for i in range(size):
                whole[t, h * size + i] = x[h, t, i]
    return whole


def multihead(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, W_o: Tensor, heads: int) -> Tensor:
    """x [tokens, dim]; W_q, W_k, W_v, W_o [dim, dim] -> [tokens, dim]. Every head attends for itself."""
    query, key, value = (split(projected(x, W), heads) for W in (W_q, W_k, W_v))
    found = x.new_zeros(value.shape)
    for h in range(heads):
        found[h] = scaled_dot_attention(query[h], key[h], value[h])
    return projected(merge(found), W_o)


def one_before(letters: int, places: int, strength: int) -> Tensor:
    """[2, letters + places, places]: W_q and W_k of a head that reads the token before, whatever the letters."""
    maps = torch.zeros(2, letters + places, places)
    for row in range(letters + places):
        for column in range(places):
            place = row - letters
            if place >= 0 and column == place - 1:
                maps[0, row, column] = strength
            if place >= 0 and column == place:
                maps[1, row, column] = 1
    return maps
