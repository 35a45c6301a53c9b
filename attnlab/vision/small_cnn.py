"""Small convolutional networks, to compare with: one map for all places, of a place and its neighbours."""

from jaxtyping import Float
from torch import Tensor, nn

from attnlab.checks import Size, check_pixels, check_prepared, checked


@checked
class SmallCNN(nn.Sequential):
    """Three convolutions of 3 x 3, the first two with steps of 2 pixels, then one linear map of all that is left.

    side: height and width of the pictures. first, second: channels after the first, and after the other two.
    """

    def __init__(self, side: Size, first: Size, second: Size, classes: Size = 10, channels: Size = 1) -> None:
        left = (side + 3) // 4  # two halvings, each rounded up
        super().__init__(
            nn.Conv2d(channels, first, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(first, second, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(second, second, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(second * left**2, classes),
        )
        self.side = side

    def forward(self, images: Float[Tensor, "batch channels height width"]) -> Float[Tensor, "batch classes"]:
        """Logits of the classes. Raises ValueError for images of another size or of numbers that no image has."""
        expected = [self[0].in_channels, self.side, self.side]
        if list(images.shape[1:]) != expected:
            raise ValueError(
                f"expected images [batch, channels, height, width] of {expected}, got {list(images.shape)}"
            )
        check_prepared(images, "images")
        return super().forward(images)


@checked
class PlaceReader(nn.Sequential):
    """Two convolutions, `between`, and a small network at each place: pictures -> maps of half their height and width.

    Without help from `between`, an answer depends on the pixels that lie at most 3 away from the four of its place.
    The norm helps the gain of an attention in between to leave 0.

    On `far_marks`, 400 steps of 64 pictures with `adamw` at a rate of 0.01, 16 channels, three seeds: with
    `FeatureMapAttention(16, 16)` 100, 90 and 100 % are right after 4 to 5 s, with `pointwise(16, 32)` 24 to 25 %.
    """

    def __init__(self, between: nn.Module, channels: Size, answers: Size = 4) -> None:
        super().__init__(
            nn.Conv2d(1, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.BatchNorm2d(channels),
            nn.MaxPool2d(2),
            between,
            nn.Conv2d(channels, channels, 1),
            nn.ReLU(),
            nn.Conv2d(channels, answers, 1),
        )

    def forward(self, images: Float[Tensor, "batch 1 height width"]) -> Float[Tensor, "batch answers rows columns"]:
        """Logits of the answers at each place. Raises ValueError for images of several channels, of less than 2 x 2
        pixels, or of numbers that are not from 0 to 1."""
        if images.shape[1] != 1 or min(images.shape[2:]) < 2:
            raise ValueError(f"expected images [batch, 1, height, width] of 2 pixels or more, got {list(images.shape)}")
        check_pixels(images, "images")
        return super().forward(images)


@checked
def pointwise(channels: Size, hidden: Size) -> nn.Sequential:
    """A feed-forward network at each place, one parameter smaller than `FeatureMapAttention(channels, hidden / 2)`."""
    return nn.Sequential(
        nn.Conv2d(channels, hidden, 1, bias=False), nn.ReLU(), nn.Conv2d(hidden, channels, 1, bias=False)
    )
