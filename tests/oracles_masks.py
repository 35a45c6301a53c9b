"""Masks, one place after the other: may the query at place i look at the key at place j?"""

import torch


def table(queries, keys, start, allowed):
    rows = [[allowed(start + i, j) for j in range(keys)] for i in range(queries)]
    return torch.tensor(rows, dtype=torch.bool).reshape(queries, keys)


def everything(queries, keys, start):
    return table(queries, keys, start, lambda i, j: True)


def causal(queries, keys, start):
    return table(queries, keys, start, lambda i, j: j <= i)


def window(queries, keys, start, radius=2):
    return table(queries, keys, start, lambda i, j: i - radius <= j <= i + radius)


def causal_window(queries, keys, start, radius=2):
    return table(queries, keys, start, lambda i, j: i - radius <= j <= i)


def prefix(queries, keys, start, length=2):
    return table(queries, keys, start, lambda i, j: j <= i or j < length)


MASKS = {"everything": everything, "causal": causal, "window": window, "causal_window": causal_window,
         "prefix": prefix}


def document(ids, keys):
    return torch.tensor([[a == b for b in keys] for a in ids])


def padding(lengths, keys):
    return torch.tensor([[[j < length for j in range(keys)]] for length in lengths])
