"""What is said of a word, its map and its thing."""

import torch

from attnlab.tasks.scenes import Thing, cells, draw, in_order
from widgets.base.words import plain, say
from widgets.explorers.l13_seeing.scene_words import allowed_in, image_of, in_code, inside, mask_in_code, meant, written

SCENE = (Thing("blue", "circle", 9, 21), Thing("red", "square", 5, 5))
TWINS = (Thing("red", "cross", 5, 5), Thing("red", "square", 9, 21))


def test_the_image_has_its_colours_last():
    assert image_of(SCENE).shape == (32, 32, 3)
    assert torch.equal(image_of(SCENE)[5, 5], draw(SCENE)[:, 5, 5])


def test_which_thing_a_word_is_about():
    things = [None, 0, 0, None, None, None, 1, 1]
    assert meant(SCENE, ["a", "red"], 1, things) == 0, "the square is named first"
    assert meant(SCENE, ["a", "blue"], 1, things) == 1, "another thing than the one that is due"
    assert meant(SCENE, ["a", "green"], 1, things) is None
    assert meant(SCENE, ["a"], 0, things) is None
    reds = ["red" if at in (1, 6, 20) else "" for at in range(21)]
    assert [meant(TWINS, reds, at, things) for at in (1, 6, 20)] == [0, 1, 0]


def test_a_thing_that_is_named_whole_is_meant_whatever_is_due():
    due = [None, 0, 0]
    one, other = in_order(SCENE)
    assert meant(SCENE, ["a", other.colour, other.shape], 2, due) == 1
    assert meant(SCENE, ["a", one.colour, one.shape], 1, due) == 0


def test_a_share_stands_beside_the_area():
    region = cells(SCENE[1]).float()
    said = plain(say(*inside(region / region.sum(), SCENE, 0)))
    assert said == "Inside the red square, 14\u202f% of the picture, lies 100\u202f% of the weight"


def test_a_caption_with_the_word_that_is_seen():
    assert plain(say(*written(["a", "red", "end"], 1))) == "a [red]"
    assert plain(say(*written(["a", "red", "end"], 2))) == "a red [end]"
    assert plain(say(*written(["a", "red", "end"], 0, [1]))) == "[a] red*"


def test_code_makes_the_same_maps_and_masks():
    row = torch.zeros(8, 8)
    row[2, 3], row[7, 0] = 0.25, 0.75
    names = {"torch": torch}
    mask = torch.ones(1, 8, 8)
    mask[0, 3, 1:4] = 0
    exec("\n".join([*in_code({1: row, 4: row.T}), *mask_in_code(mask)]), names)
    torch.testing.assert_close(names["given"], {1: row, 4: row.T.contiguous()})
    assert torch.equal(names["allowed"], mask[0] > 0)
    assert torch.equal(allowed_in(mask), mask[0] > 0)
    assert allowed_in(None) is None
    assert mask_in_code(None) == []
    assert allowed_in(torch.ones(1, 8, 8)) is None
