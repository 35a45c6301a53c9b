"""Attention roll-out. Of one picture: weights [heads, tokens, tokens], one tensor a layer, the first layer first."""

from collections.abc import Sequence

from torch import Tensor


def with_identity(weights: Tensor) -> Tensor:
    """The mean of the heads and the identity, half of each."""
    heads, tokens, _ = weights.shape
    mixed = weights.new_zeros(tokens, tokens)
    for i in range(tokens):
        for j in range(tokens):
            mean = sum(weights[head, i, j] for head in range(heads)) / heads
            mixed[i, j] = (mean + (1 if i == j else 0)) / 2
    return mixed


def attention_rollout(weights: Sequence[Tensor]) -> Tensor:
    """[tokens, tokens]: what token i has of input j, through every token between."""
    rollout = with_identity(weights[0])
    for layer in weights[1:]:
        above, below = with_identity(layer), rollout
        rollout = below.new_zeros(below.shape)
        for i in range(len(below)):
            for j in range(len(below)):
                for between in range(len(below)):
                    rollout[i, j] += above[i, between] * below[between, j]
    return rollout
