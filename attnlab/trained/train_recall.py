"""What comes back of digits and sentences, by one vector or a look: `python -m attnlab.trained.train_recall`.

Every encoder reads in one direction. Writes `recall.json` beside this file. Four minutes of one core.
"""

from collections.abc import Callable
from typing import Any

import torch

from attnlab.analysis.learning.accuracy import share_by_length
from attnlab.costs import parameters_of
from attnlab.decoding import exact
from attnlab.registry import Table
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext, Seq2Seq, teacher_forcing
from attnlab.tasks import Progressives, Reverse
from attnlab.tasks.reverse import same_length
from attnlab.trained import tables
from attnlab.trained.runs import fitted

SEEDS, RATE, BATCH = (0, 1, 2), 1e-2, 64
LENGTHS = (3, 12)  # of the strings that are tested; training strings have 1 to 12 digits
TASK = Reverse(shortest=LENGTHS[0], longest=LENGTHS[1], tests_per_length=100)
PHRASES = Progressives()  # "we are eating bread"


def fixed(size: int) -> FixedContext:
    """Before its first step: everything goes through `size` numbers."""
    return FixedContext(13, 13, size, 32, bidirectional=False)


def looking_back() -> AttentionSeq2Seq:
    """The same with 32 numbers, and a look back at every step."""
    return AttentionSeq2Seq(13, 13, 32, 32, bidirectional=False)


NEW: dict[str, tuple[Callable[[], Seq2Seq], tuple[int, ...]]] = Table({
    "32 numbers": (lambda: fixed(32), (700, 2800)),
    "looking back": (looking_back, (700,)),
    "64 numbers": (lambda: fixed(64), (700,)),
})
"""Name -> what makes the model, and the trainings, in steps."""

TRANSLATORS: dict[str, tuple[type[FixedContext | AttentionSeq2Seq], int]] = Table({
    "one vector of 8 numbers": (FixedContext, 8),
    "one vector of 16 numbers": (FixedContext, 16),
    "looking back, 8 numbers": (AttentionSeq2Seq, 8),
})
"""Name -> the kind of model, and how many numbers a state has."""


def main() -> None:
    torch.set_num_threads(1)
    found: dict[str, Any] = {
        "settings": f"strings of 1 to {LENGTHS[1]} digits, written backwards; {BATCH} strings of one length a step, "
        f"the library's AdamW, rate {RATE} falling to 3 % of it, encoders in one direction, 32 numbers for a digit, "
        f"seeds 0 to {SEEDS[-1]}; 100 strings of each length that were drawn apart",
        "versions": tables.versions(),
        "lengths": list(range(LENGTHS[0], LENGTHS[1] + 1)),
        "parameters": {name: parameters_of(new()) for name, (new, _) in NEW.items()},
        "runs": {},
        "sentences": {
            name: [right_sentences(translator(kind, size, seed)) for seed in SEEDS]
            for name, (kind, size) in TRANSLATORS.items()
        },
    }
    for name, (new, trainings) in NEW.items():
        for steps in trainings:
            found["runs"].setdefault(name, {})[str(steps)] = [run(new, steps, seed) for seed in SEEDS]
    tables.write("recall", found)


def run(new: Callable[[], Seq2Seq], steps: int, seed: int) -> list[float]:
    """The share of strings that come back without a mistake, of each length."""
    torch.manual_seed(seed)
    model = new()
    fitted(model, lambda g: teacher_forcing(model, *same_length(BATCH, g)), steps, RATE, seed)
    held_out = TASK.collate(TASK.test)
    return [round(share, 4) for share in share_by_length(exact(model, *held_out), held_out.source_lengths).tolist()]


def translator(kind: type[FixedContext | AttentionSeq2Seq], size: int, seed: int = 0, steps: int = 400) -> Seq2Seq:
    """Of sentences like "we are eating bread", trained."""
    torch.manual_seed(seed)
    vocabularies = len(PHRASES.source_vocabulary), len(PHRASES.target_vocabulary)
    model = kind(*vocabularies, size, 8, bidirectional=False)
    return fitted(model, lambda g: teacher_forcing(model, *PHRASES.batch(BATCH, g)), steps, 1.5e-2, seed)


def right_sentences(model: Seq2Seq) -> int:
    """How many held-out sentences come out without a mistake."""
    return int(exact(model, *PHRASES.collate(PHRASES.test)).sum())


if __name__ == "__main__":
    main()
