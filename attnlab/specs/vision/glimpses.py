"""What a retina shows of one picture, how likely a place was, and the three losses of one gaze. Of one picture."""

from collections.abc import Sequence
from math import exp, floor, log, pi

import torch
from torch import Tensor


def retina(picture: Tensor, place: Sequence[float], size: int, scales: int) -> Tensor:
    """picture [height, width], place (across, down) from -1 to 1 -> [scales, size, size]."""
    height, width = picture.shape
    seen = torch.zeros(scales, size, size, dtype=picture.dtype)
    for scale in range(scales):
        block = 2**scale  # pixels along a side that become one number
        left = floor((place[0] + 1) / 2 * width - size * block / 2 + 0.5)
        top = floor((place[1] + 1) / 2 * height - size * block / 2 + 0.5)
        for i in range(size):
            for j in range(size):
                total = torch.zeros((), dtype=picture.dtype)
                for row in range(top + i * block, top + (i + 1) * block):
                    for column in range(left + j * block, left + (j + 1) * block):
                        if 0 <= row < height and 0 <= column < width:
                            total = total + picture[row, column]
                seen[scale, i, j] = total / block**2
    return seen


def log_density(place: Tensor, mean: Tensor, noise: float) -> Tensor:
    """place, mean [2] -> ln of the normal density, one axis after the other."""
    total = torch.zeros((), dtype=mean.dtype)
    for axis in range(2):
        total = total - (place[axis] - mean[axis]) ** 2 / (2 * noise**2) - log(2 * pi * noise**2) / 2
    return total


def hybrid_loss(
    logits: Sequence[Sequence[float]],
    log_probability: Sequence[float],
    baselines: Sequence[float],
    label: int,
    reward: float,
    subtracted: Sequence[float],
) -> float:
    """logits [glimpses, classes], all others [glimpses] -> cross-entropy, REINFORCE and the baseline's error, added."""
    last = logits[-1]
    loss = log(sum(exp(logit) for logit in last)) - last[label]
    for t in range(len(baselines)):
        loss -= (reward - subtracted[t]) * log_probability[t]
        loss += (baselines[t] - reward) ** 2 / len(baselines)
    return loss
