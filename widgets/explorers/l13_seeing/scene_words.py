"""What the explorers of this lesson say of a scene, a caption and a map."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attnlab.analysis import share_inside, share_of_area
from attnlab.tasks.scenes import Scene, cells, draw, in_order
from widgets.base.words import key, percent, query

END = "end"
NARROW = {"flex": "0 0 340px"}  # a picture beside a chart
WIDE = {"flex": "1 1 400px", "min_width": "300px", "max_width": "500px"}  # the chart


def image_of(scene: Scene) -> Tensor:
    """The picture of a scene as a view takes it, [height, width, 3]."""
    return draw(scene).permute(1, 2, 0)


def words_of(vocabulary: Sequence[str], tokens: Sequence[int], eos: int) -> list[str]:
    """The words of a caption, the last of them "end"."""
    return [END if token == eos else vocabulary[token] for token in tokens]


def meant(scene: Scene, words: Sequence[str], at: int, things: Sequence[int | None]) -> int | None:
    """Which of the things, in the order in which they are named, the word at this place of a caption is about: the only
    one whose colour and shape both stand there, else the one that is due if it is such a thing, else one that is; None
    where there is none."""
    due = things[at] if at < len(things) else None
    near = words[max(0, at - 1) : at + 2]
    all_things = [*enumerate(in_order(scene))]
    fit = [i for i, thing in all_things if words[at] in (thing.colour, thing.shape)]
    named = [i for i, thing in all_things if i in fit and {thing.colour, thing.shape} <= {*near}]
    if len(named) == 1:
        return named[0]
    return due if due in fit else next(iter(fit), None)


def inside(weights: Tensor, scene: Scene, thing: int) -> list:
    """How much of a word's weight lies inside a thing, beside the share of the picture that it covers."""
    it = in_order(scene)[thing]
    region = cells(it)
    share, area = float(share_inside(weights.flatten(), region)), float(share_of_area(region))
    which = key(f"{it.colour} {it.shape}")
    return ["Inside the ", which, f", {percent(area)} of the picture, lies {percent(share)} of the weight"]


def written(words: Sequence[str], at: int, changed: Sequence[int] = ()) -> list:
    """A caption with the word that is seen in colour, and a mark at those whose weights a hand has set."""
    runs: list = []
    for place, word in enumerate(words):
        if word != END or place == at:
            shown = f"{word}*" if place in changed else word
            runs += [query(f"[{shown}]") if place == at else shown, " "]
    return runs[:-1]


def in_code(given: Mapping[int, Tensor]) -> list[str]:
    """Two lines of code that make the same maps: of each word the places, counted row by row, and their weights."""
    sparse = {}
    for word, weights in given.items():
        places = (weights.flatten() > 1e-6).nonzero().flatten()
        sparse[word] = places.tolist(), [round(weight, 6) for weight in weights.flatten()[places].tolist()]
    row = "torch.zeros(64).index_put((torch.tensor(at),), torch.tensor(weights))"
    return [f"by_hand = {sparse}", f"given = {{word: {row}.view(8, 8) for word, (at, weights) in by_hand.items()}}"]


def mask_in_code(mask) -> list[str]:
    """A line of code that makes the same mask; none where nothing is hidden."""
    allowed = allowed_in(mask)
    if allowed is None:
        return []
    hidden = (~allowed).flatten().nonzero().flatten().tolist()
    return [f"allowed = torch.ones(64).index_fill(0, torch.tensor({hidden}), 0).view(8, 8) > 0"]


def allowed_in(mask) -> Tensor | None:
    """True where may be looked, [rows, columns], of what a hand has painted; None where nothing is hidden."""
    if mask is None:
        return None
    allowed = torch.as_tensor(mask).reshape(8, 8) > 0
    return None if bool(allowed.all()) else allowed
