"""The race: how long a small GPT learns until its held-out loss is that of the plain set-up after 2000 steps.

For all set-ups the same: text, split, windows of 64 letters, float32, one thread, `fit`, and a loss over the same 1000
held-out windows. They take turns, a small part of each training at a time, so that a busy moment of
the machine meets all of them. Counted is the processor's time for the training steps, the first one included;
evaluation is not, for none of them.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attnlab.costs import parameters_of
from attnlab.optimisers import adamw, muon
from attnlab.schedules import cool_down, cosine
from attnlab.tasks.text import Text
from attnlab.training import fit
from attnlab.transformer import GPT, gpt, modern_gpt
from benchmarks.report import Record, span

ABOUT = "6 minutes"
CONTEXT, DIM, HEADS = 64, 128, 4
TURNS = 50


class SetUp(NamedTuple):
    """model: one of the builders of `attnlab.transformer`. batch: windows a step. The rest as for `fit`."""

    name: str
    model: Callable[..., GPT]
    layers: int
    batch: int
    steps: int
    rate: float
    optimiser: Callable
    schedule: Callable


# nanoGPT's for a CPU: https://github.com/karpathy/nanoGPT, README, "I only have a macbook", and
# config/train_shakespeare_char.py; the rate ends at a tenth of its highest, gradients are clipped to norm 1.
PLAIN = SetUp(
    "plain GPT",
    gpt,
    4,
    12,
    2000,
    1e-3,
    partial(adamw, betas=(0.9, 0.99), decay=0.1),
    partial(cosine, warmup=100, floor=0.1),
)
MODERN = SetUp("modern GPT of equal size", modern_gpt, 4, 18, 112, 0.05, muon, partial(cool_down, last=0.8))
FASTEST = SetUp("modern GPT of one layer", modern_gpt, 1, 12, 250, 0.04, muon, partial(cool_down, last=0.8))


def measure(quick: bool = False, text: str | Path | None = None) -> Iterator[Record]:
    """text: a file; the Python language reference unless given. Of the modern set-ups three seeds run."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield from race(Text.from_file(text) if text else Text.python_reference(), quick)
    finally:
        torch.set_num_threads(threads)


def race(text: Text, quick: bool) -> Iterator[Record]:
    set_ups = [one._replace(steps=3) if quick else one for one in (PLAIN, MODERN, FASTEST)]
    plain, *others = [[Run(one, text, seed) for seed in range(1 if one.model is gpt else 3)] for one in set_ups]
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

    def __init__(self, set_up: SetUp, text: Text, seed: int) -> None:
        torch.manual_seed(seed)
        self.model = set_up.model(len(text.vocabulary), DIM, HEADS, set_up.layers, CONTEXT)
        self.text, self.batch, self.steps, self.seconds = text, set_up.batch, set_up.steps, 0.0
        self.training = fit(self.model, self.loss, set_up.steps, set_up.rate, seed, set_up.optimiser, set_up.schedule)
        size = parameters_of(self.model) / 1e6
        self.name = f"{set_up.name}, {size:.2f} M parameters, {set_up.steps} steps"

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
