"""How many heads name the last four letters, three seeds: `python -m attnlab.trained.train_heads`.

Equal starts, steps, rate, optimiser and letters; the width of 64 is cut into 1, 2, 4, 8 or 16 heads. One wide head is
also given other rates, twice the width, and ten times the steps. Writes `heads.json` beside this file. Two minutes of
one core.
"""

from functools import partial

import torch
from torch import Generator

from attnlab.registry import Table
from attnlab.tasks.last_letters import LetterNamer, habits, loss_of_names, lost_without, right_names, strings
from attnlab.tasks.tagging import Tagged
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import fitted

STEPS, RATE, HEADS, DIM = 150, 5e-3, (1, 2, 4, 8, 16), 64
HELP = Table({
    "a smaller rate": {"rate": 2e-3},
    "a larger rate": {"rate": 1e-2},
    "twice the width": {"dim": 128},
    "ten times the steps": {"steps": 1500},
})
"""What one wide head is given to catch up."""


def main() -> None:
    torch.set_num_threads(1)
    test = held_out()
    models = {heads: [trained(heads, seed) for seed in SEEDS] for heads in HEADS}
    found = {
        "settings": f"{STEPS} steps of 64 strings, AdamW at {RATE}; 500 strings held out; seeds "
        f"{', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "right": {str(heads): [right(model, test) for model in runs] for heads, runs in models.items()},
        "one head with": {
            name: [right(trained(1, seed, **given), test) for seed in SEEDS] for name, given in HELP.items()
        },
        "owners": [owners(model, test) for model in models[4]],
        "two heads": [shares_of(model, test) for model in models[2]],
    }
    tables.write("heads", found)


def held_out() -> Tagged:
    return strings(500, Generator().manual_seed(99))


def trained(heads: int, seed: int, rate: float = RATE, dim: int = DIM, steps: int = STEPS) -> LetterNamer:
    model = LetterNamer(heads, seed, dim)
    return fitted(model, partial(loss_of_names, model), steps, rate, seed)


def right(model: LetterNamer, test: Tagged) -> float:
    """The share of right letters, of all four."""
    return round(float(right_names(model, test).mean()), 4)


def owners(model: LetterNamer, test: Tagged) -> list[dict]:
    """Of each head: its name, the share of its weight there, and the answers that fall when it is switched off."""
    return [
        {"name": head.name, "share": round(max(head.shares.values()), 3), "lost": lost_without(model, number, test)}
        for number, head in enumerate(habits(model, test))
    ]


def shares_of(model: LetterNamer, test: Tagged) -> list[dict[str, float]]:
    """Of each head: the shares of its weight on the four letters before."""
    return [
        {name: round(share, 3) for name, share in head.shares.items() if name[0] in "1234"}
        for head in habits(model, test)
    ]


if __name__ == "__main__":
    main()
