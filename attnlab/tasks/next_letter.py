"""The smallest Transformer that names the next letter, and two ways to judge it: told everything, told only the past.

The answer to each place of a window stands one place to its right. Who may look there has nothing to learn.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy, gelu

from attnlab.blocks import EncoderBlock, FeedForward
from attnlab.checks import Size, checked
from attnlab.masks import causal, everything
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned
from attnlab.registry import Table
from attnlab.tasks.text import Text
from attnlab.transformer import Embed, Stack

LONGEST, DIM = 64, 64

LEAKY_AND_HONEST: dict[str, Callable[[int], Bool[Tensor, "queries keys"]]] = Table({
    "no mask": everything,
    "causal": causal,
})
"""Who may look at whom, in the model that sees its answers and in the one that does not."""


@checked
class LetterModel(Stack):
    """One block that reads windows of at most 64 letters. mask(tokens) says who may look at whom, [queries, keys]."""

    longest = LONGEST

    def __init__(self, letters: Size, mask: Callable[[int], Bool[Tensor, "queries keys"]]) -> None:
        block = EncoderBlock(MultiHeadAttention(DIM, 4), FeedForward(DIM, 4 * DIM, gelu), nn.LayerNorm)
        super().__init__(Embed(nn.Embedding(letters, DIM), Learned(DIM, LONGEST)), [block], nn.LayerNorm(DIM))
        self.output, self.mask = nn.Linear(DIM, letters), mask

    def forward(self, tokens: Int[Tensor, "batch tokens"]) -> Float[Tensor, "batch tokens letters"]:
        """Logits of the letter after each."""
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, self.mask(tokens.shape[1]))
        return self.output(self.norm(x))


@checked
def two_models(task: Text, seed: int = 0) -> dict[str, LetterModel]:
    """Two models that begin with the same numbers. One word differs: the mask."""
    models = {}
    for name, mask in LEAKY_AND_HONEST.items():
        torch.manual_seed(seed)
        models[name] = LetterModel(len(task.vocabulary), mask)
    return models


@checked
def loss_of_next(model: LetterModel, task: Text, generator: Generator) -> Float[Tensor, ""]:
    """The mean cross-entropy of a batch of 32 windows, in nats per letter."""
    windows, following = task.batch(32, LONGEST, generator)
    return cross_entropy(model(windows).flatten(0, 1), following.flatten())


@checked
@torch.no_grad()
def told_everything(
    model: LetterModel, inputs: Int[Tensor, "batch tokens"], targets: Int[Tensor, "batch tokens"]
) -> Float[Tensor, " tokens"]:
    """The loss at each place when the whole window lies before the model, as in training, in nats."""
    return cross_entropy(model(inputs).transpose(1, 2), targets, reduction="none").mean(dim=0)


@checked
@torch.no_grad()
def told_the_past(
    model: LetterModel, inputs: Int[Tensor, "batch tokens"], targets: Int[Tensor, "batch tokens"]
) -> Float[Tensor, " tokens"]:
    """The loss at each place when only the letters up to it lie before the model, as when it writes, in nats."""
    losses = [cross_entropy(model(inputs[:, : n + 1])[:, -1], targets[:, n]) for n in range(inputs.shape[1])]
    return torch.stack(losses) if losses else torch.zeros(0)
