"""Strings of ten letters, to be named backwards, in place: a task for stacks of blocks of any depth.

Each place must read one certain other place, and all letters must stay what they are on the way there.
"""

from collections.abc import Iterable, Iterator, Sequence

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor, nn

from attnlab.analysis.vectors.rank_collapse import mean_cosine
from attnlab.blocks import EncoderBlock, FeedForward, LayerNorm, Norm, Residual, pre_norm
from attnlab.checks import Size, checked
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned
from attnlab.tasks.tagging import Mirrored, Tagged, accuracy, tagging_loss
from attnlab.training import Step

LENGTH, SYMBOLS = 10, 16
ENOUGH, LAST = 0.1, 10  # learned: the mean of the last ten losses is below this


@checked
def strings(size: Size, generator: Generator) -> Tagged:
    """`size` fresh strings of ten letters of sixteen kinds, and the same backwards."""
    return Mirrored(SYMBOLS).batch(size, LENGTH, generator)


@checked
class Reverser(nn.Module):
    """`depth` encoder blocks of four heads. residual, norm: as for `EncoderBlock`.

    With pre-norm nothing has normalised the stream when it leaves the last block: one more norm stands behind it.
    """

    def __init__(self, depth: Size, residual: Residual, norm: Norm = LayerNorm, dim: Size = 32) -> None:
        super().__init__()
        self.embedding, self.positions = nn.Embedding(SYMBOLS, dim), Learned(dim, LENGTH)
        self.blocks = nn.ModuleList(
            EncoderBlock(MultiHeadAttention(dim, heads=4), FeedForward(dim, 2 * dim), norm, residual)
            for _ in range(depth)
        )
        self.norm = norm(dim) if residual is pre_norm else nn.Identity()
        self.answer = nn.Linear(dim, SYMBOLS)

    def forward(self, letters: Int64[Tensor, "batch tokens"]) -> Float[Tensor, "batch tokens symbols"]:
        """Logits for each place."""
        return self.answer(self.norm(self.after_blocks(letters)))

    def after_blocks(self, letters: Int64[Tensor, "batch tokens"]) -> Float[Tensor, "batch tokens dim"]:
        """The vectors of the letters as they leave the last block."""
        x = self.positions(self.embedding(letters))
        for block in self.blocks:
            x = block(x)
        return x


@checked
def backwards_loss(model: Reverser, generator: Generator) -> Float[Tensor, ""]:
    """Of 32 fresh strings: the mean cross-entropy in nats a letter."""
    asked = strings(32, generator)
    return tagging_loss(model(asked.inputs), asked.targets)


@checked
@torch.no_grad()
def right_backwards(model: Reverser, asked: Tagged) -> float:
    """The share of letters that are named right."""
    return accuracy(model(asked.inputs), asked.targets)


@checked
@torch.no_grad()
def alike_after_blocks(model: Reverser, asked: Tagged) -> float:
    """How alike all letters of all strings have become: the mean cosine of any two vectors after the last block."""
    return mean_cosine(model.after_blocks(asked.inputs).flatten(0, 1)).item()


@checked
def learned(losses: Sequence[float]) -> bool:
    """Whether the mean of the last ten losses is below 0.1 nats."""
    return len(losses) >= LAST and sum(losses[-LAST:]) / LAST < ENOUGH


@checked
def until_learned(training: Iterable[Step]) -> Iterator[Step]:
    """The steps of a training, up to the one with which it has `learned`."""
    losses: list[float] = []
    for step in training:
        losses.append(step.loss)
        yield step
        if learned(losses):
            return
