"""Pictures with their patches in another order: what does a model make of them?"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from attnlab.checks import Size, checked
from attnlab.vision.vit import assembled, patches


@checked
def shuffled(
    images: Float[Tensor, "*batch channels height width"], size: Size, order: Sequence[int]
) -> Float[Tensor, "*batch channels height width"]:
    """The same patches of `size` x `size` pixels; at place i, counted row by row, the one that stood at `order[i]`.

    Raises ValueError for an order that does not name each patch once.
    """
    cut = patches(images, size)
    if sorted(order) != list(range(cut.shape[-2])):
        raise ValueError(f"expected an order that names each of 0 to {cut.shape[-2] - 1} once, got {list(order)}")
    return assembled(cut[..., list(order), :], size, images.shape[-1])


@checked
@torch.no_grad()
def right_when_shuffled(
    model: Callable[[Tensor], Tensor],
    images: Float[Tensor, "batch channels height width"],
    labels: Int64[Tensor, " batch"],
    size: Size,
    order: Sequence[int],
) -> float:
    """The share of pictures, all shuffled in this one order, whose label the model still names; from 0 to 1.

    model: images -> logits [batch, classes]. Raises ValueError for no pictures, and as `shuffled` does.
    """
    if not len(images):
        raise ValueError("expected at least one picture, got none")
    found = model(shuffled(images, size, order)).argmax(dim=-1)
    return (found == labels).double().mean().item()
