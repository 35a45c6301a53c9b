"""The last four letters, named all at once at every place: a race of one wide head against several narrow ones.

Nothing stands between the letters and the answers but one layer of attention: what it does not bring back is lost.
"""

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor, nn

from attnlab.analysis.heads.head_patterns import back, describe, same, without
from attnlab.checks import Count, Size, checked
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned
from attnlab.tasks.tagging import LastLetters, Tagged, accuracy, tagging_loss
from attnlab.trace import record

COUNT, SYMBOLS, LENGTH = 4, 16, 12
LAST = LastLetters(COUNT, SYMBOLS)
STEPS_BACK = {"itself": back(0), **{f"{k} before": back(k) for k in range(1, COUNT + 2)}, "same letter": same}
"""What a head may be seen to read: patterns for `attnlab.analysis.describe`."""


@checked
class LetterNamer(nn.Module):
    """Letters with learned places, one layer of attention, and one map to four answers. Begins the same for a seed,
    whatever the number of heads."""

    def __init__(self, heads: Size, seed: Count = 0, dim: Size = 64) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.embedding, self.positions = nn.Embedding(SYMBOLS, dim), Learned(dim, LENGTH)
        self.attention = MultiHeadAttention(dim, heads)
        self.answer = nn.Linear(dim, COUNT * SYMBOLS)

    def forward(self, letters: Int64[Tensor, "batch tokens"]) -> Float[Tensor, "batch tokens wanted symbols"]:
        """Logits for each of the last letters, the nearest first."""
        x = self.positions(self.embedding(letters))
        return self.answer(self.attention(x)).unflatten(-1, (COUNT, SYMBOLS))


@checked
def strings(size: Size, generator: Generator) -> Tagged:
    """`size` fresh strings of twelve letters of sixteen kinds, and the last four letters at each place."""
    return LAST.batch(size, LENGTH, generator)


@checked
def loss_of_names(model: LetterNamer, generator: Generator) -> Float[Tensor, ""]:
    """The mean cross-entropy of 64 fresh strings, in nats per letter that is wanted."""
    asked = strings(64, generator)
    return tagging_loss(model(asked.inputs), asked.targets)


@checked
@torch.no_grad()
def right_names(model: LetterNamer, asked: Tagged) -> Float[Tensor, " wanted"]:
    """The share of right answers for each of the last letters, the nearest first."""
    logits = model(asked.inputs)
    return torch.tensor([accuracy(logits[:, :, k], asked.targets[:, :, k]) for k in range(COUNT)])


@checked
@torch.no_grad()
def habits(model: LetterNamer, asked: Tagged) -> list:
    """What each head reads, measured on these strings: see `attnlab.analysis.describe`."""
    with record(model) as trace:
        model(asked.inputs)
    return describe(trace["attention"][0].weights, asked.inputs, STEPS_BACK)


@checked
def lost_without(model: LetterNamer, head: Count, asked: Tagged) -> list[str]:
    """Which answers are right in less than half of all cases when one head is switched off, such as "2 before"."""
    with without(model, [("attention", head)]):
        return [f"{k + 1} before" for k, share in enumerate(right_names(model, asked).tolist()) if share < 0.5]
