"""Trains the model that finds what came next before: `python -m attnlab.trained.train_induction`.

Writes `induction.safetensors` and `induction.log` beside this file. Half a minute of one core.
"""

import platform

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attnlab.checkpoints import save
from attnlab.optimisers import muon
from attnlab.schedules import cool_down
from attnlab.tasks.induction import Repeats, after_copy, previous, share
from attnlab.trace import record
from attnlab.trained import HERE, REPEATED, new_induction
from attnlab.training import fit
from attnlab.transformer import GPT

STEPS, BATCH, RATE, SEED, EVERY = 1500, 64, 0.01, 0, 250


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    model = new_induction()
    held_out = REPEATED.batch(1000, torch.Generator().manual_seed(1000 + SEED))
    settings = f"seed {SEED}, {STEPS} steps of {BATCH} sequences, Muon {RATE}; {REPEATED.length - 1} letters a sequence"
    with (HERE / "induction.log").open("w", buffering=1) as log:
        print(f"Python {platform.python_version()}, torch {torch.__version__}, one thread; {settings}", file=log)
        print(
            "on 1,000 fresh sequences: what is right of what can be known; the weight of each layer's heads", file=log
        )
        for step in fit(
            model, lambda generator: loss(model, REPEATED.batch(BATCH, generator)), STEPS, RATE, SEED, muon, cool_down
        ):
            if step.step % EVERY == 0:
                print(f"step {step.step}: {in_words(measure(model, held_out))}", file=log)
        shipped = new_induction().eval()  # what is measured is what is shipped: 16 bits a number
        shipped.load_state_dict(model.half().state_dict())
        found = measure(shipped, held_out)
        print(f"in 16 bits: {in_words(found)}", file=log)
    save(model.eval(), HERE / "induction.safetensors", seed=SEED, settings=settings, found=found)


def loss(model: GPT, batch: Repeats) -> Tensor:
    """On what was there before alone: the first time nobody can foresee a letter."""
    known = batch.predictable
    return cross_entropy(model(batch.inputs)[known], batch.targets[known])


@torch.no_grad()
def measure(model: GPT, batch: Repeats) -> dict[str, list]:
    """right: the share of right answers where there is one. previous, after_copy: for each layer and head, how much of
    its weight lies on the token before, and after the earlier copy of the present token."""
    with record(model) as trace:
        answers = model(batch.inputs).argmax(-1)
    weights, tokens = [trace[name][0].weights for name in trace.names], batch.inputs.shape[1]
    right = (answers == batch.targets)[batch.predictable].float().mean()
    return {
        "right": [round(float(right), 4)],
        "previous": [rounded(share(layer, previous(tokens))) for layer in weights],
        "after_copy": [rounded(share(layer, after_copy(batch.period, tokens))) for layer in weights],
    }


def rounded(shares: Tensor) -> list[float]:
    return [round(x, 3) for x in shares.tolist()]


def in_words(found: dict[str, list]) -> str:
    return f"right {found['right'][0]}, on the token before {found['previous']}, after the copy {found['after_copy']}"


if __name__ == "__main__":
    main()
