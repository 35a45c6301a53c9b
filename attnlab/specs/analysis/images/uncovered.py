"""What is known of one picture after some glimpses, pixel by pixel."""

from collections.abc import Sequence
from math import floor

import torch
from torch import Tensor

from attnlab.specs.vision.glimpses import retina


def uncovered(picture: Tensor, places: Sequence[Sequence[float]], size: int, scales: int) -> tuple[Tensor, Tensor]:
    """picture [height, width], places (across, down) -> what was shown and whether, both [height, width]."""
    height, width = picture.shape
    shown, seen = torch.zeros_like(picture), torch.zeros(height, width, dtype=torch.bool)
    for row in range(height):
        for column in range(width):
            for scale in reversed(range(scales)):
                for place in places:
                    block = 2**scale
                    left = floor((place[0] + 1) / 2 * width - size * block / 2 + 0.5)
                    top = floor((place[1] + 1) / 2 * height - size * block / 2 + 0.5)
                    i, j = (row - top) // block, (column - left) // block
                    if 0 <= i < size and 0 <= j < size:
                        shown[row, column] = retina(picture, place, size, scales)[scale, i, j]
                        seen[row, column] = True
    return shown, seen
