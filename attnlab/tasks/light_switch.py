"""A light switch: it is pressed or it is not, step after step. Is the light on? One bit that must be carried along.

Also the small recurrent network that this and a page of letters are read with.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int, Int64
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.checks import Size, checked


@checked
def presses(
    count: Size, steps: Size, generator: Generator
) -> tuple[Int64[Tensor, "count steps"], Int64[Tensor, "count steps"]]:
    """Random streams: 1 where the switch is pressed; and whether the light is on after each step, 1 or 0."""
    pressed = torch.randint(2, (count, steps), generator=generator)
    return pressed, pressed.cumsum(dim=1) % 2


@checked
class RecurrentReader(nn.Module):
    """A GRU that names something at each token, from the tokens up to it."""

    def __init__(self, vocabulary: Size, dim: Size) -> None:
        super().__init__()
        self.embedding, self.output = nn.Embedding(vocabulary, dim), nn.Linear(dim, vocabulary)
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, tokens: Int[Tensor, "batch tokens"]) -> Float[Tensor, "batch tokens vocabulary"]:
        """Logits at each token."""
        return self.output(self.gru(self.embedding(tokens))[0])


Listener = Callable[[Tensor], Tensor]
"""Presses [streams, steps] -> logits [streams, steps, 2] of dark and light."""


@checked
def loss_of_light(model: Listener, generator: Generator, steps: Size = 16) -> Float[Tensor, ""]:
    """The mean cross-entropy of a batch of 32 fresh streams, in nats per step."""
    pressed, light = presses(32, steps, generator)
    return cross_entropy(_checked_logits(model, pressed).flatten(0, 1), light.flatten())


@checked
@torch.no_grad()
def right_about_light(model: Listener, steps: Size, streams: Size = 200) -> float:
    """The share of right answers in the second half of unseen streams, always the same; guessing has one half."""
    pressed, light = presses(streams, steps, Generator().manual_seed(7))
    return (_checked_logits(model, pressed).argmax(dim=-1) == light)[:, steps // 2 :].double().mean().item()


def _checked_logits(model: Listener, pressed: Tensor) -> Tensor:
    logits = model(pressed)
    if logits.shape != (*pressed.shape, 2):
        raise ValueError(
            f"expected logits [streams, steps, 2] = {[*pressed.shape, 2]} from the model, got shape {[*logits.shape]}"
        )
    return logits
