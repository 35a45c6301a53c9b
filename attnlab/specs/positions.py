"""What position codes do to embeddings [tokens, dim], to queries and keys [tokens, head_dim], and to scores."""

from collections.abc import Callable
from math import cos, floor, log, sin
from typing import Any

import torch
from torch import Tensor

from attnlab.specs.attention import row_softmax


def sinusoidal(tokens: int, dim: int) -> Tensor:
    """[tokens, dim]; dim is even."""
    code = torch.zeros(tokens, dim)
    for t in range(tokens):
        for i in range(dim // 2):
            angle = t / 10000 ** (2 * i / dim)
            code[t, 2 * i] = sin(angle)
            code[t, 2 * i + 1] = cos(angle)
    return code


def shift(k: int, dim: int) -> Tensor:
    """[dim, dim]: the code of a place, as a row, times this is the code of the place k later; dim is even."""
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        angle = k / 10000 ** (2 * i / dim)
        M[2 * i, 2 * i] = M[2 * i + 1, 2 * i + 1] = cos(angle)
        M[2 * i, 2 * i + 1], M[2 * i + 1, 2 * i] = -sin(angle), sin(angle)
    return M


def rotary(x: Tensor, start: int = 0, base: int | float = 10000.0) -> Tensor:
    """x [tokens, dim] -> [tokens, dim]: each pair of neighbouring columns turned by its token's place."""
    tokens, dim = x.shape
    turned = torch.zeros_like(x)
    for t in range(tokens):
        for i in range(dim // 2):
            angle = (start + t) / base ** (2 * i / dim)
            a, b = x[t, 2 * i], x[t, 2 * i + 1]
            turned[t, 2 * i] = a * cos(angle) - b * sin(angle)
            turned[t, 2 * i + 1] = a * sin(angle) + b * cos(angle)
    return turned


def slopes(heads: int) -> list[float]:
    """Of ALiBi: a geometric row for a power of 2, filled up with every other slope of twice as many heads."""
    power = 1
    while 2 * power <= heads:
        power *= 2
    found = [2 ** (-8 * i / power) for i in range(1, power + 1)]
    twice = [2 ** (-8 * i / (2 * power)) for i in range(1, 2 * power + 1)]
    for slope in twice[0::2]:
        if len(found) < heads:
            found.append(slope)
    return found


def alibi(heads: int, queries: int, keys: int, start: int) -> Tensor:
    """[heads, queries, keys]"""
    bias = torch.zeros(heads, queries, keys)
    for h, slope in enumerate(slopes(heads)):
        for i in range(queries):
            for j in range(keys):
                bias[h, i, j] = -slope * abs(start + i - j)
    return bias


def causal_alibi(scores: Tensor, slopes: Tensor) -> Tensor:
    """scores [heads, queries, keys] of the last queries of a text, slopes [heads] -> weights [heads, queries, keys]."""
    heads, queries, keys = scores.shape
    weights = torch.zeros_like(scores)
    for h in range(heads):
        for i in range(queries):
            place = keys - queries + i
            lowered = torch.stack([scores[h, i, j] - slopes[h] * (place - j) for j in range(place + 1)])
            weights[h, i, : place + 1] = row_softmax(lowered)
    return weights


def backwards(distance: int, buckets: int, farthest: int) -> int:
    """The bucket of a key `-distance` places back; what lies ahead shares bucket 0."""
    back, near = max(0, -distance), buckets // 2
    if back < near:
        return back
    share = log(back / near) / log(farthest / near)
    return min(buckets - 1, near + floor(share * (buckets - near) + 1e-5))  # where a bucket begins exactly


def both_ways(distance: int, buckets: int, farthest: int) -> int:
    """Half of the buckets for keys behind the query, half for keys ahead."""
    bucket = backwards(-abs(distance), buckets // 2, farthest)
    return bucket + buckets // 2 if distance > 0 else bucket


BUCKETS = {"both_ways": both_ways, "backwards": backwards}


def relative(
    table: Tensor, bucket: Callable[[int, int, int], int], farthest: int, queries: int, keys: int, start: int
) -> Tensor:
    """table [heads, buckets] -> bias [heads, queries, keys]."""
    heads, buckets = table.shape
    bias = torch.zeros(heads, queries, keys)
    for h in range(heads):
        for i in range(queries):
            for j in range(keys):
                bias[h, i, j] = table[h, bucket(j - (start + i), buckets, farthest)]
    return bias


# The three places of each code, as functions of the module that has its parameters.


def _unchanged(module: Any, x: Tensor, start: int) -> Tensor:
    return x


def _no_bias(module: Any, queries: int, keys: int, start: int) -> None:
    return None


def _one_hot(module: Any, x: Tensor, start: int) -> Tensor:
    weight, longest = module.mix.weight.tolist(), module.longest
    mixed = torch.zeros(x.shape)
    for t, row in enumerate(x.tolist()):
        longer = row + [1.0 if place == start + t else 0.0 for place in range(longest)]
        for d in range(len(row)):
            mixed[t, d] = sum(w * number for w, number in zip(weight[d], longer, strict=True))
    return mixed


def _learned(module: Any, x: Tensor, start: int) -> Tensor:
    embedded = torch.zeros(x.shape)
    for t in range(x.shape[0]):
        for d in range(x.shape[1]):
            embedded[t, d] = x[t, d] + module.table[start + t, d]
    return embedded


def _waves(module: Any, x: Tensor, start: int) -> Tensor:
    return x + module.scale * sinusoidal(start + len(x), x.shape[1])[start:]


def _turned(module: Any, x: Tensor, start: int) -> Tensor:
    return rotary(x, start)


def _by_distance(module: Any, queries: int, keys: int, start: int) -> Tensor:
    return alibi(len(module.slopes), queries, keys, start)


def _by_bucket(module: Any, queries: int, keys: int, start: int) -> Tensor:
    return relative(module.table, both_ways, module.farthest, queries, keys, start)


POSITIONS: dict[str, tuple[Callable[..., Tensor], Callable[..., Tensor], Callable[..., Tensor | None]]] = {
    "none": (_unchanged, _unchanged, _no_bias),
    "one_hot": (_one_hot, _unchanged, _no_bias),
    "learned": (_learned, _unchanged, _no_bias),
    "sinusoidal": (_waves, _unchanged, _no_bias),
    "relative": (_unchanged, _unchanged, _by_bucket),
    "alibi": (_unchanged, _unchanged, _by_distance),
    "rotary": (_unchanged, _turned, _no_bias),
}
"""Name -> what the code does to embeddings (module, x [tokens, dim], start), to queries and keys (module, x, start),
and to scores (module, queries, keys, start)."""
