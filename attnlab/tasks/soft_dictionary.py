"""A soft dictionary that is asked in another language: which of eight entries is meant?

Entries are named by random vectors. A question is the name of one of them, turned in space, always by the same
rotation, with noise added: only learned maps of queries and keys can make question and name meet.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor, nn

from attnlab.attention import Attention, attend
from attnlab.checks import Size, checked

ENTRIES, NOISE = 8, 0.5


class Questions(NamedTuple):
    """names: of the entries. asked: the name of one of them in the other language. right: which one."""

    asked: Float[Tensor, "batch 1 width"]
    names: Float[Tensor, "batch 8 width"]
    right: Int64[Tensor, " batch"]


@checked
def language(width: Size, seed: int) -> Float[Tensor, "width width"]:
    """A rotation, which may mirror, too."""
    return torch.linalg.qr(torch.randn(width, width, generator=Generator().manual_seed(int(seed)))).Q


@checked
def ask(turn: Float[Tensor, "width width"], size: Size, generator: Generator) -> Questions:
    """`size` fresh dictionaries and a question to each."""
    names = torch.randn(size, ENTRIES, len(turn), generator=generator)
    right = torch.randint(ENTRIES, (size,), generator=generator)
    asked = names[torch.arange(size), right]
    asked = asked + NOISE * torch.randn(asked.shape, generator=generator)
    return Questions((asked @ turn).unsqueeze(1), names, right)


@checked
class Finder(nn.Module):
    """Attention with a query of one question and values that are the entries' numbers: the context says who was found.

    score(query, key): such as `attnlab.dot`. Queries and keys begin with variance 1.
    """

    def __init__(self, width: Size, score: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.W_q, self.W_k = (nn.Linear(width, width, bias=False) for _ in range(2))
        for linear in self.W_q, self.W_k:
            nn.init.normal_(linear.weight, std=width**-0.5)
        self.score = score

    def forward(self, asked: Float[Tensor, "batch 1 width"], names: Float[Tensor, "batch 8 width"]) -> Attention:
        return attend(self.W_q(asked), self.W_k(names), torch.eye(ENTRIES), score=self.score)


@checked
def losses_of(finder: Finder, questions: Questions) -> Float[Tensor, " batch"]:
    """The squared distance of each context from the right entry's."""
    found = finder(questions.asked, questions.names).context.squeeze(1)
    return (found - torch.eye(ENTRIES)[questions.right]).square().sum(-1)


@checked
@torch.no_grad()
def found_by(finder: Finder, questions: Questions) -> float:
    """The share of questions in which the right entry has the most weight. Raises ValueError for no question."""
    if not len(questions.right):
        raise ValueError("expected one question or more, got none")
    weights = finder(questions.asked, questions.names).weights.squeeze(1)
    return float((weights.argmax(-1) == questions.right).float().mean())
