"""Greedy and beam search over a translator as it learns, three seeds: `python -m attnlab.trained.train_search`.

Writes `search.json` beside this file. Two minutes of one core.
"""

import torch

from attnlab.analysis import beam_exact
from attnlab.seq2seq import AttentionSeq2Seq, teacher_forcing
from attnlab.tasks.phrasebook import Phrasebook
from attnlab.trained import SEEDS, tables
from attnlab.training import fit

RATE, BATCH, SENTENCES = 8e-3, 64, 300
AFTER, WIDTHS = (60, 90, 150, 400), (1, 2, 5)  # steps of training; hypotheses that are kept


def main() -> None:
    torch.set_num_threads(1)
    task = Phrasebook()
    runs = [train(task, seed, AFTER, SENTENCES) for seed in SEEDS]
    found = {
        "settings": f"{BATCH} sentences a step, AdamW at {RATE}; {SENTENCES} unseen sentences; length penalty 1; "
        f"seeds {', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "runs": runs,
    }
    tables.write("search", found)


def train(task: Phrasebook, seed: int, after: tuple[int, ...], sentences: int) -> dict:
    """{steps of training: {width: share of sentences that are exact}}."""
    torch.manual_seed(seed)
    model = AttentionSeq2Seq(len(task.source_vocabulary), len(task.target_vocabulary))
    return {
        str(step.step): {
            str(width): round(beam_exact(model, task, task.test[:sentences], width), 4) for width in WIDTHS
        }
        for step in fit(model, lambda g: teacher_forcing(model, *task.batch(BATCH, g)), after[-1], RATE, seed)
        if step.step in after
    }


if __name__ == "__main__":
    main()
