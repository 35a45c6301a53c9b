"""The smallest models that copy: layers of attention and nothing else, for texts that repeat themselves."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.blocks import AttentionBlock
from attnlab.checks import Size, checked
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Rotary
from attnlab.tasks.induction import Repeated, Repeats
from attnlab.transformer import GPT, Embed

DIM, HEADS = 64, 2


class Foreseen(NamedTuple):
    """Of the places that can be foreseen. right: the share of right answers. loss: in nats."""

    right: float
    loss: float


@checked
def copier(
    task: Repeated, layers: Size, seed: int = 0, attention: Callable[..., MultiHeadAttention] = MultiHeadAttention
) -> GPT:
    """Two heads a layer, rotary positions, no feed-forward network; before its first step.

    attention: makes a layer's, of its width, its number of heads and its positions.
    """
    torch.manual_seed(seed)
    blocks = [
        AttentionBlock(attention(DIM, HEADS, Rotary(DIM // HEADS, task.length)), nn.LayerNorm) for _ in range(layers)
    ]
    table, output = nn.Embedding(task.symbols, DIM), nn.Linear(DIM, task.symbols)
    return GPT(Embed(table), blocks, nn.LayerNorm(DIM), output, task.length - 1).eval()


@checked
def loss_of_copy(model: GPT, task: Repeated, generator: Generator) -> Float[Tensor, ""]:
    """The mean cross-entropy of 32 fresh texts, at all places, in nats."""
    batch = task.batch(32, generator)
    return cross_entropy(model(batch.inputs).flatten(0, 1), batch.targets.flatten())


@checked
@torch.no_grad()
def foreseen(model: GPT, texts: Repeats) -> Foreseen:
    """How well the model foresees what was there before. Raises ValueError for texts in which nothing was."""
    if not texts.predictable.any():
        raise ValueError("expected texts with a second round, got none")
    logits, targets = model(texts.inputs)[texts.predictable], texts.targets[texts.predictable]
    right = (logits.argmax(-1) == targets).double().mean().item()
    return Foreseen(right, cross_entropy(logits, targets).item())
