"""Norm before or after, at once or slowly, how deep: which of them train. `python -m attnlab.trained.train_depths`.

Stacks of blocks learn to spell backwards, three seeds each; equal starts and strings, Adam without clipping. Writes
`depths.json` beside this file. Ten minutes of one core.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Generator, nn

from attnlab.analysis import block_gradients
from attnlab.blocks import NORMS, LayerNorm, Norm, Residual, post_norm, pre_norm
from attnlab.optimisers import adamw
from attnlab.registry import Table
from attnlab.schedules import Schedule, constant
from attnlab.tasks.spelling_backwards import (
    Reverser,
    alike_after_blocks,
    backwards_loss,
    learned,
    strings,
    until_learned,
)
from attnlab.trained import SEEDS, tables
from attnlab.training import fit

MOST, RISE, LOOKS = 200, 40, (0, 1, 2, 3, 5, 10, 20, 40)
DEPTHS, DEEP, HALF = (3, 6, 9, 12), 12, 6
AROUND: dict[str, Residual] = Table({"pre-norm": pre_norm, "post-norm": post_norm})
Optimiser = Callable[[nn.Module, float], torch.optim.Optimizer]
adam = partial(adamw, betas=(0.9, 0.98), decay=0.0, clip=None)


def rising(step: int, steps: int) -> float:
    """The share of the rate: a straight line up to 1 in the first steps, and then 1."""
    return min(1.0, step / RISE)


RATES: dict[str, tuple[float, Schedule]] = Table({
    "0.01 at once": (1e-2, constant),
    "0.01 after a rise": (1e-2, rising),
    "0.005 at once": (5e-3, constant),
    "0.002 at once": (2e-3, constant),
})
AT_ALL_DEPTHS = list(RATES)[:2]


def main() -> None:
    torch.set_num_threads(1)
    found: dict[str, dict] = {
        "runs": {
            around: {
                rate: {
                    str(depth): three(partial(one_run, AROUND[around], rate, depth), around, rate, depth)
                    for depth in (DEPTHS if rate in AT_ALL_DEPTHS else [DEEP])
                }
                for rate in RATES
            }
            for around in AROUND
        },
        "a second try": {"post-norm": three(second_try, "a second try")},
        "clipped": {"post-norm": three(clipped, "clipped")},
        "norms": {
            name: three(partial(one_run, pre_norm, "0.01 at once", HALF, norm=norm), name)
            for name, norm in NORMS.items()
            if name != "unit_rms"
        },
    }
    tables.write(
        "depths",
        {
            "settings": f"steps until the mean of ten losses is below 0.1 nats, {MOST} at most; 32 strings of ten of "
            f"sixteen letters a step, vectors of 32, four heads, Adam with betas 0.9 and 0.98; the rise takes {RISE} "
            f"steps; seeds {', '.join(map(str, SEEDS))}; norms with {HALF} blocks and pre-norm",
            "versions": tables.versions(),
            **found,
        },
    )


def one_run(residual: Residual, rate: str, depth: int, seed: int, most: int = MOST, norm: Norm = LayerNorm) -> dict:
    """See `train`, without the model."""
    return train(fresh(residual, depth, seed, norm), *RATES[rate], seed, most)


def fresh(residual: Residual, depth: int, seed: int, norm: Norm = LayerNorm) -> Reverser:
    torch.manual_seed(seed)
    return Reverser(depth, residual, norm).eval()


def train(
    model: Reverser, rate: float, schedule: Schedule, seed: int, most: int = MOST, optimiser: Optimiser = adam
) -> dict:
    """learned: whether it has. losses: of each of its `steps`. alike: the mean cosine of letters after the last block,
    before the first step and after some."""
    test = strings(20, Generator().manual_seed(99))
    alike, losses = {"0": alike_after_blocks(model, test)}, []
    for step in until_learned(fit(model, partial(backwards_loss, model), most, rate, seed, optimiser, schedule)):
        losses.append(step.loss)
        if step.step in LOOKS:
            alike[str(step.step)] = alike_after_blocks(model, test)
    alike["end"] = alike_after_blocks(model, test)
    return {
        "learned": learned(losses),
        "steps": len(losses),
        "losses": [round(loss, 2) for loss in losses],
        "alike": {step: round(cosine, 4) for step, cosine in alike.items()},
    }


def second_try(seed: int, most: int = MOST) -> dict:
    """Post-norm that has collapsed at the high rate, trained on at a low one at which a fresh model learns.

    gradients: of the first block before the first step, and after the collapse.
    """
    model = fresh(post_norm, DEEP, seed)
    example = strings(32, Generator().manual_seed(7))
    before = float(block_gradients(model, *example)[0])
    train(model, *RATES["0.01 at once"], seed, most)
    after = float(block_gradients(model, *example)[0])
    return {"gradients": [before, after], **train(model, *RATES["0.002 at once"], seed + 10, most)}


def clipped(seed: int, most: int = MOST) -> dict:
    """Post-norm at the high rate at once, with all gradients together scaled down to a norm of 1. See `train`."""
    model = fresh(post_norm, DEEP, seed)
    return train(model, *RATES["0.01 at once"], seed, most, partial(adam, clip=1.0))


def three(run: Callable[[int], dict], *of: object) -> list[dict]:
    """One for each seed, told on the way; only the first keeps its losses, to be drawn."""
    found = []
    for seed in SEEDS:
        found.append(run(seed))
        print(*of, seed, found[-1]["learned"], found[-1]["steps"], found[-1]["alike"], flush=True)
    return [found[0], *({name: one[name] for name in one if name != "losses"} for one in found[1:])]


if __name__ == "__main__":
    main()
