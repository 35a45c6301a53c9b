"""What is known of a picture after some glimpses: each pixel as sharply as any of them has shown it."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnlab.checks import Size, checked
from attnlab.vision.glimpses import corners, retina


class Uncovered(NamedTuple):
    """picture: what the glimpses have shown, 0 elsewhere. seen: where they have shown something."""

    picture: Float[Tensor, "*channels height width"]
    seen: Bool[Tensor, "height width"]


@checked
def uncovered(
    picture: Float[Tensor, "*channels height width"], places: Float[Tensor, "glimpses 2"], size: Size, scales: Size = 1
) -> Uncovered:
    """What a `retina` of this size and so many scales shows of a picture at these places, laid where it belongs.

    Each number covers the pixels whose mean it is; where squares overlap, the finer one lies on top. What lies outside
    the picture is left out; of a coloured one each channel is seen in the same way. No places: nothing is seen. Raises
    ValueError for places that are not from -1 to 1.
    """
    height, width = picture.shape[-2:]
    layers = picture.reshape(-1, height, width)
    shown, seen = torch.zeros_like(layers), torch.zeros_like(layers[0], dtype=torch.bool)
    if not len(places):
        return Uncovered(shown.view_as(picture), seen)
    looks = layers.repeat(len(places), 1, 1), places.repeat_interleave(len(layers), 0)
    glimpses = retina(*looks, size, scales).unflatten(0, (len(places), len(layers)))
    for scale in reversed(range(scales)):
        block = 2**scale  # pixels along a side that became one number
        first = corners(places, height, width, size * block).tolist()
        for square, (left, top) in zip(glimpses[:, :, scale], first, strict=True):
            pixels = square.repeat_interleave(block, 1).repeat_interleave(block, 2)
            inside = pixels[:, max(0, -top) : max(0, height - top), max(0, -left) : max(0, width - left)]
            rows = slice(max(0, top), max(0, top) + inside.shape[1])
            columns = slice(max(0, left), max(0, left) + inside.shape[2])
            shown[:, rows, columns] = inside
            seen[rows, columns] = True
    return Uncovered(shown.view_as(picture), seen)
