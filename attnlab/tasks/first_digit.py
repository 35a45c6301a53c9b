"""A string of digits is read, and at its end the first one is asked for: how far back can a network remember?"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.analysis.learning.gradients import scale_recurrence
from attnlab.checks import Size, checked
from attnlab.registry import Table
from attnlab.seq2seq import CELLS, Encoder
from attnlab.tasks.base import SPECIAL
from attnlab.tasks.strings import DIGITS

HIDDEN = 32

KINDS: dict[str, tuple[str, float, float]] = Table({
    "RNN": ("rnn", 1.0, 0.0),
    "RNN, weights × 3": ("rnn", 3.0, 0.0),
    "GRU": ("gru", 1.0, 0.0),
    "GRU, opened at the start": ("gru", 1.0, 4.0),
    "LSTM": ("lstm", 1.0, 0.0),
    "LSTM, opened at the start": ("lstm", 1.0, 4.0),
})
"""Name -> the cell, and how its start is changed: `gain` and `keep` of `scale_recurrence`."""


class Read(NamedTuple):
    """source: ids of digits. first: which digit the first one is, 0 to 9."""

    source: Int64[Tensor, "batch inputs"]
    first: Int64[Tensor, " batch"]


@checked
def strings(size: Size, inputs: Size, generator: Generator) -> Read:
    """`size` fresh strings of `inputs` digits."""
    source = torch.randint(len(SPECIAL), len(SPECIAL) + len(DIGITS), (size, inputs), generator=generator)
    return Read(source, source[:, 0] - len(SPECIAL))


@checked
class LastStateReader(nn.Module):
    """An encoder that reads in one direction, and a linear map of its last state, and of nothing else.

    kind: a name of `KINDS`.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        cell, gain, keep = KINDS[kind]
        encoder = Encoder(len(SPECIAL) + len(DIGITS), HIDDEN, HIDDEN, bidirectional=False, cell=CELLS[cell])
        self.encoder = scale_recurrence(encoder, gain, keep)
        self.answer = nn.Linear(HIDDEN, len(DIGITS))

    def forward(self, source: Int64[Tensor, "batch inputs"]) -> Float[Tensor, "batch digits"]:
        """Logits of the ten digits."""
        lengths = torch.full((len(source),), source.shape[1])
        return self.answer(self.encoder(source, lengths).keys[:, -1])


@checked
def reader(kind: str, seed: int = 0) -> LastStateReader:
    """One before its first step; the same seed, the same numbers. Torch's own random numbers begin anew at `seed`."""
    torch.manual_seed(seed)
    return LastStateReader(kind)


@checked
def loss_of_first(model: LastStateReader, asked: Read) -> Float[Tensor, ""]:
    """The mean cross-entropy, in nats; guessing evenly costs ln 10 = 2.30."""
    return cross_entropy(model(asked.source), asked.first)


@checked
@torch.no_grad()
def right_first(model: LastStateReader, asked: Read) -> float:
    """The share of strings of which the first digit is named; guessing finds 0.1. Raises ValueError for no strings."""
    if not len(asked.source):
        raise ValueError("expected at least one string, got none")
    return (model(asked.source).argmax(dim=-1) == asked.first).double().mean().item()
