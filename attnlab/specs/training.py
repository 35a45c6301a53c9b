"""Losses."""

import torch
from torch import Tensor


def smoothed_cross_entropy(logits: Tensor, target: Tensor, smoothing: int | float) -> Tensor:
    """logits [tokens, vocabulary], target [tokens] -> the loss of each token [tokens]."""
    vocabulary = logits.shape[1]
    losses = logits.new_zeros(len(logits))
    for t in range(len(logits)):
        highest = logits[t].max()  # subtracted, so that no exponential is infinite
        total = highest + torch.log(torch.exp(logits[t] - highest).sum())
        for token in range(vocabulary):
            wanted = smoothing / vocabulary + (1 - smoothing if token == target[t] else 0)
            losses[t] -= wanted * (logits[t, token] - total)
    return losses
