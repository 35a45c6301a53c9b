"""What the mechanisms compute, written out as loops over single numbers: slow, obvious, and the measure of the rest.

One file for each module of `attnlab`, named alike. The exercises' `check` compares a learner's function with these
loops, and the tests compare the library with them. Most work on one sequence, without a batch; gradients flow through
whatever takes and returns real numbers. They check nothing and are never called where speed counts.
"""

from collections.abc import Callable

import torch
from torch import Tensor


def each(spec: Callable[..., Tensor], *batched: Tensor) -> Tensor:
    """A spec of one sequence, for every sequence of a batch: tensors [batch, ...] in, one tensor [batch, ...] out."""
    return torch.stack([spec(*one) for one in zip(*batched, strict=True)])
