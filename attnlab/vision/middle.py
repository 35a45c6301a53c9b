"""The middle of a picture in another form and size, as models of photographs take it."""

from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import interpolate

from attnlab.checks import Size, checked


@checked
def middle(pictures: Float[Tensor, "batch channels tall wide"], height: Size, width: Size) -> Tensor:
    """[batch, channels, height, width]: what fits of the pictures into this form, as large as it goes, drawn anew with
    so many pixels. pictures: numbers from 0 to 1, as the result's are."""
    tall, wide = pictures.shape[-2:]
    scale = min(tall / height, wide / width)
    high, broad = max(1, round(scale * height)), max(1, round(scale * width))
    top, left = (tall - high) // 2, (wide - broad) // 2
    cut = pictures[..., top : top + high, left : left + broad]
    if cut.shape[-2:] == (height, width):
        return cut
    return interpolate(cut, (height, width), mode="bicubic", antialias=True).clamp(0, 1)
