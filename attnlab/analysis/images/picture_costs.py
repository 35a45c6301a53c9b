"""What it costs to look at a picture: multiply-adds that are counted, and seconds that are measured."""

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.analysis.learning.spent import flops
from attnlab.checks import Size, checked


class PictureCost(NamedTuple):
    """multiply_adds: of all convolutions and matrix products, for one picture. seconds: for one picture."""

    multiply_adds: float
    seconds: float


@checked
@torch.no_grad()
def picture_cost(
    classify: Callable[[Tensor], object], pictures: Float[Tensor, "batch height width"], repeats: Size = 20
) -> PictureCost:
    """The cost of `classify(pictures)`, divided by the number of pictures.

    classify: a model, or `lambda pictures: model(pictures, gaze, glimpses)`. seconds: of the quickest of so many
    repeats, by the clock on the wall: other programs can only add to it. Raises ValueError for no pictures.
    """
    if not pictures.numel():
        raise ValueError(f"expected at least one picture, got shape {list(pictures.shape)}")
    quickest = min(_seconds(classify, pictures) for _ in range(repeats))
    return PictureCost(flops(classify, pictures) / 2 / len(pictures), quickest / len(pictures))


@checked
class SmallConvolutional(nn.Module):
    """A small convolutional network that reads every pixel: three layers of 3 x 3, each but the last followed by taking
    the largest of every 2 x 2; then the largest of each channel anywhere in the picture, and a linear map.

    It takes pictures of every size from 4 x 4 on with the same parameters; its cost grows with the number of pixels.
    Raises ValueError for smaller ones.
    """

    def __init__(self, classes: Size = 10, channels: Size = 16) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, 2 * channels, 3, padding=1)
        self.third = nn.Conv2d(2 * channels, 4 * channels, 3, padding=1)
        self.action = nn.Linear(4 * channels, classes)

    def forward(self, pictures: Float[Tensor, "batch height width"]) -> Float[Tensor, "batch classes"]:
        """Logits."""
        if min(pictures.shape[1:]) < 4:
            raise ValueError(f"expected pictures of at least 4 x 4 pixels, got {list(pictures.shape)}")
        seen = torch.relu(self.first(pictures.unsqueeze(1)))
        seen = torch.relu(self.second(nn.functional.max_pool2d(seen, 2)))
        seen = torch.relu(self.third(nn.functional.max_pool2d(seen, 2)))
        return self.action(seen.amax(dim=(2, 3)))


def _seconds(classify: Callable[[Tensor], object], pictures: Tensor) -> float:
    begun = perf_counter()
    classify(pictures)
    if pictures.is_cuda:
        torch.cuda.synchronize()
    return perf_counter() - begun
