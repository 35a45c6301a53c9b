"""What 80 / 10 / 10 buys: `python -m attnlab.trained.train_mixtures`.

Trains masked encoders as `train_pretraining.py` does, for a shorter time and with other shares of hidden, replaced and
kept words, and asks what they make of hidden words, of words in sight, of replaced words, and of few labels. Writes
`mixtures.json` beside this file. Two minutes of one core.
"""

import torch
from torch import Tensor

from attnlab.masks import everything
from attnlab.registry import Table
from attnlab.tasks.python_topics import SPECIAL
from attnlab.trained import SEEDS, tables
from attnlab.trained.train_pretraining import (
    BATCH,
    RATE,
    WORDS,
    Model,
    from_both_sides,
    masked_loss,
    pretrain,
    share_named,
    tuned,
)

STEPS, EACH, TUNE_RATE, SENTENCES = 200, 8, 0.003, 4
MIXTURES: dict[str, tuple[float, float]] = Table({
    "80 / 10 / 10": (0.8, 0.1),
    "100 / 0 / 0": (1.0, 0.0),
})


def main() -> None:
    torch.set_num_threads(1)
    found = {
        "settings": f"{STEPS} steps of {BATCH} pieces, Muon {RATE}; every {2 * SENTENCES}th test sentence; "
        f"topics: {EACH} labels each, AdamW {TUNE_RATE}; seeds {', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "mixtures": {name: mixture(shares) for name, shares in MIXTURES.items()},
    }
    tables.write("mixtures", found)


def mixture(shares: tuple[float, float]) -> dict:
    """What a mixture makes of a model: one number for each seed.

    hidden: hidden words named. kept: words in sight named. replaced: replaced words named as they were before.
    topics: test sentences right after some labels of each topic.
    """
    found: dict = {"hidden": [], "kept": [], "replaced": [], "topics": []}
    for seed in SEEDS:
        model = pretrain(lambda model, generator: masked_loss(model, generator, *shares), seed, STEPS)
        found["hidden"].append(share_named(model, from_both_sides, SENTENCES)[0])
        found["kept"].append(share_named(model, in_sight, SENTENCES)[0])
        found["replaced"].append(share_named(model, replaced_one_by_one, SENTENCES)[0])
        found["topics"].append(tuned(model, everything, EACH, seed, TUNE_RATE))
    return found


@torch.no_grad()
def in_sight(model: Model, sentence: Tensor) -> Tensor:
    return model(sentence[None])[0]


@torch.no_grad()
def replaced_one_by_one(model: Model, sentence: Tensor) -> Tensor:
    """The logits at each place when any other word stands there."""
    rows = sentence.repeat(len(sentence), 1)
    others = torch.randint(len(SPECIAL), WORDS, (len(sentence),), generator=torch.Generator().manual_seed(0))
    rows[range(len(rows)), range(len(rows))] = others
    return model(rows).diagonal().T


if __name__ == "__main__":
    main()
