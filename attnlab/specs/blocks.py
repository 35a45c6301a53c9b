"""Norms, feed-forward network and block. A vector is a tensor [dim]; a sequence is [tokens, dim]."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.specs.alignment import dot

Layer = Callable[[Tensor], Tensor]


def layer_norm(x: Tensor, gain: Tensor, shift: Tensor, epsilon: int | float) -> Tensor:
    """All [dim]."""
    mean = variance = x.new_zeros(())
    for number in x:
        mean = mean + number / len(x)
    for number in x:
        variance = variance + (number - mean) ** 2 / len(x)
    out = torch.zeros_like(x)
    for d in range(len(x)):
        out[d] = gain[d] * (x[d] - mean) / (variance + epsilon) ** 0.5 + shift[d]
    return out


def rms_norm(x: Tensor, gain: Tensor, epsilon: int | float) -> Tensor:
    """All [dim]."""
    out = torch.zeros_like(x)
    for d in range(len(x)):
        out[d] = gain[d] * x[d] / (dot(x, x) / len(x) + epsilon) ** 0.5
    return out


def batch_norm(vectors: Tensor, gain: Tensor, shift: Tensor, epsilon: int | float) -> Tensor:
    """vectors [count, dim]; gain, shift [dim]: each column is brought to mean 0 and variance 1."""
    out, no_gain, no_shift = torch.zeros_like(vectors), torch.ones(len(vectors)), torch.zeros(len(vectors))
    for d in range(vectors.shape[1]):
        out[:, d] = layer_norm(vectors[:, d], no_gain, no_shift, epsilon) * gain[d] + shift[d]
    return out


def feed_forward(
    x: Tensor, W_1: Tensor, b_1: Tensor, W_2: Tensor, b_2: Tensor, activation: Callable[[float], float]
) -> Tensor:
    """x [dim]; W_1 [hidden, dim]; b_1 [hidden]; W_2 [dim, hidden]; b_2 [dim] -> [dim]."""
    hidden, out = torch.zeros_like(b_1), torch.zeros_like(b_2)
    for i in range(len(b_1)):
        hidden[i] = activation((dot(W_1[i], x) + b_1[i]).item())
    for i in range(len(b_2)):
        out[i] = dot(W_2[i], hidden) + b_2[i]
    return out


def gated_feed_forward(x: Tensor, W: Tensor, V: Tensor, W_2: Tensor, activation: Callable[[float], float]) -> Tensor:
    """x [dim]; W, V [hidden, dim]; W_2 [dim, hidden] -> [dim]."""
    hidden, out = torch.zeros(len(W)), torch.zeros(len(W_2))
    for i in range(len(W)):
        hidden[i] = activation(dot(W[i], x).item()) * dot(V[i], x)
    for i in range(len(W_2)):
        out[i] = dot(W_2[i], hidden)
    return out


def token_shift(x: Tensor, shares: list[Tensor]) -> Tensor:
    """x [tokens, dim] -> [tokens, dim]; shares: of the tokens 1, 2, ... places back, [dim] each."""
    out = torch.zeros_like(x)
    for t in range(len(x)):
        for d in range(x.shape[1]):
            out[t, d] = x[t, d]
            for back, share in enumerate(shares, 1):
                if t >= back:
                    out[t, d] += share[d] * x[t - back, d]
    return out


def block(x: Tensor, attention: Layer, feed_forward: Layer, norm_1: Layer, norm_2: Layer) -> Tensor:
    """x [tokens, dim] -> [tokens, dim]: a pre-norm block. Only the attention sees more than one vector."""
    normalised, out = torch.zeros_like(x), torch.zeros_like(x)
    for t in range(len(x)):
        normalised[t] = norm_1(x[t])
    found = attention(normalised)
    for t in range(len(x)):
        after = x[t] + found[t]
        out[t] = after + feed_forward(norm_2(after))
    return out
