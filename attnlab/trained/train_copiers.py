"""Measures whether models of one layer foresee what a text repeats: `python -m attnlab.trained.train_copiers`.

As in lesson 11b: two heads a layer and nothing else. Models of one layer have their own best rate of three, tried with
one seed, and five times the steps as well. Writes `copiers.json` beside this file. One minute of one core.
"""

from functools import partial

import torch
from torch import Generator

from attnlab.optimisers import adamw
from attnlab.registry import Table
from attnlab.tasks.copier import copier, foreseen, loss_of_copy
from attnlab.tasks.induction import Repeated, after_copy, share
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import at_best_rate, fitted
from attnlab.training import weights_of

TASK, RATES = Repeated(symbols=26), (3e-3, 6e-3, 1.2e-2)

MODELS: dict[str, tuple[int, int]] = Table({
    "two layers, 200 steps": (2, 200),
    "one layer, 200 steps": (1, 200),
    "one layer, 1000 steps": (1, 1000),
})
"""Layers, and steps of the training."""


def main() -> None:
    torch.set_num_threads(1)
    found = {
        "settings": f"batches of 32 texts of {TASK.length} letters, AdamW; seeds {', '.join(map(str, SEEDS))}; rates "
        f"{', '.join(map(str, RATES))}, the best of seed {SEEDS[0]}; 64 unseen texts",
        "versions": tables.versions(),
        "models": {name: of_all_seeds(*sizes) for name, sizes in MODELS.items()},
    }
    tables.write("copiers", found)


def of_all_seeds(layers: int, steps: int) -> dict:
    """rates: {rate: share of right answers of the first seed}. rate: the best. right, score: of all seeds."""
    tried, best, runs = at_best_rate(partial(run, layers, steps), RATES, SEEDS, lambda found: -found["right"])
    return {
        "rates": {rate: found["right"] for rate, found in tried.items()},
        "rate": best,
        "right": [found["right"] for found in runs],
        "score": [found["score"] for found in runs],
    }


def run(layers: int, steps: int, rate: float, seed: int) -> dict[str, float]:
    """right: the share of right answers in the second round. score: the weight that the best head of the last layer
    puts behind the earlier copies."""
    model = copier(TASK, layers, seed)
    fitted(model, partial(loss_of_copy, model, TASK), steps, rate, seed, partial(adamw, betas=(0.9, 0.98)))
    test = TASK.batch(64, Generator().manual_seed(99))
    weights = weights_of(model, f"blocks.{layers - 1}.attention", test.inputs)
    scores = share(weights, after_copy(test.period, TASK.length - 1))
    return {"right": round(foreseen(model, test).right, 4), "score": round(scores.max().item(), 4)}


if __name__ == "__main__":
    main()
