"""The base of explorers that show one of many held-out digits."""

from torch import Tensor

from attnlab.checks import check_pixels
from attnlab.tasks.digits import SIZE, Digits
from widgets.base.controls import stepper
from widgets.base.explorer import Explorer


class DigitExplorer(Explorer):
    """A digit to choose. `digits`: images [digits, 28, 28] and labels; a model takes them as [1, 1, 28, 28].

    ValueError for no digit, and for images of another shape or of numbers that are not from 0 to 1.
    """

    digit = stepper(1, 1, None, help="which of the held-out digits")
    unstable = True

    def __init__(self, digits: Digits, lock=None, **state) -> None:
        if not len(digits.images) or digits.images.shape[1:] != (SIZE, SIZE):
            raise ValueError(f"expected images [digits, {SIZE}, {SIZE}], got {list(digits.images.shape)}")
        check_pixels(digits.images, "images")
        self.digits = digits
        super().__init__(lock=lock, **state)

    def chosen(self, state) -> Tensor:
        """[1, 1, height, width]: the digit as a batch. Raises ValueError for one that is not there."""
        if state.digit > len(self.digits.images):
            raise ValueError(f"expected a digit from 1 to {len(self.digits.images)}, got {state.digit}")
        return self.digits.images[state.digit - 1, None, None]

    def label(self, state) -> int:
        """The digit that was meant."""
        return int(self.digits.labels[state.digit - 1])

    @property
    def most(self) -> dict:
        """For `picture`: how many digits there are."""
        return {"digit": {"max": len(self.digits.images)}}


def paper(image: Tensor) -> Tensor:
    """[height, width] as it is shown: dark ink on white paper. image: [1, 1, height, width], 1 is ink."""
    return 1 - image[0, 0]


ONE_DIGIT = "image = digits.images[{}, None, None]"
"""The line of code that `chosen` stands for."""
