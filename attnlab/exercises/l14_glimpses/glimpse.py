"""Exercise 14.glimpse: what the retina shows."""

from collections.abc import Callable, Sequence
from math import floor

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, pad

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.vision import glimpses as specs

Place = Sequence[float]


def glimpse(picture: Tensor, place: Place, size: int, scales: int) -> Tensor:
    """The solution."""
    return torch.stack([avg_pool2d(_square(picture, place, size * 2**k)[None], 2**k)[0] for k in range(scales)])


Begin = Callable[[float, int], int]
"""The middle of a square, and its width in pixels -> its first pixel."""


def _nearest(middle: float, side: int) -> int:
    return round(middle - side / 2)


def _square(picture: Tensor, place: Place, side: int, beyond: str = "constant", begin: Begin = _nearest) -> Tensor:
    """side x side pixels around a place; what lies outside the picture is 0, or what `beyond` puts there."""
    height, width = picture.shape
    left = begin((place[0] + 1) / 2 * width, side) + side
    top = begin((place[1] + 1) / 2 * height, side) + side
    if beyond == "replicate":
        rows = (torch.arange(top, top + side) - side).clamp(0, height - 1)
        columns = (torch.arange(left, left + side) - side).clamp(0, width - 1)
        return picture[rows][:, columns]
    return pad(picture, [side] * 4)[top : top + side, left : left + side]


def _scales(scales: int, one: Callable[[int], Tensor]) -> Tensor:
    return torch.stack([one(k) for k in range(scales)])


def _pooled(square: Tensor, block: int) -> Tensor:
    return avg_pool2d(square[None], block)[0]


def _from(begin: Begin) -> Callable[[Tensor, Place, int, int], Tensor]:
    """A retina whose squares begin elsewhere."""
    return lambda picture, place, size, scales: _scales(
        scales, lambda k: _pooled(_square(picture, place, size * 2**k, begin=begin), 2**k)
    )


def _measured(picture: Tensor, place: Place, ends: Sequence[int]) -> list[float]:
    """The place that is meant by who takes 1 for these ends, across and down."""
    return [(x + 1) * end / whole - 1 for x, end, whole in zip(place, ends, picture.T.shape, strict=True)]


def _in_the_frame(picture: Tensor, place: Place, size: int, scales: int) -> Tensor:
    """The place is measured on the picture with its frame, as wide as the square on each side."""

    def framed(k: int) -> Tensor:
        side = size * 2**k
        ends = [end + 2 * side for end in picture.T.shape]
        found = _measured(picture, place, ends)
        found = [x - 2 * side / end for x, end in zip(found, picture.T.shape, strict=True)]
        return _pooled(_square(picture, found, side), 2**k)

    return _scales(scales, framed)


def _inside(picture: Tensor, place: Place, size: int, scales: int) -> Tensor:
    """The squares moved until they lie within the picture, as far as they can."""
    height, width = picture.shape

    def moved(k: int) -> Tensor:
        side = size * 2**k
        centre = [(place[0] + 1) / 2 * width, (place[1] + 1) / 2 * height]
        x, y = (
            min(max(at, side / 2), max(end - side / 2, side / 2))
            for at, end in zip(centre, (width, height), strict=True)
        )
        return _pooled(_square(picture, [2 * x / width - 1, 2 * y / height - 1], side), 2**k)

    return _scales(scales, moved)


def _picture(height: int, width: int) -> Tensor:
    return torch.rand(height, width, generator=torch.Generator().manual_seed(height))


GLIMPSE = Exercise(
    name="14.glimpse",
    title="What the retina shows",
    statement="""Return what a retina shows of one picture around a place, [scales, size, size].

Scale 0 is the square of size x size pixels around the place, as it is. Scale 1 is a square twice as wide, scale 2 four
times, and so on; each is shrunk to size x size numbers by taking the mean of every 2 x 2 pixels, every 4 x 4, ...
What lies outside the picture counts as 0.

picture [height, width]; place: two numbers, across and down, from -1 (left, upper edge) to 1 (right, lower edge);
size, scales whole. A square begins at the whole pixel nearest to its middle minus half its width.""",
    axes="[scales, size, size]",
    stub="""def glimpse(picture, place, size, scales):
    ...
""",
    hints=(
        "First turn the place into pixels: -1 is pixel 0, 1 is the width of the picture (across) or its height (down).",
        "Put a frame of zeros around the picture, as wide as the square, with `torch.nn.functional.pad`. Then every "
        "square can be cut out by slicing, only that its first row and column move by the frame's width.",
        "For each scale: side = size * 2**scale; cut side x side pixels; then the mean of every 2**scale x 2**scale "
        "of them, `torch.nn.functional.avg_pool2d`, which wants an axis more in front. Stack the scales.",
    ),
    solution=glimpse,
    spec=specs.retina,
    inputs=lambda: [(_picture(11, 13), (0.31, -0.17), 3, 3), (_picture(17, 12), (0.21, 0.68), 4, 2)],
    edges=lambda: [(_picture(5, 7), (1.0, -1.0), 2, 2), (_picture(8, 8), (0.0, 0.0), 8, 1)],
    mistakes=(
        Mistake(
            "across and down are exchanged: place[0] goes with the width, place[1] with the height",
            lambda picture, place, size, scales: glimpse(picture, place[::-1], size, scales),
        ),
        Mistake(
            "places were read as if 0 were the left edge: they run from -1 to 1, so the middle in pixels is "
            "(place + 1) / 2 times the width or height",
            lambda picture, place, size, scales: glimpse(picture, [2 * x - 1 for x in place], size, scales),
        ),
        Mistake(
            "1 was taken for the last pixel, width - 1 or height - 1: it is the right or lower edge, at the whole "
            "width or height",
            lambda picture, place, size, scales: glimpse(
                picture, _measured(picture, place, [end - 1 for end in picture.T.shape]), size, scales
            ),
        ),
        Mistake(
            "width and height are exchanged: `picture.shape` is height, width; across goes with the width",
            lambda picture, place, size, scales: glimpse(
                picture, _measured(picture, place, picture.shape), size, scales
            ),
        ),
        Mistake(
            "up and down are exchanged: -1 is the upper edge, and rows are counted from there",
            lambda picture, place, size, scales: glimpse(picture, [place[0], -place[1]], size, scales),
        ),
        Mistake(
            "the place was turned into pixels of the framed picture: it is a place of the picture itself, then add the "
            "width of the frame",
            _in_the_frame,
        ),
        Mistake(
            "the first pixel was rounded down, or the middle before it: take the pixel nearest to the middle minus "
            "half the width, `round`",
            _from(lambda middle, side: floor(middle - side / 2)),
        ),
        Mistake(
            "the first pixel was cut down to a whole one, as `int` does: take the nearest one, `round`",
            _from(lambda middle, side: int(middle - side / 2)),
        ),
        Mistake(
            "the middle was rounded first: only the first pixel is a whole one, the middle minus half the width, to "
            "the nearest",
            _from(lambda middle, side: round(middle) - side // 2),
        ),
        Mistake(
            "the place is where your squares begin: it is their middle, so go back by half a width",
            lambda picture, place, size, scales: _scales(
                scales,
                lambda k: _pooled(
                    _square(
                        picture,
                        [x + size * 2**k / end for x, end in zip(place, picture.T.shape, strict=True)],
                        size * 2**k,
                    ),
                    2**k,
                ),
            ),
        ),
        Mistake(
            "the coarse squares show every second pixel, or every fourth: a blur is the mean of all of them",
            lambda picture, place, size, scales: _scales(
                scales, lambda k: _square(picture, place, size * 2**k)[:: 2**k, :: 2**k]
            ),
        ),
        Mistake(
            "the largest of each block was taken, not the mean",
            lambda picture, place, size, scales: _scales(
                scales,
                lambda k: torch.nn.functional.max_pool2d(_square(picture, place, size * 2**k)[None], 2**k)[0],
            ),
        ),
        Mistake(
            "the pixels of each block are summed, not averaged: coarse squares get four times as dark a scale",
            lambda picture, place, size, scales: _scales(
                scales, lambda k: 4**k * _pooled(_square(picture, place, size * 2**k), 2**k)
            ),
        ),
        Mistake(
            "every scale shows the same square: scale k is 2**k times as wide",
            lambda picture, place, size, scales: _scales(scales, lambda k: _square(picture, place, size)),
        ),
        Mistake(
            "the squares grow by one width a scale: each is twice as wide as the one before, 2**scale",
            lambda picture, place, size, scales: _scales(
                scales, lambda k: _pooled(_square(picture, place, size * (k + 1)), k + 1)
            ),
        ),
        Mistake(
            "the squares begin with the widest: scale 0 is the sharp one",
            lambda picture, place, size, scales: glimpse(picture, place, size, scales).flip(0),
        ),
        Mistake(
            "outside the picture the pixels of its edge are repeated: nothing is there, so it counts as 0",
            lambda picture, place, size, scales: _scales(
                scales, lambda k: _pooled(_square(picture, place, size * 2**k, "replicate"), 2**k)
            ),
        ),
        Mistake(
            "squares that reach over the edge were pushed back inside: the model would see another place than the one "
            "it is told it looks at",
            _inside,
        ),
    ),
)
