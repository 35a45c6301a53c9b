"""Attention in a window. scores, allowed [queries, keys] -> weights [queries, keys]. Of one sequence."""

from collections.abc import Sequence
from math import exp, tanh

import torch
from torch import Tensor

from attnlab.specs.attention import softmax


def windowed(scores: Tensor, allowed: Tensor, centres: Tensor, radius: int | float) -> Tensor:
    """The softmax of each row over the allowed keys that are at most `radius` places from the row's centre.

    centres [queries]: places, which may lie between two keys.
    """
    window = torch.zeros(scores.shape, dtype=torch.bool)
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            window[i, j] = allowed[i, j] and abs(j - centres[i]) <= radius
    return softmax(scores, window)


def local_m(scores: Tensor, allowed: Tensor, radius: int | float, start: int = 0) -> Tensor:
    """Every query looks around its own place, start + i."""
    return windowed(scores, allowed, torch.arange(start, start + len(scores)), radius)


def local_p(scores: Tensor, allowed: Tensor, centres: Tensor, radius: int | float) -> Tensor:
    """The weights in the window, times a bell curve around the centre. Rows are not divided by their sum again."""
    inside, weights = windowed(scores, allowed, centres, radius), torch.zeros_like(scores)
    deviation = radius / 2
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            weights[i, j] = inside[i, j] * torch.exp(-((j - centres[i]) ** 2) / (2 * deviation**2))
    return weights


def centre(query: Sequence[float], length: int, W: Sequence[Sequence[float]], v: Sequence[float]) -> float:
    """query [dim], W [hidden, dim], v [hidden] -> where it looks: a place from 0 to length."""
    total = 0.0
    for row, factor in zip(W, v, strict=True):
        total += factor * tanh(sum(w * number for w, number in zip(row, query, strict=True)))
    return length / (1 + exp(-total))
