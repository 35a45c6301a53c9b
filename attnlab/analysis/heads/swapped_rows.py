"""A row of weights exchanged for another one: does the answer notice?"""

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import Share, checked


@checked
def row_difference(row: Float[Tensor, "*#batch keys"], other: Float[Tensor, "*#batch keys"]) -> Float[Tensor, "*batch"]:
    """How much weight stands elsewhere, from 0, the same row, to 1, no key in common: half the sum of all changes.

    **Source:** the total variation distance of Jain and Wallace 2019, section 3.
    """
    return (row - other).abs().sum(dim=-1) / 2


@checked
def furthest_row(
    row: Float[Tensor, " keys"], votes: Float[Tensor, " keys"], close: Share = 0.01
) -> Float[Tensor, " keys"]:
    """Of all rows that move the probability of the answer by at most `close`, the one that differs most from `row`.

    votes: what each key's value would say if it had all the weight, as logits; the answer is their mean under the
    weights. So the rows that are allowed fill a body with flat sides, and the furthest one is a corner of it: all
    weight on one key, or on two of them with the answer at one end of what is allowed. All corners are tried.
    Raises ValueError for weights that are below 0 or do not sum to 1.

    **Source:** Jain and Wallace 2019, "Attention is not Explanation", section 4.2.2, there by gradients.
    """
    if abs(float(row.sum()) - 1) > 1e-3 or float(row.min()) < 0:
        raise ValueError(f"expected weights of 0 or more that sum to 1, got {row.tolist()}")
    answer = (row.double() * votes.double()).sum().sigmoid()
    ends = torch.stack([answer - close, answer + close]).clamp(0, 1).logit()  # may be infinite
    one, votes = torch.eye(len(row)), votes.double()
    gap = votes[:, None] - votes  # [first, second]
    share = (ends[:, None, None] - votes) / gap  # of the first of two keys, at either end
    corners = [row[None], one[(votes >= ends[0]) & (votes <= ends[1])]]
    for at in share.float():
        first, second = ((at > 0) & (at < 1)).nonzero().T  # NaN is neither
        weight = at[first, second, None]
        corners.append(weight * one[first] + (1 - weight) * one[second])
    found = torch.cat(corners)
    return found[row_difference(found, row).argmax()]
