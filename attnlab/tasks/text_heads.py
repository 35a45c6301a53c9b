"""A small GPT of letters, and what becomes of its loss without some of its heads."""

from collections.abc import Iterable

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from attnlab.analysis.heads.head_patterns import without
from attnlab.analysis.words.next_token import surprise
from attnlab.blocks import EncoderBlock, FeedForward
from attnlab.checks import Count, Size, checked
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned
from attnlab.tasks.text import Text
from attnlab.transformer import GPT, Embed

LONGEST, DIM = 40, 64


@checked
def letter_gpt(letters: Size, heads: Size = 4, layers: Size = 2, seed: Count = 0) -> GPT:
    """Blocks of width 64 that read at most 40 letters, before the first step.

    The maps have the same size whatever the number of heads. Raises ValueError where the heads do not divide 64.
    """
    torch.manual_seed(seed)
    blocks = [
        EncoderBlock(MultiHeadAttention(DIM, heads), FeedForward(DIM, 4 * DIM), nn.LayerNorm) for _ in range(layers)
    ]
    embed = Embed(nn.Embedding(letters, DIM), Learned(DIM, LONGEST))
    return GPT(embed, blocks, nn.LayerNorm(DIM), nn.Linear(DIM, letters), LONGEST)


@checked
def loss_of_text(model: GPT, text: Text, generator: Generator) -> Float[Tensor, ""]:
    """The mean cross-entropy of a batch of 16 windows, in nats per letter."""
    inputs, targets = text.batch(16, model.longest, generator)
    return surprise(model(inputs), targets).mean()


@checked
@torch.no_grad()
def held_out_loss(
    model: GPT,
    inputs: Int[Tensor, "batch tokens"],
    targets: Int[Tensor, "batch tokens"],
    off: Iterable[tuple[str, int]] = (),
) -> float:
    """The mean surprise with these heads off, as `attnlab.analysis.without` takes them, in nats per letter."""
    if targets.shape != inputs.shape or not targets.numel():
        raise ValueError(f"expected a target for each token, got {list(targets.shape)} for {list(inputs.shape)} tokens")
    with without(model, off):
        return surprise(model(inputs), targets).mean().item()


@checked
def heads_of(model: GPT) -> list[tuple[str, int]]:
    """All heads, from layer to layer, as `attnlab.analysis.without` takes them."""
    return [
        (name, head)
        for name, part in model.named_modules()
        if isinstance(part, MultiHeadAttention)
        for head in range(part.heads)
    ]


@checked
def taken_away(
    model: GPT, inputs: Int[Tensor, "batch tokens"], targets: Int[Tensor, "batch tokens"]
) -> list[tuple[tuple[str, int], float]]:
    """Heads switched off one after the other, and the loss then: each time the one without which it is lowest.

    **Source:** Michel, Levy and Neubig 2019, "Are Sixteen Heads Really Better than One?", section 4; there the order
    comes from gradients.
    """
    off: list[tuple[str, int]] = []
    steps = []
    left = heads_of(model)
    while left:
        losses = {head: held_out_loss(model, inputs, targets, [*off, head]) for head in left}
        cheapest = min(losses, key=losses.__getitem__)
        off.append(cheapest)
        left.remove(cheapest)
        steps.append((cheapest, losses[cheapest]))
    return steps
