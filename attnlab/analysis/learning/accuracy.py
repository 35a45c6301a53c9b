"""How much of what a model should find it finds: by the length of its input, by kind of question."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnlab.checks import checked


@checked
def share_by_length(right: Bool[Tensor, " batch"], lengths: Int[Tensor, " batch"]) -> Float[Tensor, " lengths"]:
    """The share that is right of the examples of each length, the shortest first; lengths that do not occur are left
    out.

    Raises ValueError when there is not one length for each example.
    """
    if len(right) != len(lengths):
        raise ValueError(f"expected a length for each of {len(right)} examples, got {len(lengths)}")
    return torch.stack([right[lengths == length].float().mean() for length in lengths.unique()])


@checked
def length_at(
    lengths: Sequence[int], shares: Float[Tensor, " lengths"] | Sequence[float], level: float = 0.5
) -> float | None:
    """The length at which a curve of shares first falls below `level`, on the straight line between two lengths.

    None where it never does; the first length where it begins below. Raises ValueError when there is not one share for
    each length.
    """
    if len(lengths) != len(shares):
        raise ValueError(f"expected a share for each of {len(lengths)} lengths, got {len(shares)}")
    below = next((i for i, share in enumerate(shares) if share < level), None)
    if below is None:
        return None
    if below == 0:
        return float(lengths[0])
    before, after = float(shares[below - 1]), float(shares[below])
    return lengths[below - 1] + (lengths[below] - lengths[below - 1]) * (before - level) / (before - after)


@checked
def right_answers(
    values: Int[Tensor, "batch keys"], right: Int[Tensor, "batch kinds questions"]
) -> Int[Tensor, "batch kinds questions"]:
    """The value of the key that answers each question: `values[b, right[b, k, q]]`.

    right: the place of that key, from 0. Raises ValueError for another batch, and for places that no key has.
    """
    if len(values) != len(right) or (right.numel() and not 0 <= int(right.min()) <= int(right.max()) < values.shape[1]):
        raise ValueError(
            f"expected places from 0 to {values.shape[1] - 1} for {len(values)} rows of values, got "
            f"{list(right.shape)} with places from {int(right.min())} to {int(right.max())}"
        )
    return values.unsqueeze(1).expand(-1, right.shape[1], -1).gather(2, right)


@checked
def accuracy_by_kind(
    logits: Float[Tensor, "batch kinds questions classes"], targets: Int[Tensor, "batch kinds questions"]
) -> Float[Tensor, " kinds"]:
    """The share of right answers to each kind of question, from 0 to 1. An answer is the class of the highest logit."""
    return (logits.argmax(dim=-1) == targets).float().mean(dim=(0, 2))


@checked
def weight_on_right(
    weights: Float[Tensor, "batch kinds questions keys"], right: Int[Tensor, "batch kinds questions"]
) -> Float[Tensor, " kinds"]:
    """How much of its weight a question of each kind gives to the key that answers it on average, from 0 to 1."""
    return weights.gather(3, right.unsqueeze(3)).mean(dim=(0, 2, 3))
