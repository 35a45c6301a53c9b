"""Measures what each change since GPT-2 is worth in a small model: `python -m attnlab.trained.train_switches`.

One change at a time to the plain GPT, then all of them; the same text, steps, batches and three seeds. Writes
`switches.json` beside this file. Five minutes of one core.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import log
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu

from attnlab.blocks import EncoderBlock, FeedForward, NormedQueriesKeys, RMSNorm, squared_relu
from attnlab.multihead import MultiHeadAttention
from attnlab.optimisers import adamw, muon
from attnlab.positions import Learned, NoPositions, Positions, Rotary
from attnlab.registry import Table
from attnlab.schedules import cool_down, linear
from attnlab.tasks.text import BytePairs, Text
from attnlab.trained import SEEDS, tables
from attnlab.training import fit
from attnlab.transformer import GPT, Embed, TokenShift, gpt, modern_gpt

DIM, HEADS, LAYERS, CONTEXT, BATCH, STEPS = 128, 4, 2, 64, 16, 200
OTHER_RATES = (2e-3, 8e-3)  # of AdamW, to see that the plain GPT is not held back by its rate


class Moved(NamedTuple):
    """As for `fit`."""

    optimiser: Callable
    rate: float
    schedule: Callable


ADAM = Moved(partial(adamw, betas=(0.9, 0.95)), 4e-3, linear)  # with a warm-up: without it, it is far worse
MUON = Moved(muon, 0.03, partial(cool_down, last=0.8))


@dataclass(frozen=True)
class Parts:
    """What a GPT is put together from. places: for the embeddings; turns: for every attention."""

    places: Callable[[], Positions] = lambda: Learned(DIM, CONTEXT, scale=0.02)
    turns: Callable[[], Positions] = NoPositions
    norm: Callable[[int], nn.Module] = nn.LayerNorm
    activation: Callable[[Tensor], Tensor] = gelu
    first: Callable[[], list[nn.Module]] = list

    def __call__(self, pieces: int) -> GPT:
        """The plain GPT with these parts in place of its own."""
        model = gpt(pieces, DIM, HEADS, LAYERS, CONTEXT)
        embed = Embed(model.embed.tokens, self.places())
        blocks = [
            EncoderBlock(
                MultiHeadAttention(DIM, HEADS, self.turns()), FeedForward(DIM, 4 * DIM, self.activation), self.norm
            )
            for _ in range(LAYERS)
        ]
        for block, plain in zip(blocks, model.blocks, strict=True):
            for part in ("attention", "feed_forward"):
                getattr(block, part).load_state_dict(getattr(plain, part).state_dict())
        return GPT(embed, [*self.first(), *blocks], self.norm(DIM), model.output, CONTEXT)


def modern(pieces: int) -> GPT:
    return modern_gpt(pieces, DIM, HEADS, LAYERS, CONTEXT)


def normed_rotary() -> Positions:
    return NormedQueriesKeys(Rotary(DIM // HEADS, CONTEXT), DIM // HEADS)


# name: (from the number of pieces to a model, what moves it)
SWITCHES = Table({
    "plain GPT": (Parts(), ADAM),
    "squared relu": (Parts(activation=squared_relu), ADAM),
    "RMSNorm": (Parts(norm=RMSNorm), ADAM),
    "rotary positions": (Parts(places=NoPositions, turns=partial(Rotary, DIM // HEADS, CONTEXT)), ADAM),
    "rotary, normed queries and keys": (Parts(places=NoPositions, turns=normed_rotary), ADAM),
    "token shift": (Parts(first=lambda: [TokenShift(DIM)]), ADAM),
    "Muon": (Parts(), MUON),
    "all of them": (modern, MUON),
})


def main() -> None:
    torch.set_num_threads(1)
    text = Text.python_reference(BytePairs)
    runs = {name: [run(text, new, moved_by, seed) for seed in SEEDS] for name, (new, moved_by) in SWITCHES.items()}
    rates = {rate: run(text, Parts(), ADAM._replace(rate=rate), SEEDS[0])["held_out"] for rate in OTHER_RATES}
    settings = (
        f"{LAYERS} layers, width {DIM}, {HEADS} heads, {len(text.vocabulary)} pieces, {STEPS} steps of {BATCH} "
        f"windows of {CONTEXT} pieces; AdamW {ADAM.rate}, Muon {MUON.rate}; seeds {', '.join(map(str, SEEDS))}"
    )
    versions = tables.versions()
    found = {
        "settings": settings,
        "versions": versions,
        "uniform": log(len(text.vocabulary)),
        "runs": runs,
        "plain GPT at other rates": rates,
    }
    tables.write("switches", found)


def run(text: Text, new: Callable[[int], GPT], moved_by: Moved, seed: int) -> dict:
    """losses: training, means of 10 steps. held_out: at the end. Both in nats per piece. seconds: of the processor."""
    torch.manual_seed(seed)
    model = new(len(text.vocabulary))

    def loss(generator: torch.Generator) -> Tensor:
        inputs, targets = text.batch(BATCH, CONTEXT, generator)
        return cross_entropy(model(inputs).flatten(0, 1), targets.flatten())

    begun = time.process_time()
    steps = fit(model, loss, STEPS, moved_by.rate, seed, moved_by.optimiser, moved_by.schedule)
    losses = [step.loss for step in steps]
    seconds = time.process_time() - begun
    means = [round(sum(losses[i : i + 10]) / 10, 3) for i in range(0, STEPS, 10)]
    inputs, targets = text.test(CONTEXT)
    with torch.no_grad():
        held_out = cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).item()
    return {"losses": means, "held_out": round(held_out, 4), "seconds": round(seconds, 1)}


if __name__ == "__main__":
    main()
