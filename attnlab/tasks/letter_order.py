"""Two questions about each letter of a string: one that a bag of letters can answer, and one that needs their order.

"again": does the same letter stand anywhere else? "back": which letter stands two places before?
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor, nn
from torch.nn.functional import one_hot

from attnlab.blocks import EncoderBlock, FeedForward
from attnlab.checks import Size, checked
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import POSITIONS
from attnlab.tasks.tagging import Back, accuracy, tagging_loss

LENGTH, STEPS, SYMBOLS = 10, 2, 16


class Letters(NamedTuple):
    """inputs: ids. again: 1 where the letter stands elsewhere, too. back: the letter `STEPS` to the left, -100 where
    none does."""

    inputs: Int64[Tensor, "batch tokens"]
    again: Int64[Tensor, "batch tokens"]
    back: Int64[Tensor, "batch tokens"]


@checked
def letters(size: Size, generator: Generator) -> Letters:
    """`size` fresh strings of ten letters of sixteen kinds."""
    inputs, back = Back(STEPS, SYMBOLS).batch(size, LENGTH, generator)
    same = inputs.unsqueeze(2) == inputs.unsqueeze(1)
    return Letters(inputs, (same.sum(dim=2) > 1).long(), back)


@checked
class LetterReader(nn.Module):
    """One Transformer block with one head. positions: a name of `POSITIONS`."""

    def __init__(self, answers: Size, positions: str, dim: Size = 64) -> None:
        super().__init__()
        self.embedding = nn.Embedding(SYMBOLS, dim)
        self.positions = POSITIONS[positions](dim, 1, LENGTH)
        self.block = EncoderBlock(MultiHeadAttention(dim, heads=1), FeedForward(dim, 2 * dim))
        self.answer = nn.Linear(dim, answers)

    def forward(self, letters: Int64[Tensor, "batch tokens"]) -> Float[Tensor, "batch tokens answers"]:
        """Logits for each letter."""
        return self.answer(self.block(self.positions(self.embedding(letters))))


@checked
def readers(positions: str, seed: int = 0) -> nn.ModuleDict:
    """One for each question, "again" and "back", before their first step."""
    torch.manual_seed(seed)
    return nn.ModuleDict({"again": LetterReader(2, positions), "back": LetterReader(SYMBOLS, positions)})


@checked
def loss_at_letters(pair: nn.ModuleDict, asked: Letters) -> Float[Tensor, ""]:
    """Of both: the sum of their mean cross-entropies, in nats."""
    return tagging_loss(pair["again"](asked.inputs), asked.again) + tagging_loss(pair["back"](asked.inputs), asked.back)


@checked
@torch.no_grad()
def right_at_letters(pair: nn.ModuleDict, asked: Letters) -> dict[str, float]:
    """The share of right answers to each question."""
    return {
        "again": accuracy(pair["again"](asked.inputs), asked.again),
        "back": accuracy(pair["back"](asked.inputs), asked.back),
    }


@checked
def best_without_order(asked: Letters) -> float:
    """The share that is right about "back" for one that knows which letters there are, but not where they stand.

    The letter wanted is one of the others, each as likely as the next: so the most frequent of them is named. Raises
    ValueError for strings in which nothing is wanted.
    """
    length = asked.inputs.shape[1]
    if length <= STEPS or not len(asked.inputs):
        raise ValueError(f"expected strings of more than {STEPS} letters, got shape {list(asked.inputs.shape)}")
    kinds = one_hot(asked.inputs, SYMBOLS)
    others = kinds.sum(dim=1, keepdim=True) - kinds
    return (others.amax(dim=-1)[:, STEPS:] / (length - 1)).mean().item()
