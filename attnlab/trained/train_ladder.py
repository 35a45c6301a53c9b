"""Measures the rungs from counts of letters to a GPT: `python -m attnlab.trained.train_ladder`.

The same text, steps and batches; each rung has its own best rate of five, tried with one seed. Writes `ladder.json`
beside this file. Five minutes of one core.
"""

from collections.abc import Callable
from functools import partial
from math import log
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu

from attnlab.blocks import AttentionBlock, EncoderBlock, FeedForward, no_norm
from attnlab.multihead import MultiHeadAttention
from attnlab.optimisers import adamw
from attnlab.positions import Rotary
from attnlab.registry import Table
from attnlab.tasks.text import BytePairs, Characters, Text
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import at_best_rate, fitted
from attnlab.transformer import GPT, Embed, tied

DIM, HEADS, LAYERS, CONTEXT, BATCH, STEPS = 128, 4, 2, 64, 16, 200
RATES = (1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2)

adam = partial(adamw, betas=(0.9, 0.95))


class Rung(NamedTuple):
    """new: from the size of the vocabulary to a model. coding: letters or pieces. context: of how many a window is."""

    new: Callable[[int], nn.Module]
    coding: Callable[[str], Characters | BytePairs]
    context: int = CONTEXT


def one_head(vocabulary: int) -> GPT:
    """A single head looks back, and its context is added to what it looks from: no norm, no feed-forward network."""
    attention = MultiHeadAttention(DIM, 1, Rotary(DIM, CONTEXT))
    return GPT(
        Embed(nn.Embedding(vocabulary, DIM)), [AttentionBlock(attention, no_norm)], None, nn.Linear(DIM, vocabulary), 64
    )


def small_gpt(vocabulary: int, layers: int = LAYERS, longest: int = CONTEXT) -> GPT:
    """GPT-2's plan with rotary positions: the one that lesson 11 writes out. Matrices begin at 0.02, biases at 0."""
    table = nn.Embedding(vocabulary, DIM)
    blocks = [
        EncoderBlock(
            MultiHeadAttention(DIM, HEADS, Rotary(DIM // HEADS, longest)), FeedForward(DIM, 4 * DIM, gelu), nn.LayerNorm
        )
        for _ in range(layers)
    ]
    model = GPT(Embed(table), blocks, nn.LayerNorm(DIM), tied(table), longest)
    for name, numbers in model.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(numbers)
        elif numbers.ndim == 2:
            nn.init.normal_(numbers, std=0.02)
    return model


RUNGS: dict[str, Rung] = Table({
    "one head, letters": Rung(one_head, Characters),
    "one block, letters": Rung(partial(small_gpt, layers=1), Characters),
    "one block, pieces": Rung(partial(small_gpt, layers=1), BytePairs),
    "the whole GPT": Rung(small_gpt, BytePairs),
})

# Windows of as many letters as 64 pieces have, to see what of the gain of pieces is due to that.
LETTERS = 133
CONTROL = Rung(partial(small_gpt, layers=1, longest=LETTERS), Characters, LETTERS)


def main() -> None:
    torch.set_num_threads(1)
    letters = Text.python_reference()
    found = {
        "settings": f"{STEPS} steps of {BATCH} windows of {CONTEXT} letters or pieces, width {DIM}, AdamW; seeds "
        f"{', '.join(map(str, SEEDS))}; rates {', '.join(map(str, RATES))}, the best of seed {SEEDS[0]}",
        "versions": tables.versions(),
        "guessing evenly": round(log(len(letters.vocabulary)), 3),
        "counts of pairs": round(counted(letters), 3),
        "rungs": {name: of_all_seeds(rung) for name, rung in RUNGS.items()},
        "one block, letters, longer windows": of_all_seeds(CONTROL),
    }
    tables.write("ladder", found)


def counted(text: Text) -> float:
    """The loss of counting which letter follows which, each pair once more than it was seen, in nats a letter."""
    size = len(text.vocabulary)
    counts = torch.ones(size, size)
    counts.index_put_((text.training[:-1], text.training[1:]), torch.ones(len(text.training) - 1), accumulate=True)
    chances = counts / counts.sum(1, keepdim=True)
    return -chances[text.held_out[:-1], text.held_out[1:]].log().mean().item()


def of_all_seeds(rung: Rung) -> dict:
    """rates: {rate: what the first seed reached}. rate: the best. held_out: of all seeds, in nats a letter."""
    text = Text.python_reference(rung.coding)
    tried, best, held_out = at_best_rate(partial(run, text, rung), RATES, SEEDS, float)
    return {"rates": tried, "rate": best, "held_out": held_out}


def run(text: Text, rung: Rung, rate: float, seed: int) -> float:
    torch.manual_seed(seed)
    model = rung.new(len(text.vocabulary))

    def loss(generator: torch.Generator) -> Tensor:
        inputs, targets = text.batch(BATCH, rung.context, generator)
        return cross_entropy(model(inputs).flatten(0, 1), targets.flatten())

    fitted(model, loss, STEPS, rate, seed, adam)
    inputs, targets = text.test(rung.context)
    with torch.no_grad():
        per_token = cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).item()
    return round(per_token / text.letters_per_token, 4)


if __name__ == "__main__":
    main()
