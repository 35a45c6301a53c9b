"""A step of a recurrent network, what a decoder unpacks from one vector, and the context of one that looks back."""

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


def unpack(
    c: Tensor, step: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]], begin: int, count: int
) -> Tensor:
    """c [hidden] -> the logits [count, vocabulary] of a decoder that reads what it has written, `begin` at first.

    step: (token [1], state [1, hidden], c [1, hidden]) -> (logits [1, vocabulary], state).
    """
    state, token, rows = c.unsqueeze(0), begin, []
    for _ in range(count):
        logits, state = step(torch.tensor([token]), state, c.unsqueeze(0))
        rows.append(logits[0])
        token = max(range(len(rows[-1])), key=rows[-1].tolist().__getitem__)
    return torch.stack(rows)


def context(state: Tensor, memory: Tensor, mask: Tensor, score: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """state [hidden], memory [source, dim], mask [source] -> context [dim].

    score: (query [1, 1, hidden], key [1, keys, dim]) -> scores [1, 1, keys].
    """
    scores = memory.new_zeros(1, len(memory))
    for j in range(len(memory)):
        scores[0, j] = score(state.reshape(1, 1, -1), memory[j].reshape(1, 1, -1))
    return average(softmax(scores, mask.unsqueeze(0)), memory)[0]
