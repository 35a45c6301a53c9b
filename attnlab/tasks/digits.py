"""5,000 handwritten digits of MNIST, 28 x 28 pixels, ten classes equally often: pictures that are real and small.

They lie beside this file, so nothing is downloaded; `digits.md` names their source and licence.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor

from attnlab.checks import Count, Size, checked

FILE = Path(__file__).with_name("digits.npz")
SIZE = 28
HELD_OUT = 100  # of each class


class Digits(NamedTuple):
    """images: 0 is the paper, 1 the ink. labels: the digits that were meant."""

    images: Float[Tensor, "digits height width"]
    labels: Int64[Tensor, " digits"]


@checked
def digits() -> Digits:
    """All 5,000, the zeros first, 500 of each class: images [5000, 28, 28], labels [5000]. Yours to change."""
    return _copied(_all())


@checked
def split() -> tuple[Digits, Digits]:
    """4,000 to learn from and 1,000 held out, always the same. Their labels go 0, 1, ..., 9, 0, 1, ... Yours to change.

    So the first 10 n of either hold n of each class: `training.images[:50]` is a small data set and a fair one.
    """
    training, held_out = _both()
    return _copied(training), _copied(held_out)


def _copied(some: Digits) -> Digits:
    return Digits(some.images.clone(), some.labels.clone())


@cache
def _all() -> Digits:
    with np.load(FILE) as file:
        return Digits(torch.from_numpy(file["images"]) / 255, torch.from_numpy(file["labels"]).long())


@cache
def _both() -> tuple[Digits, Digits]:
    images, labels = _all()
    generator = Generator().manual_seed(0)
    rows = torch.stack([_shuffled(torch.nonzero(labels == label)[:, 0], generator) for label in range(10)], dim=1)
    held_out, training = rows[:HELD_OUT].flatten(), rows[HELD_OUT:].flatten()
    return Digits(images[training], labels[training]), Digits(images[held_out], labels[held_out])


@checked
def draw(
    images: Float[Tensor, "digits height width"], labels: Int64[Tensor, " digits"], size: Size, generator: Generator
) -> Digits:
    """`size` of them, drawn with replacement: a batch.

    Raises ValueError where there are none, or not one label for each image.
    """
    if not len(images) == len(labels) > 0:
        raise ValueError(f"expected one label for each of at least one image, got {len(images)} and {len(labels)}")
    drawn = torch.randint(len(images), (size,), generator=generator, device=generator.device).to(images.device)
    return Digits(images[drawn], labels[drawn])


@checked
def shift(
    images: Float[Tensor, "images height width"], most: Count, generator: Generator
) -> Float[Tensor, "images height width"]:
    """Each image moved by up to `most` pixels across and down, at random; what comes in at the edges is 0.

    A digit stays the same digit when it moves, so this makes many pictures of one.
    """
    count, height, width = images.shape
    padded = torch.nn.functional.pad(images, (most, most, most, most))
    by = torch.randint(2 * most + 1, (2, count), generator=generator, device=generator.device).to(images.device)
    rows = by[0, :, None] + torch.arange(height, device=images.device)
    columns = by[1, :, None] + torch.arange(width, device=images.device)
    which = torch.arange(count, device=images.device)
    return padded[which[:, None, None], rows[:, :, None], columns[:, None, :]]


def _shuffled(rows: Tensor, generator: Generator) -> Tensor:
    return rows[torch.randperm(len(rows), generator=generator)]
