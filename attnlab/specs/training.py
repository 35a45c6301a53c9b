"""Losses."""

import torch
from torch import Tensor

from attnlab.specs.attention import row_softmax


def smoothed_cross_entropy(logits: Tensor, target: Tensor, smoothing: int | float) -> Tensor:
    """logits [tokens, vocabulary], target [tokens] -> the loss of each token [tokens]."""
    vocabulary = logits.shape[1]
    losses = logits.new_zeros(len(logits))
    for t in range(len(logits)):
        probabilities = row_softmax(logits[t])
        for token in range(vocabulary):
            wanted = smoothing / vocabulary + (1 - smoothing if token == target[t] else 0)
            losses[t] -= wanted * torch.log(probabilities[token])
    return losses
