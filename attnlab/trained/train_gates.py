"""What gates are worth where the first of many digits has to be remembered: `python -m attnlab.trained.train_gates`.

Six starts, two lengths, two rates, three seeds. Writes `gates.json` beside this file. Two minutes of one core.
"""

from typing import Any

import torch
from torch import Generator

from attnlab.analysis.learning.gradients import gradient_through_time
from attnlab.tasks.first_digit import HIDDEN, KINDS, loss_of_first, reader, right_first, strings
from attnlab.trained import tables
from attnlab.trained.runs import fitted

INPUTS, RATES, SEEDS, STEPS = (10, 20), (3e-3, 1e-2), (0, 1, 2), 400


def main() -> None:
    torch.set_num_threads(1)
    found: dict[str, Any] = {
        "settings": f"{STEPS} steps on 64 fresh strings each, the library's AdamW, rates {RATES[0]} and {RATES[1]} "
        f"falling to 3 % of that, {HIDDEN} numbers in a state, seeds 0 to {SEEDS[-1]}; shares of 500 fresh strings",
        "versions": tables.versions(),
        "right": {},
        "at the start": {},
    }
    for inputs in map(str, INPUTS):
        found["right"][inputs], found["at the start"][inputs] = {}, {}
        for kind in KINDS:
            found["at the start"][inputs][kind] = [gradient_at_first(kind, int(inputs), seed) for seed in SEEDS]
            found["right"][inputs][kind] = {
                str(rate): [right(kind, int(inputs), rate, seed) for seed in SEEDS] for rate in RATES
            }
    tables.write("gates", found)


def right(kind: str, inputs: int, rate: float, seed: int) -> float:
    """The share of strings whose first digit is named at the end of a training."""
    model = reader(kind, seed)
    fitted(model, lambda g: loss_of_first(model, strings(64, inputs, g)), STEPS, rate, seed)
    return round(right_first(model, strings(500, inputs, Generator().manual_seed(99))), 4)


def gradient_at_first(kind: str, inputs: int, seed: int) -> float:
    """What the first input gets of the last one's gradient, before the first step."""
    model, chance = reader(kind, seed), Generator().manual_seed(99)
    norms = gradient_through_time(
        model.encoder, strings(64, inputs, chance).source, torch.randn(HIDDEN, generator=chance)
    )
    return float(f"{norms[-1].item():.3g}")


if __name__ == "__main__":
    main()
