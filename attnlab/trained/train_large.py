"""A GPT of 10.8 million parameters learns a text of a million letters: `python -m attnlab.trained.train_large TEXT`.

TEXT: a file; the table holds what the million letters of Shakespeare gave that nanoGPT learns. For a CUDA device, on
which it takes a quarter of an hour. Writes `large.json` beside this file.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.optim import Optimizer

from attnlab.optimisers import adamw, muon
from attnlab.registry import Table
from attnlab.schedules import Schedule, cool_down, cosine
from attnlab.tasks.text import Text
from attnlab.trained import tables
from attnlab.training import Step, device, fit, in_bfloat16
from attnlab.transformer import GPT, gpt, modern_gpt

DIM, HEADS, LAYERS, CONTEXT, SEED = 384, 6, 6, 256, 0


class SetUp(NamedTuple):
    """new: `gpt` or another builder of its kind. optimiser, schedule: as for `fit`."""

    new: Callable[..., GPT]
    optimiser: Callable[..., Optimizer]
    schedule: Schedule


class Setting(NamedTuple):
    """rate, steps: as for `fit`. batch: windows a step. every: steps between two looks. until: where it stops."""

    rate: float
    steps: int
    batch: int
    dropout: float
    every: int
    until: int


# nanoGPT's for one GPU: https://github.com/karpathy/nanoGPT, config/train_shakespeare_char.py; its rate is 0.001, and
# ends at a tenth of it.
PLAIN = SetUp(gpt, partial(adamw, betas=(0.9, 0.99), decay=0.1), partial(cosine, warmup=100, floor=0.1))
MODERN = SetUp(modern_gpt, muon, partial(cool_down, last=0.8))
SET_UPS: dict[str, SetUp] = Table({"plain": PLAIN, "modern": MODERN})

PUBLISHED = Setting(0.001, 5000, batch=64, dropout=0.2, every=250, until=3250)
SHORTER = Setting(0.002, 1500, batch=64, dropout=0.2, every=250, until=1500)


def _modern(rate: float, steps: int, batch: int = 64, dropout: float = 0.2) -> Setting:
    return Setting(rate, steps, batch, dropout, every=steps // 4, until=steps)


SETTINGS: dict[str, list[Setting]] = Table({
    "plain": [PUBLISHED, PUBLISHED._replace(rate=0.002), SHORTER],
    "modern": [
        *(_modern(*one) for one in ((0.02, 600), (0.02, 400), (0.03, 400))),
        *(_modern(*one, dropout=0.3) for one in ((0.02, 600), (0.03, 600), (0.02, 800), (0.03, 450))),
        *(_modern(*one, batch=128) for one in ((0.02, 300), (0.03, 300), (0.03, 250))),
        *(_modern(*one, batch=128) for one in ((0.015, 400), (0.02, 400), (0.02, 500))),
        *(_modern(*one, dropout=0.25) for one in ((0.02, 400, 128), (0.03, 300, 192))),
        _modern(0.02, 250, batch=256),
    ],
})


def new(set_up: SetUp, text: Text, setting: Setting) -> GPT:
    """A model for this text, where `device` says."""
    torch.manual_seed(SEED)
    return set_up.new(len(text.vocabulary), DIM, HEADS, LAYERS, CONTEXT, dropout=setting.dropout).to(device())


def train(model: GPT, text: Text, set_up: SetUp, setting: Setting) -> Iterator[Step]:
    """Its steps, with products in 16 bits."""
    where = device()

    def loss(generator: torch.Generator) -> Tensor:
        inputs, targets = (part.to(where) for part in text.batch(setting.batch, model.longest, generator))
        return cross_entropy(model(inputs).flatten(0, 1), targets.flatten())

    return fit(model, in_bfloat16(loss, where), setting.steps, setting.rate, SEED, set_up.optimiser, set_up.schedule)


@torch.no_grad()
def held_out(model: GPT, text: Text) -> float:
    """Nats a letter, over all held-out windows."""
    where = device()
    inputs, targets = text.test(model.longest)
    with torch.autocast(where.type, torch.bfloat16):
        losses = [
            cross_entropy(model(some.to(where)).float().flatten(0, 1), then.to(where).flatten()) * len(some)
            for some, then in zip(inputs.split(64), targets.split(64), strict=True)
        ]
    return (torch.stack(losses).sum() / len(inputs)).item()


def run(text: Text, set_up: SetUp, setting: Setting) -> dict:
    """held_out: {step: loss}. training: the loss of the last batch."""
    model = new(set_up, text, setting)
    seen: dict[int, float] = {}
    for step in train(model, text, set_up, setting):
        if step.step % setting.every == 0 or step.last:
            seen[step.step] = round(held_out(model, text), 4)
        if step.step == setting.until:
            break
    return {"setting": setting._asdict(), "held_out": seen, "training": round(step.loss, 3)}


def main(path: str) -> None:
    text = Text.from_file(path)
    found = {
        "device": torch.cuda.get_device_name(),
        "versions": tables.versions(),
        **{name: [run(text, SET_UPS[name], one) for one in SETTINGS[name]] for name in SET_UPS},
    }
    tables.write("large", found)


if __name__ == "__main__":
    main(sys.argv[1])
