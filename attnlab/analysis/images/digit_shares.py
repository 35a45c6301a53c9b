"""How much of a date translator's weight lies on the part of the source that a digit comes from."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnlab.checks import checked
from attnlab.seq2seq import AttentionSeq2Seq
from attnlab.tasks.dates import DateExample, Dates, alignment
from attnlab.training import weights_of


@checked
def digit_regions(examples: Sequence[DateExample]) -> Bool[Tensor, "batch rows keys"]:
    """For each character of each target True at the source characters of its field: year, month or day.

    A row of False where it comes from none: a dash, or the end. keys: as many as the longest source has.
    Raises ValueError for no example.
    """
    if not examples:
        raise ValueError("expected one date or more, got none")
    regions = torch.zeros(len(examples), len(examples[0].target) + 1, max(len(one.source) for one in examples))
    for region, example in zip(regions, examples, strict=True):
        for row, places in zip(region, alignment(example), strict=False):  # the end has no row of its own
            row[sorted(places)] = 1
    return regions.bool()


@checked
def digit_shares(model: AttentionSeq2Seq, task: Dates, examples: Sequence[DateExample]) -> Float[Tensor, " digits"]:
    """The share of weight inside its region, for each digit of each target that is fed to the model.

    To be read beside `even_digit_shares`, which even weights would give.
    """
    batch = task.collate(examples)
    weights = weights_of(model, "decoder.attention", *batch[:2], batch.target[:, :-1])  # [batch, rows, keys]
    regions = digit_regions(examples)
    return (weights * regions).sum(dim=-1)[regions.any(dim=-1)]


@checked
def even_digit_shares(examples: Sequence[DateExample]) -> Float[Tensor, " digits"]:
    """The share of its source that each digit's region makes up."""
    regions = digit_regions(examples)
    lengths = torch.tensor([len(one.source) for one in examples]).view(-1, 1)
    return (regions.sum(dim=-1) / lengths)[regions.any(dim=-1)]
