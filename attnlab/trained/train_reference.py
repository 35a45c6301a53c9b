"""Trains the model that writes like the Python language reference: `python -m attnlab.trained.train_reference`.

Writes `reference.safetensors` and `reference.log` beside this file. Six minutes of one core.
"""

import platform
import time
from functools import partial
from typing import TextIO

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.checkpoints import load, save
from attnlab.optimisers import muon
from attnlab.schedules import cool_down
from attnlab.tasks.text import BytePairs, Text, reference_topics
from attnlab.trained import CONTEXT, HERE, PIECES, new_reference
from attnlab.training import fit

SEED, STEPS, BATCH, RATE, DECAY, DROPOUT = 0, 1000, 16, 0.02, 0.3, 0.25
SETTINGS = (
    f"seed {SEED}, {STEPS} steps of {BATCH} windows of {CONTEXT} pieces, Muon {RATE}, decay {DECAY}, dropout {DROPOUT}"
)


def main() -> None:
    torch.set_num_threads(1)
    training, held_out = reference_topics()
    pieces = BytePairs(training + held_out, PIECES)
    text = Text(training, held_out, lambda _: pieces)
    torch.manual_seed(SEED)
    model = new_reference(DROPOUT)
    with (HERE / "reference.log").open("w", buffering=1) as log:
        print(f"Python {platform.python_version()}, torch {torch.__version__}, one thread; {SETTINGS}", file=log)
        print(f"{len(training)} letters to learn from, {len(held_out)} held out; losses in nats per letter", file=log)
        learn(model, text, log)
        # What is measured is what is shipped: 16 bits a number, and no dropout.
        shipped = new_reference()
        shipped.load_state_dict(model.half().state_dict())
        loss = held_out_loss(shipped.eval(), text)
        print(f"in 16 bits: held-out {loss:.4f}", file=log)
    header = {
        "seed": SEED,
        "settings": SETTINGS,
        "python": platform.python_version(),
        "held_out_loss": loss,
        "pieces": pieces.json,
        "text": held_out,
    }
    save(shipped.half(), HERE / "reference.safetensors", **header)
    load(HERE / "reference.safetensors", new_reference())


def learn(model: nn.Module, text: Text, log: TextIO) -> None:
    def loss(generator: torch.Generator) -> Tensor:
        inputs, targets = text.batch(BATCH, CONTEXT, generator)
        return cross_entropy(model(inputs).flatten(0, 1), targets.flatten())

    begun, recent = time.process_time(), []
    print(f"step 0: held-out {held_out_loss(model.eval(), text):.4f}", file=log)
    for step in fit(model, loss, STEPS, RATE, SEED, partial(muon, decay=DECAY), partial(cool_down, last=0.7)):
        recent.append(step.loss / text.letters_per_token)
        if step.step % 50 == 0:
            print(
                f"step {step.step}: training {sum(recent) / len(recent):.4f}, held-out "
                f"{held_out_loss(model, text):.4f}, {time.process_time() - begun:.0f} s",
                file=log,
            )
            recent.clear()


@torch.no_grad()
def held_out_loss(model: nn.Module, text: Text) -> float:
    """Nats per letter of the held-out text."""
    inputs, targets = text.test(CONTEXT)
    return cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).item() / text.letters_per_token


if __name__ == "__main__":
    main()
