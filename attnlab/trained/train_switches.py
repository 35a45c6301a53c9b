"""Measures what each change since GPT-2 is worth in a small model: `python -m attnlab.trained.train_switches`.

Each change twice: put into the plain GPT alone, and taken out of the modern one, which has them all. Each of these
models has its own best rate, tried with one seed. And the modern one with the plain one's schedule, moved by either
optimiser. Writes `switches.json` beside this file. Twelve minutes of one core.
"""

from collections.abc import Callable, Iterator
from functools import partial
from math import log
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu

from attnlab.blocks import NormedQueriesKeys, UnitRMS, into_stream, squared_relu, start_at_zero
from attnlab.optimisers import adamw, muon
from attnlab.positions import Learned, NoPositions, Positions, Rotary
from attnlab.registry import Table
from attnlab.schedules import cool_down, linear
from attnlab.tasks.text import BytePairs, Text
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import at_best_rate
from attnlab.training import Step, fit
from attnlab.transformer import GPT, SoftCap, TokenShift, gpt, modern_gpt, tied

DIM, HEADS, LAYERS, CONTEXT, BATCH, STEPS = 64, 2, 2, 64, 8, 200


class Moved(NamedTuple):
    """As for `fit`; the rates are those that are tried."""

    optimiser: Callable
    rates: tuple[float, ...]
    schedule: Callable


ADAM = Moved(partial(adamw, betas=(0.9, 0.95)), (1e-3, 2e-3, 4e-3, 8e-3, 16e-3, 32e-3), linear)
MUON = Moved(muon, (0.015, 0.03, 0.06, 0.12), partial(cool_down, last=0.8))
ADAM_AT_ONCE, MUON_WARMED_UP = ADAM._replace(schedule=MUON.schedule), MUON._replace(schedule=ADAM.schedule)


class Switch(NamedTuple):
    """put_in: changes the plain GPT. take_out: changes the modern one. Both before their first step, in place."""

    put_in: Callable[[GPT], None]
    take_out: Callable[[GPT], None]


def plain(pieces: int) -> GPT:
    return gpt(pieces, DIM, HEADS, LAYERS, CONTEXT)


def modern(pieces: int) -> GPT:
    return modern_gpt(pieces, DIM, HEADS, LAYERS, CONTEXT)


def blocks_of(model: GPT) -> list[Any]:
    return [block for block in model.blocks if not isinstance(block, TokenShift)]


def turn(model: GPT, places: Positions, turns: Positions) -> None:
    """places: for the embeddings. turns: for every attention."""
    model.embed.positions = places
    for block in blocks_of(model):
        block.attention.positions = turns


def norm(model: GPT, new: Callable[[int], nn.Module]) -> None:
    """Of every block and behind the last."""
    model.norm = new(DIM)
    for block in blocks_of(model):
        block.attention_norm, block.feed_forward_norm = new(DIM), new(DIM)


def activate(model: GPT, activation: Callable[[Tensor], Tensor]) -> None:
    for block in blocks_of(model):
        block.feed_forward.activation = activation


def start_as_torch_does(model: GPT) -> None:
    for last in into_stream(blocks_of(model)):
        last.reset_parameters()


def own_output(model: GPT) -> None:
    model.output = nn.Linear(DIM, model.embed.tokens.num_embeddings, bias=False)
    nn.init.zeros_(model.output.weight)


def tie(model: GPT) -> None:
    nn.init.normal_(model.embed.tokens.weight, std=0.02)
    model.output = nn.Sequential(tied(model.embed.tokens), SoftCap(15))


def uncapped(model: GPT) -> nn.Module:
    return next(model.output.children())


def rotary() -> Positions:
    return Rotary(DIM // HEADS, CONTEXT)


def normed(positions: Positions) -> Positions:
    return NormedQueriesKeys(positions, DIM // HEADS)


def nothing(model: GPT) -> None:
    """What moves the model is another matter."""


SWITCHES: dict[str, Switch] = Table({
    "Muon": Switch(nothing, nothing),
    "rotary positions": Switch(
        lambda model: turn(model, NoPositions(), rotary()),
        lambda model: turn(model, Learned(DIM, CONTEXT), normed(NoPositions())),
    ),
    "normed queries and keys": Switch(
        lambda model: turn(model, model.embed.positions, normed(NoPositions())),
        lambda model: turn(model, NoPositions(), rotary()),
    ),
    "norms without mean and gain": Switch(lambda model: norm(model, UnitRMS), lambda model: norm(model, nn.LayerNorm)),
    "normed embeddings": Switch(
        lambda model: setattr(model.embed, "norm", UnitRMS(DIM)),
        lambda model: setattr(model.embed, "norm", nn.Identity()),
    ),
    "squared relu": Switch(lambda model: activate(model, squared_relu), lambda model: activate(model, gelu)),
    "token shift": Switch(
        lambda model: model.blocks.insert(0, TokenShift(DIM)),
        lambda model: setattr(model, "blocks", model.blocks[1:]),
    ),
    "maps into the stream start at 0": Switch(lambda model: start_at_zero(blocks_of(model)), start_as_torch_does),
    "an output map of its own": Switch(own_output, tie),
    "logit cap": Switch(
        lambda model: setattr(model, "output", nn.Sequential(model.output, SoftCap(15))),
        lambda model: setattr(model, "output", uncapped(model)),
    ),
})


class Setting(NamedTuple):
    """new: from the number of pieces to a model."""

    new: Callable[[int], GPT]
    moved_by: Moved


def changed(new: Callable[[int], GPT], change: Callable[[GPT], None], moved_by: Moved) -> Setting:
    def make(pieces: int) -> GPT:
        model = new(pieces)
        change(model)
        return model

    return Setting(make, moved_by)


def alone(name: str) -> Setting:
    """The plain GPT with one change; the schedule stays that of the plain one."""
    return changed(plain, SWITCHES[name].put_in, MUON_WARMED_UP if name == "Muon" else ADAM)


def all_but(name: str) -> Setting:
    """The modern GPT without one change; the schedule stays that of the modern one."""
    return changed(modern, SWITCHES[name].take_out, ADAM_AT_ONCE if name == "Muon" else MUON)


def main() -> None:
    torch.set_num_threads(1)
    text = Text.python_reference(BytePairs)
    found = {
        "settings": (
            f"{LAYERS} layers, width {DIM}, {HEADS} heads, {len(text.vocabulary)} pieces, {STEPS} steps of {BATCH} "
            f"windows of {CONTEXT} pieces; seeds {', '.join(map(str, SEEDS))}; rates of AdamW "
            f"{', '.join(map(str, ADAM.rates))}, of Muon {', '.join(map(str, MUON.rates))}: the best of seed {SEEDS[0]}"
        ),
        "versions": tables.versions(),
        "uniform": log(len(text.vocabulary)),
        "none": of_all_seeds(text, Setting(plain, ADAM)),
        "all": of_all_seeds(text, Setting(modern, MUON)),
        "alone": {name: of_all_seeds(text, alone(name)) for name in SWITCHES},
        "all but": {name: of_all_seeds(text, all_but(name)) for name in SWITCHES},
        "warmed up": {
            "AdamW": of_all_seeds(text, Setting(modern, ADAM)),
            "Muon": of_all_seeds(text, Setting(modern, MUON_WARMED_UP)),
        },
    }
    tables.write("switches", found)


def of_all_seeds(text: Text, setting: Setting) -> dict:
    """rates: {rate: what the first seed reached with it}. rate: the best. held_out: of all seeds with it."""
    tried, best, held_out = at_best_rate(partial(run, text, setting), setting.moved_by.rates, SEEDS, float)
    return {"rates": tried, "rate": best, "held_out": held_out}


def worth(found: dict) -> dict[str, dict[str, list[float]]]:
    """What each change gains, in nats a piece: {"put in" or "taken out": {its name: of each seed, above 0 where it
    helps}}. Against the mean of all seeds without any of them, and with all. found: the table of this script."""
    none, every = (sum(found[end]["held_out"]) / len(SEEDS) for end in ("none", "all"))
    return {
        "put in": {name: [none - loss for loss in one["held_out"]] for name, one in found["alone"].items()},
        "taken out": {name: [loss - every for loss in one["held_out"]] for name, one in found["all but"].items()},
    }


def run(text: Text, setting: Setting, rate: float, seed: int) -> float:
    """The held-out loss after training, in nats a piece."""
    torch.manual_seed(seed)
    model = setting.new(len(text.vocabulary))
    for _ in train(model, text, setting.moved_by, rate, seed):
        pass
    return round(held_out(model, text), 4)


def train(model: GPT, text: Text, moved_by: Moved, rate: float, seed: int) -> Iterator[Step]:
    def loss(generator: torch.Generator) -> Tensor:
        inputs, targets = text.batch(BATCH, CONTEXT, generator)
        return cross_entropy(model(inputs).flatten(0, 1), targets.flatten())

    return fit(model, loss, STEPS, rate, seed, moved_by.optimiser, moved_by.schedule)


@torch.no_grad()
def held_out(model: GPT, text: Text) -> float:
    """In nats a piece."""
    inputs, targets = text.test(CONTEXT)
    return cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).item()


if __name__ == "__main__":
    main()
