"""The race: how long a small GPT learns until its held-out loss is that of the plain set-up after 2000 steps.

For all set-ups the same: text, split, windows of 64 letters, float32, one thread, `fit`, and a loss over the same 1000
held-out windows. They take turns, a small part of each training at a time, so that a busy moment of
the machine meets all of them. Counted is the processor's time for the training steps, the first one included;
evaluation is not, for none of them.
"""

import time
from collections.abc import Iterator
from itertools import chain, islice
from statistics import median
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attnlab.costs import parameters_of
from attnlab.tasks.text import Text
from attnlab.trained import train_large
from attnlab.training import fit
from benchmarks.report import Record, span

ABOUT = "6 minutes"
CONTEXT, DIM, HEADS = 64, 128, 4
TURNS = 50


class Entrant(NamedTuple):
    """set_up: model, optimiser and schedule. batch: windows a step. rate, steps: as for `fit`."""

    name: str
    set_up: train_large.SetUp
    layers: int
    batch: int
    steps: int
    rate: float


# Sizes, batch and steps as for nanoGPT on a CPU: https://github.com/karpathy/nanoGPT, README, "I only have a macbook".
PLAIN = Entrant("plain GPT", train_large.PLAIN, 4, 12, 2000, 1e-3)
MODERN = Entrant("modern GPT of equal size", train_large.MODERN, 4, 18, 112, 0.05)
FASTEST = Entrant("modern GPT of one layer", train_large.MODERN, 1, 12, 250, 0.04)


def measure(quick: bool = False, text: Text | None = None) -> Iterator[Record]:
    """text: the Python language reference unless given. Of the modern set-ups three seeds run."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield from race(text or Text.python_reference(), quick)
    finally:
        torch.set_num_threads(threads)


def race(text: Text, quick: bool) -> Iterator[Record]:
    entrants = [one._replace(steps=3) if quick else one for one in (PLAIN, MODERN, FASTEST)]
    plain, *others = [[Run(one, text, seed) for seed in range(n)] for one, n in zip(entrants, (1, 3, 3), strict=True)]
    for turn in range(TURNS):
        for run in chain(plain, *others):
            run.advance(turn)
    [plain] = plain
    mark = plain.held_out()
    yield Record(f"{plain.name}, held-out loss", mark, None, "nats")
    yield Record(f"{plain.name}, training", plain.seconds, None, "s")
    for seeds, share in zip(others, (0.11, None), strict=True):
        losses, ratios = [run.held_out() for run in seeds], [run.seconds / plain.seconds for run in seeds]
        name = seeds[0].name
        yield Record(
            f"{name}, held-out loss, median of {len(seeds)} seeds",
            median(losses),
            None if quick else mark,
            "nats",
            span(losses),
        )
        yield Record(
            f"{name}, training / the plain one's", median(ratios), None if quick else share, "times", span(ratios)
        )


class Run:
    """One training, which goes on when it is its turn."""

    def __init__(self, entrant: Entrant, text: Text, seed: int) -> None:
        _, (new, optimiser, schedule), layers, self.batch, self.steps, rate = entrant
        torch.manual_seed(seed)
        self.model = new(len(text.vocabulary), DIM, HEADS, layers, CONTEXT)
        self.text, self.seconds = text, 0.0
        self.training = fit(self.model, self.loss, self.steps, rate, seed, optimiser, schedule)
        self.name = f"{entrant.name}, {parameters_of(self.model) / 1e6:.2f} M parameters, {self.steps} steps"

    def loss(self, generator: torch.Generator) -> Tensor:
        inputs, targets = self.text.batch(self.batch, CONTEXT, generator)
        return cross_entropy(self.model(inputs).flatten(0, 1), targets.flatten())

    def advance(self, turn: int) -> None:
        """The steps of this turn; after all turns, all steps are done."""
        steps = self.steps * (turn + 1) // TURNS - self.steps * turn // TURNS
        start = time.process_time()
        for _ in islice(self.training, steps):
            pass
        self.seconds += time.process_time() - start

    @torch.no_grad()
    def held_out(self) -> float:
        """Nats per letter."""
        inputs, targets = self.text.test(CONTEXT)
        losses = [
            cross_entropy(self.model(i).flatten(0, 1), t.flatten()) * len(i)
            for i, t in zip(inputs.split(100), targets.split(100), strict=True)
        ]
        return (sum(losses) / len(inputs)).item()
