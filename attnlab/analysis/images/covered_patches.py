"""What a patch is worth, measured: cover it and see how far the answer falls; and how well two such maps agree."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import Size, checked
from attnlab.vision.vit import assembled, patches


@checked
@torch.no_grad()
def covered(
    images: Float[Tensor, "batch channels height width"], size: Size, cover: int | float = 0.0
) -> Float[Tensor, "batch patches channels height width"]:
    """Each picture once for every patch of `size` x `size` pixels, with all pixels of that patch set to `cover`.

    Raises ValueError for a size that does not divide height and width.
    """
    cut = patches(images, size)  # [batch, patches, numbers]
    count = cut.shape[1]
    here = torch.eye(count, dtype=torch.bool, device=images.device).unsqueeze(-1)  # [which one, patches, 1]
    return assembled(torch.where(here, float(cover), cut.unsqueeze(1)), size, images.shape[-1])


@checked
@torch.no_grad()
def fall_of_logit(
    model: Callable[[Tensor], Tensor],
    images: Float[Tensor, "batch channels height width"],
    size: Size,
    cover: int | float = 0.0,
) -> Float[Tensor, "batch patches"]:
    """By how much the logit of the predicted class falls when a patch is covered; below 0 where it rises.

    model: images -> logits [batch, classes]. The class is the one predicted for the whole picture, right or wrong.
    cover: what the pixels of a covered patch become. On digits 0 is paper: a patch without ink then changes nothing.

    **Source:** Zeiler and Fergus 2014, "Visualizing and Understanding Convolutional Networks", section 4.2.
    """
    logits = model(images)
    predicted = logits.argmax(dim=-1)
    changed = covered(images, size, cover)
    after = model(changed.flatten(0, 1)).unflatten(0, changed.shape[:2])  # [batch, patches, classes]
    rows = torch.arange(len(images), device=images.device)
    return logits[rows, predicted].unsqueeze(-1) - after[rows, :, predicted]


@checked
def rank_correlation(x: Float[Tensor, "*batch places"], y: Float[Tensor, "*batch places"]) -> Float[Tensor, "*batch"]:
    """1 where two maps put all places in one order, -1 in opposite orders, about 0 where they have nothing in common.

    The correlation of the ranks; places of equal value share the mean of theirs. 0 for a map that is equal everywhere,
    NaN for one that holds a NaN.
    Raises ValueError for maps of different shapes, or without places.

    **Source:** Spearman 1904, "The Proof and Measurement of Association between Two Things".
    """
    if x.shape != y.shape or not x.shape[-1]:
        raise ValueError(f"expected two maps of one shape and a place or more, got {list(x.shape)} and {list(y.shape)}")
    one, other = _centred_ranks(x), _centred_ranks(y)
    product = (one * other).sum(-1)
    sizes = (one.square().sum(-1) * other.square().sum(-1)).sqrt().clamp(min=0.25)  # whole ranks: 0.5 or more, or 0
    return (product / sizes).to(x.dtype)


def _centred_ranks(x: Tensor) -> Tensor:
    """How many are smaller minus how many are larger, halved: the rank minus the mean of all ranks. In float64: sums of
    squares of ranks soon are too large for half precision."""
    ranks = (x.unsqueeze(-1) > x.unsqueeze(-2)).double() - (x.unsqueeze(-1) < x.unsqueeze(-2)).double()
    return (ranks.sum(-1) / 2).masked_fill(x.isnan().any(-1, keepdim=True), torch.nan)
