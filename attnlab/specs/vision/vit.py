"""A picture cut into patches, and these as tokens. Of one picture, image [channels, height, width]."""

import torch
from torch import Tensor

from attnlab.specs.alignment import dot


def patches(image: Tensor, size: int) -> Tensor:
    """[patches, channels · size · size]: row by row of patches, in each channel by channel, row by row of pixels."""
    channels, height, width = image.shape
    down, across = height // size, width // size
    cut = image.new_zeros(down * across, channels * size * size)
    for i in range(down):
        for j in range(across):
            number = 0
            for channel in range(channels):
                for row in range(size):
                    for column in range(size):
                        cut[i * across + j, number] = image[channel, i * size + row, j * size + column]
                        number += 1
    return cut


def tokens(image: Tensor, size: int, E: Tensor, bias: Tensor, x_class: Tensor, E_pos: Tensor) -> Tensor:
    """E [dim, numbers of a patch], bias and x_class [dim], E_pos [1 + patches, dim] -> [1 + patches, dim]."""
    cut = patches(image, size)
    out = torch.zeros(1 + len(cut), len(x_class))
    for d in range(len(x_class)):
        out[0, d] = x_class[d] + E_pos[0, d]
        for i in range(len(cut)):
            out[1 + i, d] = dot(E[d], cut[i]) + bias[d] + E_pos[1 + i, d]
    return out
