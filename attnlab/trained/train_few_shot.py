"""Trains the models that answer after examples: `python -m attnlab.trained.train_few_shot`.

Writes `letters.safetensors`, `votes.safetensors` and `few_shot.log` beside this file. A minute of one core.
"""

import platform
from collections.abc import Callable
from typing import TextIO

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.checkpoints import save
from attnlab.optimisers import muon
from attnlab.schedules import cool_down
from attnlab.tasks.few_shot import LetterMapping, Shots, Votes, accuracy
from attnlab.trained import HERE, SEEDS, new_letters, new_votes
from attnlab.trained.runs import fitted
from attnlab.transformer import GPT

STEPS, BATCH, RATE = 400, 64, 0.01


def main() -> None:
    torch.set_num_threads(1)
    with (HERE / "few_shot.log").open("w", buffering=1) as log:
        settings = f"seeds {', '.join(map(str, SEEDS))}, {STEPS} steps of {BATCH} sequences, Muon {RATE}"
        print(f"Python {platform.python_version()}, torch {torch.__version__}, one thread; {settings}", file=log)
        print("right answers to fresh sequences after 0, 1, 2, ... examples", file=log)
        train("letters", new_letters, LetterMapping().batch, LetterMapping().batch, settings, log)
        train("votes", new_votes, Votes().batch, Votes().unseen, settings, log)


def train(name: str, new: Callable[[], GPT], batch: Callable, fresh: Callable, settings: str, log: TextIO) -> None:
    models, found = [], []
    for seed in SEEDS:
        torch.manual_seed(seed)
        model = new()
        fitted(model, answer_loss(model, batch), STEPS, RATE, seed, muon, cool_down)
        models.append(model.half())
        shipped = new().eval()  # what is measured is what is shipped: 16 bits a number
        shipped.load_state_dict(model.state_dict())
        found.append(right(shipped, fresh(2000, torch.Generator().manual_seed(1000 + seed))))
        print(f"{name}, seed {seed}: {' '.join(f'{share:.3f}' for share in found[-1])}", file=log)
    save(nn.ModuleList(models).eval(), HERE / f"{name}.safetensors", seeds=list(SEEDS), settings=settings, right=found)


def answer_loss(model: GPT, batch: Callable) -> Callable[[torch.Generator], Tensor]:
    """The loss on the answers alone: nobody can foresee a question."""

    def loss(generator: torch.Generator) -> Tensor:
        shots = batch(BATCH, generator)
        return cross_entropy(model(shots.inputs)[:, ::2].flatten(0, 1), shots.answers.flatten())

    return loss


@torch.no_grad()
def right(model: GPT, shots: Shots) -> list[float]:
    """The share of right answers after 0, 1, 2, ... examples."""
    return [round(share, 4) for share in accuracy(model(shots.inputs), shots).tolist()]


if __name__ == "__main__":
    main()
