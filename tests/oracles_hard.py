"""What attnlab.hard computes, written once more as loops over single numbers. All of one sequence, without a batch."""

from itertools import product
from math import exp, log

import torch


def probabilities(scores, allowed):
    """[queries][keys]: the softmax of each row over the allowed keys; a row without any is all 0."""
    rows = []
    for i in range(len(scores)):
        total = sum(exp(scores[i][j]) for j in range(len(scores[i])) if allowed[i][j])
        rows.append([exp(scores[i][j]) / total if allowed[i][j] else 0.0 for j in range(len(scores[i]))])
    return rows


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
    rows = probabilities(scores.tolist(), allowed.tolist())
    return [-sum(p * log(p) for p in row if p > 0) for row in rows]


def log_probability(scores, weights, allowed):
    """[queries]: 0 where no key has weight 1."""
    rows, logs = probabilities(scores.tolist(), allowed.tolist()), []
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
    rows = probabilities(scores.tolist(), allowed.tolist())
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
