"""A few glimpses of a picture beside a thumbnail that is made of as many numbers, spread evenly."""

from math import isqrt
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import adaptive_avg_pool2d, interpolate

from attnlab.analysis.images.uncovered import uncovered
from attnlab.checks import Size, checked


@checked
def thumbnail(picture: Float[Tensor, "channels height width"], numbers: Size) -> Float[Tensor, "channels height width"]:
    """The picture out of at most `numbers` means: of equal parts, as many along each side, each laid over its pixels.

    A square picture with numbers for every pixel is itself. Raises ValueError for fewer numbers than channels.
    """
    if numbers < len(picture):
        raise ValueError(f"expected a number or more for each of {len(picture)} channels, got {numbers}")
    side = min(isqrt(numbers // len(picture)), *picture.shape[1:])
    return interpolate(adaptive_avg_pool2d(picture, side).unsqueeze(0), picture.shape[1:], mode="nearest-exact")[0]


class GlimpsesAndThumbnail(NamedTuple):
    """numbers: that the glimpses have taken. seen: what is known after them; what they have not shown has the mean
    colour of the rest. thumbnail: the same picture out of as many numbers. sharp: where they have shown each pixel.

    off: by how much they are off the picture, the mean over all pixels and channels. thumbnail_off: the same of
    the thumbnail. thumbnail_off_where_sharp: over the pixels of `sharp` alone, where the glimpses are off by nothing.
    """

    numbers: int
    seen: Float[Tensor, "channels height width"]
    thumbnail: Float[Tensor, "channels height width"]
    sharp: Bool[Tensor, "height width"]
    off: float
    thumbnail_off: float
    thumbnail_off_where_sharp: float


@checked
def glimpses_and_thumbnail(
    picture: Float[Tensor, "channels height width"], places: Float[Tensor, "glimpses 2"], size: Size, scales: Size = 1
) -> GlimpsesAndThumbnail:
    """What a `retina` of this size and so many scales tells of a picture at these places, and what as many numbers
    tell of it where no place is better than another.

    Squares that lie over each other, or partly outside of the picture, count in full. Raises ValueError for no place,
    and for places that are not from -1 to 1.
    """
    if not len(places):
        raise ValueError("expected at least one glimpse, got none")
    numbers = len(places) * scales * size**2 * len(picture)
    known, sharp = uncovered(picture, places, size, scales), uncovered(picture, places, size).seen
    mean = known.picture[:, known.seen].mean(dim=1)[:, None, None]
    seen, even = torch.where(known.seen, known.picture, mean), thumbnail(picture, numbers)
    off, even_off = (seen - picture).abs(), (even - picture).abs()
    return GlimpsesAndThumbnail(
        numbers, seen, even, sharp, float(off.mean()), float(even_off.mean()), float(even_off[:, sharp].mean())
    )
