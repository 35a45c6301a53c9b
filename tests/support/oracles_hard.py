"""What attnlab.hard_attention computes, once more as loops over single numbers, of one sequence without a batch."""

from itertools import product
from math import log

import torch

from attnlab.specs.attention import softmax


def argmax(scores, allowed):
    weights = torch.zeros(scores.shape)
    for i in range(scores.shape[0]):
        best = None
        for j in range(scores.shape[1]):
            if allowed[i, j] and (best is None or scores[i, j] > scores[i, best]):
                best = j
        if best is not None:
            weights[i, best] = 1.0
    return weights


def entropy(scores, allowed):
    rows = softmax(scores, allowed).tolist()
    return [-sum(p * log(p) for p in row if p > 0) for row in rows]


def log_probability(scores, weights, allowed):
    """[queries]: 0 where no key has weight 1."""
    rows, logs = softmax(scores, allowed).tolist(), []
    for i in range(len(rows)):
        logs.append(sum(log(rows[i][j]) for j in range(len(rows[i])) if weights[i, j] == 1))
    return logs


def surrogate(scores, weights, reward, baseline, allowed):
    total = 0.0
    for i, logarithm in enumerate(log_probability(scores, weights, allowed)):
        total -= (float(reward[i]) - float(baseline[i])) * logarithm
    return total


def choices(scores, allowed):
    """Every way to choose one allowed key for each query: pairs of one-hot weights and their probability."""
    rows = softmax(scores, allowed).tolist()
    options = [[j for j in range(scores.shape[1]) if allowed[i, j]] or [None] for i in range(scores.shape[0])]
    found = []
    for keys in product(*options):
        weights, probability = torch.zeros(scores.shape, dtype=scores.dtype), 1.0
        for i, j in enumerate(keys):
            if j is not None:
                weights[i, j] = 1.0
                probability *= rows[i][j]
        found.append((weights, probability))
    return found
