"""Convolution against ViT on few pictures and on many: `python -m attnlab.trained.train_race`.

Equal parameters, steps, batches and optimiser; no shifts. The rate is chosen for each model and each number of
pictures among the same six, by one training with a seed of its own. Writes `race.json` beside this file. Three
minutes of one core.
"""

import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.costs import parameters_of
from attnlab.optimisers import muon
from attnlab.registry import Table
from attnlab.schedules import cool_down
from attnlab.tasks.digits import draw, split
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import share_right
from attnlab.training import fit
from attnlab.vision.small_cnn import SmallCNN
from attnlab.vision.vit import vit

PICTURES, STEPS, BATCH, OTHER_SEED = (50, 200, 1000, 4000), 300, 32, 100
RATES = (0.00125, 0.0025, 0.005, 0.01, 0.02, 0.04)

MODELS: dict[str, Callable[[], nn.Module]] = Table({
    "convolution": lambda: SmallCNN(28, 18, 30),
    "ViT": lambda: vit(28, size=7, dim=32, heads=4, layers=2),
})


def main() -> None:
    torch.set_num_threads(1)
    rates = {name: {n: {rate: run(name, n, rate, OTHER_SEED) for rate in RATES} for n in PICTURES} for name in MODELS}
    best = {name: {n: max(RATES, key=lambda r: rates[name][n][r]["accuracy"]) for n in PICTURES} for name in MODELS}
    runs = {name: {n: [run(name, n, best[name][n], seed) for seed in SEEDS] for n in PICTURES} for name in MODELS}
    found = {
        "settings": f"{STEPS} steps of {BATCH} digits, Muon, no shifts; seeds {', '.join(map(str, SEEDS))}; rates "
        f"{', '.join(map(str, RATES))}, the best of seed {OTHER_SEED}",
        "versions": tables.versions(),
        "parameters": {name: parameters_of(new()) for name, new in MODELS.items()},
        "rates": best,
        "accuracy at other rates": {
            name: {n: {rate: one["accuracy"] for rate, one in row.items()} for n, row in rates[name].items()}
            for name in MODELS
        },
        "runs": runs,
    }
    tables.write("race", found)


def run(name: str, pictures: int, rate: float, seed: int) -> dict:
    """accuracy: on the 1,000 held-out digits. loss: the mean of the last 10 steps. seconds: of the processor."""
    training, held_out = split()
    images, labels = (part[:pictures] for part in training)
    torch.manual_seed(seed)
    model = MODELS[name]()

    def loss(generator: torch.Generator) -> Tensor:
        batch = draw(images, labels, BATCH, generator)
        return cross_entropy(model(batch.images.unsqueeze(1)), batch.labels)

    begun = time.process_time()
    last = [step.loss for step in fit(model, loss, STEPS, rate, seed, muon, cool_down)][-10:]
    seconds = time.process_time() - begun
    with torch.no_grad():
        said = model(held_out.images.unsqueeze(1)).argmax(-1)
    return {
        "accuracy": share_right(said, held_out.labels),
        "loss": round(sum(last) / len(last), 4),
        "seconds": round(seconds, 2),
    }


if __name__ == "__main__":
    main()
