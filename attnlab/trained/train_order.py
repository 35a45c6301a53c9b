"""What a block learns about letters with and without positions, three seeds: `python -m attnlab.trained.train_order`.

Equal steps, rate, optimiser and letters; only the positions differ. Writes `order.json` beside this file. A minute of
one core.
"""

import torch
from torch import Generator, nn

from attnlab.registry import Table
from attnlab.tasks.letter_order import best_without_order, letters, loss_at_letters, readers, right_at_letters
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import fitted

STEPS, RATE, BATCH = 400, 1e-2, 64
POSITIONS_OF: dict[str, str] = Table({"without positions": "none", "with positions": "sinusoidal"})


def main() -> None:
    torch.set_num_threads(1)
    test = letters(1000, Generator().manual_seed(99))
    found = {
        "settings": f"{STEPS} steps of {BATCH} strings, AdamW at {RATE}; 1000 strings held out; seeds "
        f"{', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "best without order": round(best_without_order(test), 4),
        "runs": {
            name: [
                {question: round(share, 4) for question, share in right_at_letters(trained(name, seed), test).items()}
                for seed in SEEDS
            ]
            for name in POSITIONS_OF
        },
    }
    tables.write("order", found)


def trained(name: str, seed: int, steps: int = STEPS) -> nn.ModuleDict:
    """One reader for each question, with or without positions."""
    pair = readers(POSITIONS_OF[name], seed)
    return fitted(pair, lambda generator: loss_at_letters(pair, letters(BATCH, generator)), steps, RATE, seed)


if __name__ == "__main__":
    main()
