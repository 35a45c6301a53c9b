"""A model for tests that remembers the last digits of what it reads, and nothing before."""

import torch
from torch.nn.functional import one_hot

from attnlab.seq2seq import FixedContext, Memory, State
from attnlab.tasks import EOS


class Backwards(FixedContext):
    """Writes the last `span` digits backwards and ends."""

    def __init__(self, span):
        super().__init__(13, 13, 1, 1)  # never asked
        self.span = span

    def encode(self, source, lengths):
        return Memory(source.unsqueeze(2).float(), source > 0, torch.zeros(len(source), 1))

    def start(self, memory):
        return State(memory.summary)

    def step(self, previous, state, memory, weights=None):
        digits = memory.keys[:, :, 0].long()
        ended = state.place >= min(self.span, digits.shape[1])
        token = torch.full((len(digits),), EOS) if ended else digits[:, -1 - state.place]
        return one_hot(token, 13).float(), state._replace(place=state.place + 1), None
