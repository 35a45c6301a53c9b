"""How many translations a search gets exactly right."""

from collections.abc import Sequence

import torch

from attnlab.checks import Size, checked
from attnlab.decoding import beam, best, tokens
from attnlab.seq2seq import Seq2Seq
from attnlab.tasks.base import BOS, EOS, Example, Task


@checked
@torch.no_grad()
def beam_exact(model: Seq2Seq, task: Task, examples: Sequence[Example], width: Size) -> float:
    """The share of examples that beam search of this width writes without a mistake; width 1 is greedy search.

    Raises ValueError for no example.
    """
    if not examples:
        raise ValueError("expected one example or more, got none")
    searches = [list(beam(model, task.read(example.source), BOS, EOS, width)) for example in examples]
    written = [task.write(tokens(steps, best(steps))) for steps in searches]
    return sum(text == example.target for text, example in zip(written, examples, strict=True)) / len(examples)
