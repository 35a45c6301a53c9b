"""Two small marks far apart in a picture: at the place of each, what is the other one?"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy

from attnlab.checks import Size, check_ids, check_pixels, checked

SIDE = 12
"""Pictures are so many pixels high and wide."""

APART = 7
"""So many pixels or more lie between the centres of the two marks, down or across."""

MARKS = torch.tensor([
    [[0.0, 1, 0], [1, 1, 1], [0, 1, 0]],  # plus
    [[1, 0, 1], [0, 1, 0], [1, 0, 1]],  # cross
    [[1, 1, 1], [1, 0, 1], [1, 1, 1]],  # ring
    [[1, 1, 1], [0, 1, 0], [0, 1, 0]],  # T
])
"""[kinds, 3, 3]"""


class FarMarks(NamedTuple):
    """images: 0 is paper, 1 ink. places: row and column of each mark's centre. others: the kind of the other mark."""

    images: Float[Tensor, "batch 1 height width"]
    places: Int64[Tensor, "batch 2 2"]
    others: Int64[Tensor, "batch 2"]


@checked
def far_marks(size: Size, generator: Generator) -> FarMarks:
    """`size` fresh pictures with two marks each, each of any kind, on the generator's device.

    Within 5 pixels of a centre nothing of the other mark is to be seen. A network whose receptive field ends there
    is right in one case of four, whatever it has learned.
    """
    device, pairs = generator.device, _far_pairs()
    places = pairs.to(device)[torch.randint(len(pairs), (size,), generator=generator, device=device)]
    kinds = torch.randint(len(MARKS), (size, 2), generator=generator, device=device)
    return FarMarks(_drawn(places, MARKS.to(device)[kinds]), places, kinds.flip(1))


@checked
def at_places(
    maps: Float[Tensor, "batch numbers height width"], places: Int64[Tensor, "batch marks 2"]
) -> Float[Tensor, "batch marks numbers"]:
    """What a map says where the marks stand. It may be coarser than the picture: then, in the cells that hold them.

    Raises ValueError for a map whose sides do not divide the picture's, and for places outside of it.
    """
    height, width = maps.shape[2:]
    if not height or SIDE % height or height != width:
        raise ValueError(f"expected square maps whose sides divide {SIDE}, got shape {list(maps.shape)}")
    check_ids(places, SIDE, "places")
    cells = places // (SIDE // height)
    which = torch.arange(len(maps), device=maps.device).unsqueeze(-1)
    return maps[which, :, cells[..., 0], cells[..., 1]]


@checked
def loss_at_marks(model: Callable[[Tensor], Tensor], marks: FarMarks) -> Float[Tensor, ""]:
    """The mean cross-entropy of what a model says at each mark, in nats; model: images -> answers [batch, 4, ...].

    Raises ValueError for images that are not of real numbers from 0 to 1.
    """
    return cross_entropy(_logits_at_marks(model, marks).flatten(0, 1), marks.others.flatten())


@checked
@torch.no_grad()
def right_at_marks(model: Callable[[Tensor], Tensor], marks: FarMarks) -> float:
    """The share of marks at which a model names the other one, from 0 to 1.

    Raises ValueError for no pictures, and for images that are not of real numbers from 0 to 1.
    """
    if not len(marks.images):
        raise ValueError("expected at least one picture, got none")
    said = _logits_at_marks(model, marks).argmax(dim=-1)
    return (said == marks.others).double().mean().item()


def _logits_at_marks(model: Callable[[Tensor], Tensor], marks: FarMarks) -> Float[Tensor, "batch marks numbers"]:
    check_pixels(marks.images, "images")
    if not marks.images.is_floating_point():
        raise ValueError(f"expected images of real numbers, got {marks.images.dtype}")
    return at_places(model(marks.images), marks.places)


def _far_pairs() -> Int64[Tensor, "pairs 2 2"]:
    """All pairs of places for the centres of two marks, which lie inside and far apart."""
    inside = torch.arange(1, SIDE - 1)
    places = torch.cartesian_prod(inside, inside)
    first, second = torch.cartesian_prod(*2 * [torch.arange(len(places))]).unbind(1)
    pairs = torch.stack([places[first], places[second]], dim=1)
    return pairs[pairs.diff(dim=1).abs().amax(dim=(1, 2)) >= APART]


def _drawn(
    places: Int64[Tensor, "batch 2 2"], marks: Float[Tensor, "batch 2 3 3"]
) -> Float[Tensor, "batch 1 side side"]:
    around = torch.cartesian_prod(*2 * [torch.arange(-1, 2)]).to(places.device)  # [9, 2]
    pixels = (places.unsqueeze(2) + around).flatten(1, 2)  # [batch, 18, 2]; the marks do not touch
    images = torch.zeros(len(places), SIDE**2, device=places.device)
    images.scatter_(1, pixels[..., 0] * SIDE + pixels[..., 1], marks.flatten(1))
    return images.view(-1, 1, SIDE, SIDE)
