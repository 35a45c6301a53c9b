"""A handwritten digit somewhere on a larger canvas, among pieces of other digits: where to look must be found out.

The canvas of the paper has 60 x 60 pixels; on a smaller one a model learns to look within a minute.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor

from attnlab.checks import Count, Size, checked
from attnlab.tasks.digits import SIZE, Digits, split


class Canvases(NamedTuple):
    """pictures: 0 is the paper, 1 the ink. labels: the digits that were meant. places: the middle of each digit, across
    and down, from -1 (left, upper edge of the canvas) to 1."""

    pictures: Float[Tensor, "batch height width"]
    labels: Int64[Tensor, " batch"]
    places: Float[Tensor, "batch 2"]


@checked
class ClutteredDigits:
    """Canvases of `canvas` x `canvas` pixels, each with a whole digit of 28 x 28 at a random place and with `pieces`
    squares of `piece` x `piece` pixels, each cut out of another digit and dropped anywhere. The darker ink stays.

    A canvas of the training holds training digits only, a held-out one held-out digits only, pieces included.
    Raises ValueError for a canvas on which no digit finds room, and for a piece larger than a digit.

    **Source:** Mnih et al. 2014, "Recurrent Models of Visual Attention", section 4.1: four pieces of 8 x 8 on 60 x 60,
    or on 100 x 100.
    """

    name = "cluttered digits"

    def __init__(self, canvas: int = 40, pieces: Count = 4, piece: Size = 8) -> None:
        if canvas < SIZE or piece > SIZE:
            raise ValueError(
                f"expected a canvas of at least {SIZE} pixels and pieces of at most {SIZE}, the size of a digit; got "
                f"{canvas} and {piece}"
            )
        self.canvas, self.pieces, self.piece = canvas, pieces, piece

    def batch(self, size: Size, generator: Generator) -> Canvases:
        """`size` fresh canvases of the 4,000 digits to learn from, on the generator's device."""
        return self._drawn(split()[0], size, generator)

    def unseen(self, size: Size, generator: Generator) -> Canvases:
        """`size` fresh canvases of the 1,000 digits held out, on the generator's device."""
        return self._drawn(split()[1], size, generator)

    def _drawn(self, digits: Digits, size: Size, generator: Generator) -> Canvases:
        def below(end: int, *shape: int) -> Tensor:
            return torch.randint(end, shape, generator=generator, device=generator.device)

        images = digits.images.to(generator.device)
        chosen, corners = below(len(images), size), below(self.canvas - SIZE + 1, size, 2)
        pictures = torch.zeros(size, self.canvas, self.canvas, device=generator.device)
        _paste(pictures, images[chosen], corners)
        for _ in range(self.pieces):
            cut = _window(below(SIZE - self.piece + 1, size, 2), self.piece)
            _paste(pictures, images[below(len(images), size)][cut], below(self.canvas - self.piece + 1, size, 2))
        middles = (corners + SIZE / 2) / self.canvas
        return Canvases(pictures, digits.labels.to(generator.device)[chosen], 2 * middles - 1)


def _paste(pictures: Tensor, patches: Tensor, corners: Tensor) -> None:
    """Lays one patch on each picture; where both have ink, the darker stays."""
    window = _window(corners, patches.shape[-1])
    pictures[window] = torch.maximum(pictures[window], patches)


def _window(corners: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """The indices of one square of each picture. corners: its first column and row."""
    pixels = torch.arange(size, device=corners.device)
    columns, rows = corners[:, :1] + pixels, corners[:, 1:] + pixels
    return torch.arange(len(corners), device=corners.device)[:, None, None], rows[:, :, None], columns[:, None, :]
