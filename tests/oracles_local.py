"""What attnlab.local computes, written once more as loops over single numbers. All of one sequence, without a batch."""

from math import exp, tanh

import torch


def windowed(scores, allowed, centres, radius):
    """The softmax of each row over the allowed keys that are at most `radius` places from the row's centre."""
    weights = torch.zeros(scores.shape, dtype=torch.float64)
    for i in range(scores.shape[0]):
        window = [j for j in range(scores.shape[1]) if allowed[i, j] and abs(j - float(centres[i])) <= radius]
        total = sum(exp(float(scores[i, j])) for j in window)
        for j in window:
            weights[i, j] = exp(float(scores[i, j])) / total
    return weights


def local_m(scores, allowed, radius, start=0):
    return windowed(scores, allowed, [start + i for i in range(scores.shape[0])], radius)


def local_p(scores, allowed, centres, radius):
    weights = windowed(scores, allowed, centres, radius)
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            weights[i, j] *= exp(-((j - float(centres[i])) ** 2) / (2 * (radius / 2) ** 2))
    return weights


def centre(query, length, W, v):
    """query: list of numbers; W: rows; v: list."""
    total = 0.0
    for row, factor in zip(W, v, strict=True):
        total += factor * tanh(sum(w * q for w, q in zip(row, query, strict=True)))
    return length / (1 + exp(-total))
