"""Date translators of lesson 02, three seeds of each: `python -m attnlab.trained.train_dates`.

Equal batches, rate and optimiser; one looks back, the other passes everything through one fixed vector and is trained
on, up to eight times as long. Writes `dates.json` beside this file. Three minutes of one core.
"""

import time

import torch

from attnlab.analysis import digit_shares
from attnlab.costs import parameters_of
from attnlab.registry import Table
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext, teacher_forcing
from attnlab.tasks.dates import Dates
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import share_exact
from attnlab.training import fit

RATE, BATCH = 1.5e-2, 64
AFTER: dict[str, tuple[int, ...]] = Table({
    "looking back": (100, 200),
    "one fixed vector": (200, 800, 1600),
})  # steps at which is measured
KINDS: dict[str, type[AttentionSeq2Seq | FixedContext]] = Table({
    "looking back": AttentionSeq2Seq,
    "one fixed vector": FixedContext,
})


def main() -> None:
    torch.set_num_threads(1)
    task = Dates()
    runs = {kind: [train(task, kind, seed, AFTER[kind]) for seed in SEEDS] for kind in KINDS}
    found = {
        "settings": f"{BATCH} dates a step, AdamW at {RATE}, 1,080 held out; seeds {', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "parameters": {kind: parameters_of(new(task, kind, 0)) for kind in KINDS},
        "runs": runs,
    }
    tables.write("dates", found)


def new(task: Dates, kind: str, seed: int) -> AttentionSeq2Seq | FixedContext:
    """A translator before its first step."""
    torch.manual_seed(seed)
    return KINDS[kind](len(task.source_vocabulary), len(task.target_vocabulary))


def train(task: Dates, kind: str, seed: int, after: tuple[int, ...]) -> dict:
    """{"exact": {steps: share of held-out dates}, "seconds"}; of one that looks back also "inside", its mean share of
    weight on the part of the source that a digit comes from, at the end."""
    model, held_out, begun = new(task, kind, seed), task.collate(task.test), time.process_time()
    right = {
        str(step.step): share_exact(model, held_out)
        for step in fit(model, lambda g: teacher_forcing(model, *task.batch(BATCH, g)), after[-1], RATE, seed)
        if step.step in after
    }
    found = {"exact": right, "seconds": round(time.process_time() - begun, 1)}
    if isinstance(model, AttentionSeq2Seq):
        found["inside"] = round(float(digit_shares(model, task, task.test).mean()), 4)
    return found


if __name__ == "__main__":
    main()
