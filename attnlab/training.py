"""Training as a generator of steps: whoever iterates shows progress, pauses or stops. Nothing here prints."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_


class Step(NamedTuple):
    """step: how many are done. loss: of this step's batch. metrics: what `measure` found, {} between measurements."""

    step: int
    loss: float
    metrics: dict[str, float]


def fit(
    model: nn.Module,
    loss: Callable[[torch.Generator], Tensor],
    steps: int,
    rate: int | float = 5e-3,
    seed: int = 0,
    warmup: int = 30,
    clip: int | float = 1.0,
    measure: Callable[[], dict[str, float]] | None = None,
    every: int = 50,
) -> Iterator[Step]:
    """Trains `model` with AdamW; yields a `Step` after each.

    loss(generator): the mean loss of one fresh batch, a scalar; everything random in it is drawn from `generator`.
    measure(): metrics by name, asked every `every` steps and at the end, without gradients.
    rate: the highest learning rate, see `schedule`. clip: the largest norm of all gradients together.

    Between steps the model is in evaluation mode and consistent: stop where you like. The same seed gives the same
    result whether you pause or not, whatever else draws random numbers meanwhile.
    Raises ValueError when the loss is not a finite number; the model is then as the step before left it.
    """
    if steps < 1 or not rate > 0:
        raise ValueError(f"expected at least 1 step and a rate above 0, got {steps} steps and rate {rate}")
    # Made here and not at the first step: torch's first optimiser imports its compiler, which takes a second.
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, fused=True)

    def train() -> Iterator[Step]:
        generator = torch.Generator().manual_seed(seed)
        for step in range(1, steps + 1):
            for group in optimiser.param_groups:
                group["lr"] = rate * schedule(step, steps, warmup)
            batch_loss = _loss(model, loss, generator)
            if not bool(batch_loss.isfinite()):
                raise ValueError(f"the loss of step {step} is {batch_loss.item()}: expected a number; try a smaller "
                                 f"rate than {rate}")
            optimiser.zero_grad()
            batch_loss.backward()
            clip_grad_norm_(model.parameters(), clip)
            optimiser.step()
            yield Step(step, batch_loss.item(), _metrics(measure) if step % every == 0 or step == steps else {})

    return train()


def schedule(step: int, steps: int, warmup: int = 30, floor: float = 0.03) -> float:
    """The share of the highest rate at a step (from 1): rises for `warmup` steps, then falls in a line to `floor`."""
    if step < warmup:
        return step / warmup
    return 1 - (1 - floor) * (step - warmup) / max(1, steps - warmup)


@cache
def device() -> torch.device:
    """CUDA, else Apple's GPU, else the CPU.

    On a CPU torch is set to one thread, once: with small models two threads wait for each other more than they work.
    `torch.set_num_threads` afterwards is yours.
    """
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    torch.set_num_threads(1)
    return torch.device("cpu")


def _loss(model: nn.Module, loss: Callable[[torch.Generator], Tensor], generator: torch.Generator) -> Tensor:
    """Dropout draws from torch's global generator: it is set from ours for this one batch, then put back."""
    seed = int(torch.randint(2**62, (), generator=generator))
    model.train()
    try:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            return loss(generator)
    finally:
        model.eval()


@torch.no_grad()
def _metrics(measure: Callable[[], dict[str, float]] | None) -> dict[str, float]:
    return {name: float(value) for name, value in measure().items()} if measure else {}
