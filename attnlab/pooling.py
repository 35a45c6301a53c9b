"""One query reads a whole text and answers yes or no: the smallest model in which attention decides what counts."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.alignment import Additive
from attnlab.checks import Size, check_ids, checked
from attnlab.seq2seq import LookBack, Memory


class Reading(NamedTuple):
    """weights: how much of its attention each word gets. votes: what the answer would be if one word had it all, as a
    logit. logits: the answer, the mean of the votes under the weights; above 0 is yes."""

    weights: Float[Tensor, "batch words"]
    votes: Float[Tensor, "batch words"]
    logits: Float[Tensor, " batch"]


@checked
class PooledReader(nn.Module):
    """answer = output(sum of weights * states), weights = softmax(additive(question, states)).

    states: turns the words' vectors [batch, words, dim] into states of the same shape, such as `TwoWay(dim)`, or
    `nn.Identity()`, with which no word knows of any other.
    Other weights, such as even ones or those of another model: `override(reader, {"attention": weights})`, which
    broadcast to [batch, 1, words].

    **Source:** Jain and Wallace 2019, "Attention is not Explanation", section 2, there with an LSTM.
    **Names:** h -> states, Q -> question, alpha-hat -> weights, y-hat -> the logistic function of `logits`.
    """

    def __init__(self, vocabulary: Size, dim: Size, states: nn.Module) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dim)
        self.states = states
        self.attention = LookBack(Additive(dim, dim, dim))
        self.output = nn.Linear(dim, 1)

    def forward(self, tokens: Int[Tensor, "batch words"], asked: Int[Tensor, " batch"]) -> Float[Tensor, " batch"]:
        """The answers, as logits."""
        return self.read(tokens, asked).logits

    def read(self, tokens: Int[Tensor, "batch words"], asked: Int[Tensor, " batch"]) -> Reading:
        """The answers, and what they are made of. Raises ValueError for tokens that the vocabulary does not have."""
        for ids, what in ((tokens, "tokens"), (asked, "asked")):
            check_ids(ids, self.embedding.num_embeddings, what)
        states = self.states(self.embedding(tokens))
        everywhere = torch.ones_like(tokens, dtype=torch.bool)
        memory = self.attention.prepare(Memory(states, everywhere, states.mean(dim=1)))
        weights = self.attention(self.embedding(asked)[:, None], memory).weights[:, 0]
        votes = self.output(states)[..., 0]
        return Reading(weights, votes, (weights * votes).sum(dim=-1))


@checked
class TwoWay(nn.Module):
    """Reads to and fro: half of each state comes from the left, half from the right (a GRU each)."""

    def __init__(self, dim: Size) -> None:
        super().__init__()
        if dim % 2:
            raise ValueError(f"expected an even width, half of it for each direction, got {dim}")
        self.gru = nn.GRU(dim, dim // 2, batch_first=True, bidirectional=True)

    def forward(self, x: Float[Tensor, "batch words dim"]) -> Float[Tensor, "batch words dim"]:
        if x.dtype != self.gru.weight_ih_l0.dtype:
            raise ValueError(f"expected vectors of {self.gru.weight_ih_l0.dtype}, got {x.dtype}")
        return self.gru(x)[0]


@checked
def even_weights(words: Size) -> Float[Tensor, "1 words"]:
    """The same weight for every word: attention without a choice."""
    return torch.full((1, words), 1 / words)
