"""A plain recurrent network, and one step of a decoder that looks back. Of one sequence."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.specs.alignment import dot
from attnlab.specs.attention import average, softmax


def rnn_step(token: Tensor, state: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    """token [dim], state [hidden], W [dim, hidden], U [hidden, hidden], b [hidden] -> the next state [hidden]."""
    after = torch.zeros_like(b)
    for i in range(len(b)):
        after[i] = torch.tanh(dot(token, W[:, i]) + dot(state, U[:, i]) + b[i])
    return after


def rnn(x: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    """x [tokens, dim] -> the last state [hidden]; the first is all zeros."""
    state = torch.zeros_like(b)
    for token in x:
        state = rnn_step(token, state, W, U, b)
    return state


def context(state: Tensor, memory: Tensor, mask: Tensor, score: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """state [hidden], memory [source, dim], mask [source] -> context [dim].

    score: (query [1, 1, hidden], key [1, keys, dim]) -> scores [1, 1, keys].
    """
    scores = memory.new_zeros(1, len(memory))
    for j in range(len(memory)):
        scores[0, j] = score(state.reshape(1, 1, -1), memory[j].reshape(1, 1, -1))
    return average(softmax(scores, mask.unsqueeze(0)), memory)[0]
