"""What a forgotten mask does, three seeds: `python -m attnlab.trained.train_leak`.

Equal starts, steps, rate, optimiser and text; only the mask differs. Writes `leak.json` beside this file. Two minutes
of one core.
"""

import math
from functools import partial

import torch
from torch import Generator

from attnlab.analysis.words.known_words import known_share, words_in
from attnlab.tasks.next_letter import (
    LEAKY_AND_HONEST,
    LONGEST,
    LetterModel,
    loss_of_next,
    told_everything,
    told_the_past,
    two_models,
)
from attnlab.tasks.text import Text
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import fitted

STEPS, RATE, SAMPLES, LETTERS = 400, 1e-2, 16, 200


def main() -> None:
    torch.set_num_threads(1)
    task = Text.python_reference()
    runs: dict[str, list[dict]] = {name: [] for name in LEAKY_AND_HONEST}
    for seed in SEEDS:
        for name, model in trained(task, seed).items():
            runs[name].append(judge(model, task))
    found = {
        "settings": f"{STEPS} steps of 32 windows of {LONGEST} letters, AdamW at {RATE}; 128 windows held out; seeds "
        f"{', '.join(map(str, SEEDS))}; {SAMPLES} samples of {LETTERS} letters at temperature 0.8",
        "versions": tables.versions(),
        "guessing evenly": round(math.log(len(task.vocabulary)), 3),
        "runs": runs,
    }
    tables.write("leak", found)


def trained(task: Text, seed: int, steps: int = STEPS) -> dict[str, LetterModel]:
    """A model without a mask and one with the causal mask."""
    models = two_models(task, seed)
    for model in models.values():
        fitted(model, partial(loss_of_next, model, task), steps, RATE, seed)
    return models


def judge(model: LetterModel, task: Text) -> dict[str, float]:
    """everything, past: the mean loss on held-out text when told all of a window, and only the past of each place.
    words: the share of letters that it writes in words of three letters or more that the text has."""
    windows = task.test(LONGEST, 128)
    return {
        "everything": round(float(told_everything(model, *windows).mean()), 4),
        "past": round(float(told_the_past(model, *windows).mean()), 4),
        "words": round(share_in_words(samples(model, task), task), 4),
    }


@torch.no_grad()
def samples(model: LetterModel, task: Text) -> list[str]:
    """What it writes after "The "."""
    generator = Generator().manual_seed(0)
    written = task.encode("The ").repeat(SAMPLES, 1)
    for _ in range(LETTERS):
        chances = (model(written[:, -LONGEST:])[:, -1] / 0.8).softmax(dim=-1)
        written = torch.cat([written, torch.multinomial(chances, 1, generator=generator)], dim=1)
    return [task.decode(row) for row in written[:, 4:]]


def share_in_words(texts: list[str], task: Text) -> float:
    known = words_in(task.decode(task.training))
    return sum(known_share(text, known) for text in texts) / len(texts)


if __name__ == "__main__":
    main()
