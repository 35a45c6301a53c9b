"""Trains a model that chooses where to look, and its controls: `python -m attnlab.trained.train_glimpses`.

Five policies with four glimpses, two of them with two and at a higher rate, and the learned gaze with smaller and
larger glimpses: three seeds each, all else alike. Writes `glimpses_4.safetensors`, `_8` and `_12` (the first seed of
the learned gaze, one for each size) and `glimpses.json` (what all of them come to) beside this file. Twenty minutes of
one core.
"""

import time
from collections.abc import Callable

import torch
from torch import Generator, Tensor

from attnlab.checkpoints import save
from attnlab.optimisers import muon
from attnlab.registry import Table
from attnlab.tasks.cluttered_digits import Canvases
from attnlab.trained import CANVAS, GLIMPSE_SIZES, GLIMPSES, HERE, SEEDS, new_glimpses, tables
from attnlab.training import fit
from attnlab.vision.glimpses import (
    FIXED_PATH,
    Gaze,
    RecurrentAttention,
    accuracy,
    centre_gaze,
    draw,
    drawn_gaze,
    hybrid_loss,
    log_probability_of_right,
    mean_gaze,
    path,
    random_gaze,
)

STEPS, BATCH, RATE, NOISE, EVERY, UNSEEN, SIZE = 1000, 128, 0.02, 0.2, 250, 1000, 8
TWO = [[-0.3, 0.0], [0.3, 0.0]]  # and there most of its middle
FEW = ("learned", "fixed path")  # with two glimpses; and at a higher rate
HIGHER = 0.03


def detached_gaze(location: Callable[[Tensor], Tensor], generator: Generator) -> Gaze:
    """The classic mistake: the mean is detached with what was drawn, so nothing tells it where to look."""
    return lambda state, step: draw(location(state).detach(), NOISE, generator)


def fixed_path(glimpses: int) -> Gaze:
    """The same places in every picture."""
    return path(torch.tensor(FIXED_PATH if glimpses == len(FIXED_PATH) else TWO))


# name: (how it looks while it learns, how it is looked with afterwards); each from a model, a generator and how often
POLICIES = Table({
    "learned": (lambda m, g, n: drawn_gaze(m.location, NOISE, g), lambda m, g, n: mean_gaze(m.location)),
    "random": (lambda m, g, n: random_gaze(g), lambda m, g, n: random_gaze(g)),
    "centre": (lambda m, g, n: centre_gaze, lambda m, g, n: centre_gaze),
    "fixed path": (lambda m, g, n: fixed_path(n), lambda m, g, n: fixed_path(n)),
    "mean detached": (lambda m, g, n: detached_gaze(m.location, g), lambda m, g, n: mean_gaze(m.location)),
})


def main() -> None:
    torch.set_num_threads(1)
    runs = {name: [run(name, seed) for seed in SEEDS] for name in POLICIES}
    few = {name: [run(name, seed, 2) for seed in SEEDS] for name in FEW}
    higher = {name: [run(name, seed, rate=HIGHER) for seed in SEEDS] for name in FEW}
    sizes = {size: [run("learned", seed, size=size) for seed in SEEDS] for size in GLIMPSE_SIZES if size != SIZE}
    for seeds in (runs["learned"], *sizes.values()):
        ship(*seeds[0])
    told = [
        {name: [found for _, found in seeds] for name, seeds in each.items()} for each in (runs, few, higher, sizes)
    ]
    write(*told)


def run(
    name: str, seed: int, glimpses: int = GLIMPSES, size: int = SIZE, rate: float = RATE
) -> tuple[RecurrentAttention, dict]:
    """The model, and what was found: "right": {step: the share of right answers after each glimpse}, of pictures that
    it never saw; "seconds" of the processor."""
    torch.manual_seed(seed)
    model = new_glimpses(size)
    task, held_out = CANVAS, unseen()
    learning, afterwards = POLICIES[name]

    def loss(generator: Generator) -> Tensor:
        canvases = task.batch(BATCH, generator)
        seen = model(canvases.pictures, learning(model, generator, glimpses), glimpses)
        reward = log_probability_of_right(seen.logits[:, -1], canvases.labels)
        return hybrid_loss(seen, canvases.labels, reward, seen.baselines)

    right, begun = {}, time.process_time()
    for step in fit(model, loss, STEPS, rate, seed, muon):
        if step.step % EVERY == 0:
            gaze = afterwards(model, Generator().manual_seed(seed), glimpses)
            right[step.step] = shares(model, gaze, held_out, glimpses)
    return model, {"right": right, "seconds": round(time.process_time() - begun, 1)}


def unseen() -> Canvases:
    return CANVAS.unseen(UNSEEN, Generator().manual_seed(1000))


@torch.no_grad()
def shares(model: RecurrentAttention, gaze: Gaze, held_out: Canvases, glimpses: int = GLIMPSES) -> list[float]:
    seen = model(held_out.pictures, gaze, glimpses)
    return [round(share, 3) for share in accuracy(seen, held_out.labels).tolist()]


def settings() -> str:
    return (
        f"{GLIMPSES} glimpses, noise {NOISE}, {STEPS} steps of {BATCH} canvases, Muon {RATE}, seeds "
        f"{', '.join(map(str, SEEDS))}; measured on {UNSEEN} canvases of digits held out"
    )


def ship(model: RecurrentAttention, found: dict) -> None:
    """In 16 bits a number."""
    model = model.half().eval()
    file = HERE / f"glimpses_{model.size}.safetensors"
    save(model, file, seed=SEEDS[0], settings=settings(), right=found["right"][STEPS])


def write(runs: dict, few: dict, higher: dict, sizes: dict) -> None:
    found: dict = {"settings": settings(), "versions": tables.versions(), "runs": runs, "two glimpses": few}
    found |= {"rate": HIGHER, "at this rate": higher, "sizes": sizes}
    tables.write("glimpses", found)


if __name__ == "__main__":
    main()
