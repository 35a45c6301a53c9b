"""What `attnlab.blocks` computes for vectors, as loops over single numbers. x: nested lists; the last axis is dim."""

from math import sqrt


def layer_norm(x, gain, shift, epsilon):
    mean = sum(x) / len(x)
    deviation = sqrt(sum((number - mean) ** 2 for number in x) / len(x) + epsilon)
    return [(x[d] - mean) / deviation * gain[d] + shift[d] for d in range(len(x))]


def rms_norm(x, gain, epsilon):
    root = sqrt(sum(number**2 for number in x) / len(x) + epsilon)
    return [x[d] / root * gain[d] for d in range(len(x))]


def batch_norm(vectors, gain, shift, epsilon):
    count, out = len(vectors), [[0.0] * len(vectors[0]) for _ in vectors]
    for d in range(len(vectors[0])):
        mean = sum(vector[d] for vector in vectors) / count
        deviation = sqrt(sum((vector[d] - mean) ** 2 for vector in vectors) / count + epsilon)
        for i in range(count):
            out[i][d] = (vectors[i][d] - mean) / deviation * gain[d] + shift[d]
    return out


def feed_forward(x, W_1, b_1, W_2, b_2, activation):
    hidden = []
    for row, b in zip(W_1, b_1, strict=True):
        hidden.append(activation(sum(w * number for w, number in zip(row, x, strict=True)) + b))
    return [sum(w * h for w, h in zip(row, hidden, strict=True)) + b for row, b in zip(W_2, b_2, strict=True)]


def token_shift(tokens, shares):
    """tokens: [tokens][dim]; shares: [back][dim], of the tokens 1, 2, ... back."""
    return [
        [number + sum(share[i] * tokens[t - back][i] for back, share in enumerate(shares, 1) if t >= back)
         for i, number in enumerate(token)]
        for t, token in enumerate(tokens)
    ]
