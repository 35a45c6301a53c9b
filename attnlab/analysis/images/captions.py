"""Where a captioner looks, word by word, and what it writes when its weights are moved by hand."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnlab.checks import checked
from attnlab.decoding import translate
from attnlab.tasks.base import BOS, EOS
from attnlab.tasks.scenes import Scene, Scenes, cells, in_order, word_things
from attnlab.trace import override
from attnlab.training import to_device, weights_of
from attnlab.vision.captioner import Captioner


@checked
def share_inside(
    weights: Float[Tensor, "*batch places"], regions: Bool[Tensor, "*batch rows columns"]
) -> Float[Tensor, "*batch"]:
    """How much of the weight lies inside the region, from 0 to 1; the places are the grid's, row by row.

    To be read beside `share_of_area`, which even weights would give. Raises ValueError for regions that do not fit.
    """
    if weights.shape != regions.flatten(-2).shape:
        raise ValueError(
            f"expected a region of {weights.shape[-1]} places for each of {list(weights.shape[:-1])} rows of weights, "
            f"got {list(regions.shape)}"
        )
    return (weights * regions.flatten(-2)).sum(dim=-1)


@checked
def share_of_area(regions: Bool[Tensor, "*batch rows columns"]) -> Float[Tensor, "*batch"]:
    """How much of the grid the region covers, from 0 to 1. Raises ValueError for a grid without places."""
    if not regions[..., :1, :1].numel():
        raise ValueError(f"expected regions of a grid with places, got shape {list(regions.shape)}")
    return regions.float().mean(dim=(-2, -1))


@checked
def difference_of_maps(
    weights: Float[Tensor, "batch words places"], counts: Bool[Tensor, "batch words"]
) -> Float[Tensor, " batch"]:
    """How much of its weight one word's map would have to move to become another's, the mean over all pairs of words.

    0: one map for all words. 1: no two words share a place. counts: True for words, False for padding.
    Raises ValueError for a caption of fewer than two words.
    """
    if weights.shape[:2] != counts.shape or not bool((counts.sum(dim=1) > 1).all()):
        raise ValueError(
            f"expected two words or more in each caption and counts {list(weights.shape[:2])}, got "
            f"{list(counts.shape)} with {counts.sum(dim=-1).tolist()} words"
        )
    apart = torch.cdist(weights, weights, p=1) / 2  # [batch, words, words], the distance of total variation
    pairs = (counts.unsqueeze(1) & counts.unsqueeze(2)).float().triu(diagonal=1)
    return (apart * pairs).sum(dim=(1, 2)) / pairs.sum(dim=(1, 2))


@checked
def dragged(
    weights: Float[Tensor, "rows columns"], start: Bool[Tensor, "rows columns"], end: Bool[Tensor, "rows columns"]
) -> Float[Tensor, "rows columns"]:
    """The map moved as a whole, as a hand would drag it, by as many cells as lie between the centres of two regions.

    What would leave the grid is lost, and the rest sums to the same again. Raises ValueError for regions without
    a cell, and where nothing would be left.
    """
    if not (weights.shape == start.shape == end.shape and bool(start.any()) and bool(end.any())):
        raise ValueError(
            f"expected two regions {list(weights.shape)} of a cell or more, got {list(start.shape)} with "
            f"{int(start.sum())} and {list(end.shape)} with {int(end.sum())}"
        )
    down, right = (_centre(end) - _centre(start)).round().long().tolist()
    rows, columns = weights.shape
    moved = torch.zeros_like(weights)
    moved[max(down, 0) : rows + down, max(right, 0) : columns + right] = weights[
        max(-down, 0) : rows - down, max(-right, 0) : columns - right
    ]
    left = float(moved.sum())
    if left <= 0:
        raise ValueError(f"expected weights that stay on the grid, got none left {down} down and {right} to the right")
    return moved * (weights.sum() / left)


def _centre(region: Tensor) -> Tensor:
    return region.nonzero().float().mean(dim=0)


class Dragged(NamedTuple):
    """What came of it, over scenes: how often the colour became that of the other thing, of those scenes where it is
    another one; the same of the shape; and how often both words are those of the other thing, of all scenes."""

    colour: float
    shape: float
    both: float


@checked
@torch.no_grad()
def drag_to_other(model: Captioner, task: Scenes, scenes: Sequence[Scene], of: int = 0) -> Dragged:
    """Drags the weights of a thing's colour word and shape word to the other thing, and lets the model write.

    of: 0 for the thing that is named first, 1 for the other. Its words' maps are those of the right caption.
    Raises ValueError for scenes that are not two things, a model that does not attend, and another `of`.
    """
    if not scenes or any(len(scene) != 2 for scene in scenes) or of not in (0, 1):
        raise ValueError(f"expected scenes of two things and the words of thing 0 or 1, got thing {of}")
    batch = to_device(task.collate(scenes), next(model.parameters()).device)
    own = weights_of(model, "decoder.attention", batch.pictures, batch.allowed, batch.captions[:, :-1])
    given, wanted = torch.full_like(own, torch.nan), []
    for i, scene in enumerate(scenes):
        things = in_order(scene)
        regions = [cells(thing) for thing in things]
        at = [word for word, thing in enumerate(word_things(scene)) if thing == of]
        for word in at:
            map_ = own[i, word].unflatten(0, regions[0].shape)
            given[i, word] = dragged(map_, regions[of], regions[1 - of]).flatten()
        wanted.append((at, things[of], things[1 - of]))
    with override(model, {"decoder.attention": given}):
        written = translate(model, batch.pictures, batch.allowed, BOS, EOS, max_steps=10).tolist()
    return _counted(task, written, wanted)


def _counted(task: Scenes, written: list[list[int]], wanted: list) -> Dragged:
    became: dict[str, list[bool]] = {"colour": [], "shape": []}
    both = []
    for words, (at, thing, other) in zip(written, wanted, strict=True):
        got = [task.vocabulary[words[place]] if place < len(words) else "" for place in at]  # it may have ended
        both.append(got == [other.colour, other.shape])
        for word, kind in zip(got, became, strict=True):
            if getattr(thing, kind) != getattr(other, kind):
                became[kind].append(word == getattr(other, kind))
    return Dragged(_share(became["colour"]), _share(became["shape"]), _share(both))


def _share(found: list[bool]) -> float:
    return sum(found) / max(len(found), 1)
