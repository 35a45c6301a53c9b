"""FarMarksExplorer: the map of the place that asks, and what two networks answer there."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab.tasks.far_marks import right_at_marks
from widgets.base.words import percent
from widgets.explorers.l15_vision_transformer.far_marks import FarMarksExplorer


@pytest.fixture
def explorer(readers, marks):
    return FarMarksExplorer(readers, marks)


def test_every_control(explorer, readers, marks):
    drive(explorer, models=readers, marks=marks)
    explorer.cell = [0, 4, 1]
    code_gives_the_picture(explorer, models=readers, marks=marks)


def test_numbers_by_torch(explorer, readers, marks):
    explorer.change(picture_number=2, cell=[0, 3, 5])
    image = marks.images[1, None]
    with torch.no_grad():
        [network] = readers["self-attention"]
        attention = network[5].places
        maps = torch.nn.Sequential(*list(network)[:5])(image)
        query, key = attention.query(maps).flatten(2)[0], attention.key(maps).flatten(2)[0]
        expected = (query.T @ key).softmax(-1)[3 * 6 + 5].view(6, 6)
        chances = [one(image)[0, :, 3, 5].softmax(0) for [one] in readers.values()]
    torch.testing.assert_close(explorer.weights, expected)
    torch.testing.assert_close(explorer.result.chances, torch.stack(chances))


def test_the_hand_lets_a_place_ask(explorer):
    first = explorer.weights
    explorer.parts["map"].selected = [0, 5, 5]
    assert explorer.cell == [0, 5, 5]
    assert not torch.equal(explorer.weights, first)
    assert ("No mark" in repr(explorer.parts["caption"])) == ([5, 5] not in explorer.result.marks)


def test_the_second_mark_is_asked_for_the_first(explorer, marks):
    for place in (0, 1):
        explorer.cell = [0, *(marks.places[0, place] // 2).tolist()]
        kinds = ["plus", "cross", "ring", "T"]
        words = repr(explorer.parts["caption"])
        assert f"The place of the {kinds[marks.others[0, 1 - place]]} gives" in words
        best = [int(chances.argmax()) == marks.others[0, place] for chances in explorer.result.chances]
        assert words.count(": right.") == sum(best)
        assert words.count(": wrong.") == 2 - sum(best)


def test_a_picture_that_is_not_there(explorer):
    explorer.picture_number = 6
    assert "expected a picture from 1 to 5, got 6" in repr(explorer)


def test_the_weight_around_the_other_mark_is_told(explorer, marks):
    row, column = (marks.places[0, 1] // 2).tolist()
    near = sum(
        explorer.weights[r, c].item() for r in range(6) for c in range(6) if max(abs(r - row), abs(c - column)) <= 1
    )
    assert f"gives {percent(near)} of its weight to" in repr(explorer.parts["caption"])


def test_all_marks_are_counted_with_each_seed(readers, marks):
    """The second network is the other one: each share stands under the name that it was given."""
    [attentive], [local] = readers.values()
    explorer = FarMarksExplorer({"self-attention": [attentive, local], "no attention": [local]}, marks)
    first, second = (percent(right_at_marks(network, marks)) for network in (attentive, local))
    assert first != second
    words = repr(explorer.parts["caption"])
    assert words.endswith(
        f"Of all 10 marks, right with each seed: self-attention {first}, {second}; no attention {second}."
    )
    with pytest.raises(ValueError, match=r"a network or more of each name, got none of \['no attention'\]"):
        FarMarksExplorer({"self-attention": [attentive], "no attention": []}, marks)


def test_pictures_in_bytes_are_named(readers, marks):
    with pytest.raises(ValueError, match="images of numbers from 0 to 1, got 255; divide bytes by 255"):
        FarMarksExplorer(readers, marks._replace(images=255 * marks.images))
