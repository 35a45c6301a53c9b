"""Warm-up, label smoothing and dropout, each with and without: `python -m attnlab.trained.train_recipe`.

Warm-up at several rates, for a shallow and a deep Transformer; smoothing and dropout with few sentences and with many.
Three seeds of each. Writes `recipe.json` beside this file. Four minutes of one core.
"""

from functools import partial
from itertools import product
from statistics import mean

import torch
from torch import Generator, Tensor

from attnlab.checks import PAD
from attnlab.optimisers import adamw
from attnlab.registry import Table
from attnlab.schedules import Schedule, inverse_root
from attnlab.seq2seq import teacher_forcing
from attnlab.tasks.phrasebook import Phrasebook
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import fitted, share_exact
from attnlab.training import fit, smoothed_cross_entropy
from attnlab.transformer import Transformer, transformer

BATCH, WARM_UP, HELD_OUT = 32, 50, 200
RATES: dict[str, tuple[float, ...]] = Table({"1": (0.006, 0.012, 0.024), "4": (0.003, 0.006, 0.012)})  # {layers: rates}
STEPS, LONGER, EVERY = 200, 320, 80  # of the trainings for warm-up, of the others, between two measurements
SENTENCES, RATE, AGAIN = (300, 20_000), 0.01, 10  # for smoothing and dropout
adam = partial(adamw, betas=(0.9, 0.98), clip=None)  # as in the paper


def at_once(step: int, steps: int, warmup: int = WARM_UP) -> float:
    """The highest rate from the first step, then down as with a warm-up."""
    return min(1.0, (warmup / step) ** 0.5)


SCHEDULES: dict[str, Schedule] = Table({"warm-up": partial(inverse_root, warmup=WARM_UP), "full rate at once": at_once})


def main() -> None:
    torch.set_num_threads(1)
    tasks = {sentences: Phrasebook(pairs=sentences) for sentences in SENTENCES}
    found = {
        "settings": f"phrasebook, Transformers of width 32 with 2 heads, {BATCH} sentences a step, Adam without "
        f"clipping, {HELD_OUT} held-out sentences; seeds {', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "warm_up": {
            layers: {
                name: {
                    str(rate): [after(tasks[20_000], int(layers), name, rate, seed) for seed in SEEDS] for rate in rates
                }
                for name in SCHEDULES
            }
            for layers, rates in RATES.items()
        },
        "switches": {
            str(sentences): [
                {
                    "smoothing": smoothing,
                    "dropout": dropout,
                    "runs": [train(task, smoothing, dropout, seed) for seed in SEEDS],
                }
                for smoothing, dropout in product((False, True), repeat=2)
            ]
            for sentences, task in tasks.items()
        },
    }
    tables.write("recipe", found)


def new(task: Phrasebook, layers: int, dropout: float, seed: int) -> Transformer:
    """Before its first step."""
    torch.manual_seed(seed)
    return transformer(len(task.source_vocabulary), len(task.target_vocabulary), 32, 2, layers, dropout)


def after(task: Phrasebook, layers: int, schedule: str, rate: float, seed: int, steps: int = STEPS) -> dict:
    """What `measured_on` finds on held-out sentences after a training; None for both where its loss was no number."""
    model = new(task, layers, 0.0, seed)

    def loss(generator: Generator) -> Tensor:
        return teacher_forcing(model, *task.batch(BATCH, generator))

    try:
        fitted(model, loss, steps, rate, seed, adam, SCHEDULES[schedule])
    except ValueError:
        return {"exact": None, "loss": None}
    return measured_on(model, task.collate(task.test[:HELD_OUT]))


def train(task: Phrasebook, smoothing: bool, dropout: bool, seed: int, steps: int = LONGER) -> dict:
    """steps, exact: when it was measured, and the share of held-out sentences right then. loss: on them at the end,
    without smoothing, in nats a token. known: the share right, at the end, of `AGAIN` batches that it was trained with,
    spread evenly over the training."""
    model, held_out = new(task, 1, 0.1 * dropout, seed), task.collate(task.test[:HELD_OUT])
    met = []

    def loss(generator: Generator) -> Tensor:
        batch = task.batch(BATCH, generator)
        met.append(batch)
        logits = model(batch.source, batch.source_lengths, batch.target[:, :-1])
        return smoothed_cross_entropy(logits, batch.target[:, 1:], 0.1 * smoothing, ignore=PAD)

    when, right = [], []
    for step in fit(model, loss, steps, RATE, seed, adam, SCHEDULES["warm-up"]):
        if step.step % EVERY == 0 or step.last:
            when.append(step.step)
            right.append(measured_on(model, held_out)["exact"])
    known = round(mean(share_exact(model, batch) for batch in met[:: max(1, steps // AGAIN)]), 4)
    return {"steps": when, "exact": right, "loss": measured_on(model, held_out)["loss"], "known": known}


@torch.no_grad()
def measured_on(model: Transformer, batch: tuple) -> dict[str, float]:
    """exact: the share of sentences that it writes without a mistake. loss: in nats a token."""
    return {
        "exact": share_exact(model, batch),
        "loss": round(float(teacher_forcing(model, *batch)), 4),
    }


if __name__ == "__main__":
    main()
