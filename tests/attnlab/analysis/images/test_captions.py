"""Where a captioner looks, measured as in the loops, and maps dragged by hand."""

import re
from types import SimpleNamespace

import pytest
import torch

from attnlab.analysis.images.captions import (
    difference_of_maps,
    drag_to_other,
    dragged,
    share_inside,
    share_of_area,
)
from attnlab.specs.vision import captioner as specs
from attnlab.tasks.scenes import Scenes, Thing, cells, in_order
from attnlab.vision import Captioner, FixedCaptioner

WEIGHTS = torch.rand(2, 5, 12).softmax(-1)


def test_shares_are_those_of_the_loops():
    regions = torch.rand(2, 5, 3, 4) < 0.4
    got = share_inside(WEIGHTS, regions)
    for i in range(2):
        for word in range(5):
            wanted = specs.share_inside(WEIGHTS[i, word], regions[i, word])
            assert got[i, word].item() == pytest.approx(wanted, abs=1e-6)
    torch.testing.assert_close(share_of_area(regions), regions.sum((-1, -2)) / 12)
    even = torch.full((2, 5, 12), 1 / 12)
    torch.testing.assert_close(share_inside(even, regions), share_of_area(regions))


def test_maps_differ_as_in_the_loops():
    counts = torch.arange(5) < torch.tensor([[5], [3]])
    got = difference_of_maps(WEIGHTS, counts)
    assert got.tolist() == pytest.approx([specs.difference_of_maps(WEIGHTS[i], n) for i, n in [(0, 5), (1, 3)]])
    assert difference_of_maps(WEIGHTS[:, :1].expand(-1, 5, -1), counts).abs().max() == 0
    apart = torch.eye(12)[:5].expand(2, -1, -1)
    assert difference_of_maps(apart, counts).tolist() == [1.0, 1.0]


def region(row, column):
    found = torch.zeros(5, 7, dtype=torch.bool)
    found[row : row + 2, column : column + 3] = True
    return found


@pytest.mark.parametrize(("down", "right"), [(0, 0), (1, 1), (-1, 1), (2, -3), (-2, -1)])
def test_a_map_is_dragged_by_whole_cells(down, right):
    weights = torch.rand(5, 7)
    start = region(2 if down < 1 else 1, 3)
    end = region((2 if down < 1 else 1) + down, 3 + right)
    torch.testing.assert_close(dragged(weights, start, end), specs.dragged(weights, down, right))


@pytest.mark.usefixtures("as_a_learner")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: dragged(torch.rand(5, 7), region(0, 0), region(9, 9)),
            "of a cell or more, got [5, 7] with 6 and [5, 7]",
        ),
        (
            lambda: dragged(region(0, 0).float(), region(3, 4), region(0, 0)),
            "got none left -3 down and -4 to the right",
        ),
        (lambda: share_inside(WEIGHTS, torch.ones(2, 5, 3, 3) > 0), "a region of 12 places for each of [2, 5] rows"),
        (lambda: share_of_area(torch.ones(0, 3) > 0), "a grid with places, got shape [0, 3]"),
        (lambda: difference_of_maps(WEIGHTS, torch.arange(5) < torch.tensor([[5], [1]])), "with [5, 1] words"),
        (lambda: drag_to_other(Captioner(18), Scenes(size=20, tests=3), [()]), "scenes of two things"),
        (lambda: drag_to_other(Captioner(18), Scenes(size=20, tests=3), [], of=2), "got thing 2"),
        (lambda: drag_to_other(FixedCaptioner(18), Scenes(size=20, tests=3), SCENES), "nothing called 'decoder.atten"),
    ],
)
def test_complaints(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


SCENES = [
    (Thing("red", "square", 5, 5), Thing("blue", "circle", 9, 21)),
    (Thing("green", "cross", 21, 13), Thing("green", "triangle", 5, 9)),
]


def test_dragging_gives_the_other_thing_the_map_and_counts_its_words(monkeypatch):
    """A model that reads a thing's colour and shape off the place with the most weight."""
    task, seen = Scenes(size=20, tests=3), []
    own = torch.zeros(2, 9, 64)
    for i, scene in enumerate(SCENES):
        own[i] = cells(in_order(scene)[0]).flatten() / cells(in_order(scene)[0]).sum()

    def translate(model, pictures, allowed, *_, **__):
        given = model.attention.given
        seen.append(given)
        words = torch.full((2, 10), 2)
        for i, scene in enumerate(SCENES):
            for word, kind in [(1, "colour"), (2, "shape")]:
                [thing] = [thing for thing in scene if cells(thing).flatten()[given[i, word].argmax()]]
                words[i, word] = task.vocabulary.index(getattr(thing, kind))
        words[1, 2] = task.vocabulary.index("square")  # once it says something else
        return words

    def override(model, given):
        model.attention.given = given["decoder.attention"]
        return torch.no_grad()

    monkeypatch.setattr("attnlab.analysis.images.captions.weights_of", lambda *_: own)
    monkeypatch.setattr("attnlab.analysis.images.captions.translate", translate)
    monkeypatch.setattr("attnlab.analysis.images.captions.override", override)
    model = Captioner(18)
    model.attention = SimpleNamespace()
    assert drag_to_other(model, task, SCENES) == (1.0, 0.5, 0.5)  # both things of the second scene are green
    assert seen[0][:, [0, 3, 4, 5, 6, 7, 8]].isnan().all()
    torch.testing.assert_close(seen[0][:, 1:3].sum(-1), torch.ones(2, 2))
