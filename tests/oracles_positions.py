"""What position codes compute, as loops over single numbers."""

from math import cos, floor, log, sin

import torch


def sinusoidal(tokens, dim):
    table = torch.zeros(tokens, dim)
    for place in range(tokens):
        for column in range(dim):
            angle = place / 10000 ** (2 * (column // 2) / dim)
            table[place, column] = sin(angle) if column % 2 == 0 else cos(angle)
    return table


def rotary(x, start):
    """x: [tokens, dim]."""
    tokens, dim = x.shape
    turned = torch.zeros(tokens, dim)
    for m in range(tokens):
        for i in range(dim // 2):
            angle = (start + m) * 10000 ** (-2 * i / dim)
            a, b = float(x[m, 2 * i]), float(x[m, 2 * i + 1])
            turned[m, 2 * i] = a * cos(angle) - b * sin(angle)
            turned[m, 2 * i + 1] = b * cos(angle) + a * sin(angle)
    return turned


def slopes(heads):
    power = 1
    while 2 * power <= heads:
        power *= 2
    found = [2 ** (-8 * i / power) for i in range(1, power + 1)]
    twice = [2 ** (-8 * i / (2 * power)) for i in range(1, 2 * power + 1)]
    for slope in twice[0::2]:
        if len(found) < heads:
            found.append(slope)
    return found


def alibi(heads, queries, keys, start):
    return torch.tensor([[[-slope * abs(start + i - j) for j in range(keys)] for i in range(queries)]
                         for slope in slopes(heads)]).reshape(heads, queries, keys)


def backwards(distance, buckets, farthest):
    back, near = max(0, -distance), buckets // 2
    if back < near:
        return back
    share = log(back / near) / log(farthest / near)
    return min(buckets - 1, near + floor(share * (buckets - near) + 1e-5))  # where a bucket begins exactly


def both_ways(distance, buckets, farthest):
    bucket = backwards(-abs(distance), buckets // 2, farthest)
    return bucket + buckets // 2 if distance > 0 else bucket


BUCKETS = {"both_ways": both_ways, "backwards": backwards}


def relative(table, bucket, farthest, queries, keys, start):
    heads, buckets = table.shape
    bias = torch.zeros(heads, queries, keys)
    for h in range(heads):
        for i in range(queries):
            for j in range(keys):
                bias[h, i, j] = table[h, bucket(j - (start + i), buckets, farthest)]
    return bias


# What each code of POSITIONS does in its three places, as functions of the module: to embeddings [tokens, dim], to
# queries and keys [tokens, head_dim], and to scores.


def unchanged(module, x, start):
    return x


def no_bias(module, queries, keys, start):
    return None


def one_hot(module, x, start):
    weight, longest = module.mix.weight.tolist(), module.longest
    mixed = torch.zeros(x.shape)
    for t, row in enumerate(x.tolist()):
        longer = row + [1.0 if place == start + t else 0.0 for place in range(longest)]
        for d in range(len(row)):
            mixed[t, d] = sum(w * number for w, number in zip(weight[d], longer, strict=True))
    return mixed


def learned(module, x, start):
    rows = [[float(x[t, d] + module.table[start + t, d]) for d in range(x.shape[1])] for t in range(x.shape[0])]
    return torch.tensor(rows)


def waves(module, x, start):
    return x + module.scale * sinusoidal(start + len(x), x.shape[1])[start:]


def turned(module, x, start):
    return rotary(x, start)


def distance_bias(module, queries, keys, start):
    return alibi(len(module.slopes), queries, keys, start)


def bucket_bias(module, queries, keys, start):
    return relative(module.table, both_ways, module.farthest, queries, keys, start)


POSITIONS = {
    "none": (unchanged, unchanged, no_bias),
    "one_hot": (one_hot, unchanged, no_bias),
    "learned": (learned, unchanged, no_bias),
    "sinusoidal": (waves, unchanged, no_bias),
    "relative": (unchanged, unchanged, bucket_bias),
    "alibi": (unchanged, unchanged, distance_bias),
    "rotary": (unchanged, turned, no_bias),
}
