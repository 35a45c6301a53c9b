"""A picture cut into patches. Of one picture, image [channels, height, width]."""

from torch import Tensor


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
