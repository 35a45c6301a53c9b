"""Which vectors are the same: what attention cannot tell apart, it gives one and the same context."""

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import checked


@checked
def first_equal(vectors: Float[Tensor, "vectors dim"], tolerance: float) -> list[int]:
    """For each vector the number of the first one that is the same: [0, 1, 0] says that the third is the first again.

    tolerance: two are the same where no number of theirs is `tolerance` or more apart. How many different ones there
    are is `len(set(first_equal(vectors, tolerance)))`. Raises ValueError for a tolerance of 0 or below.
    """
    if not tolerance > 0:
        raise ValueError(f"expected a tolerance above 0, got {tolerance}")
    apart = (vectors[:, None] - vectors).abs().amax(-1)
    itself = torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)  # NaN, too
    same = (apart < tolerance) | (vectors[:, None] == vectors).all(-1) | itself
    return same.int().argmax(-1).tolist()  # the first 1
