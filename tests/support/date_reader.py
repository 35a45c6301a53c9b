"""A model for tests that writes one date, and looks where one would look."""

import torch

from attnlab.attention import Attention
from attnlab.seq2seq import Decoder, Encoder, Memory, Seq2Seq

TEXT = "mardi 3 mars 1992"
PLACES = [13, 14, 15, 16, 12, 8, 8, 7, 6, 6]  # of TEXT, one for each character of 1992-03-03


class DateReader(Seq2Seq):
    """Writes 1992-03-03, looking at one character for each; a digit of the year is whatever it looks at."""

    def __init__(self, task):
        super().__init__(Encoder(1, 1, 1, True), Decoder(1, 1, 1, 1))  # never asked
        self.task, self.vocabulary = task, task.target_vocabulary

    def encode(self, source, lengths):
        self.source = source
        return Memory(torch.zeros(*source.shape, 1), torch.ones_like(source, dtype=torch.bool), torch.zeros(1, 1))

    def step(self, previous, state, memory, weights=None):
        at = state.place
        own = torch.zeros(1, 1, memory.mask.shape[1])
        own[0, 0, PLACES[min(at, 9)]] = 1
        used = own if weights is None else weights
        target = "1992-03-03"[at] if at < 10 else "<EOS>"
        if at < 4:
            target = self.task.source_vocabulary[int(self.source[0, int(used.argmax())])]
        logits = torch.full((1, len(self.vocabulary)), -9.0)
        logits[0, self.vocabulary.index(target)] = 9.0
        return logits, state._replace(place=at + 1), Attention(torch.zeros(1, 1, 1), used, own.log().clamp(min=-9))
