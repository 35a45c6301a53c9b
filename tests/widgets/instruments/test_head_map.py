"""HeadMap without a page: its words, its small pictures, and what it refuses."""

import numpy as np
import pytest
import torch
from traitlets import TraitError

from widgets.instruments.head_map.head_map import SIDE, HeadMap, thumbnails


def layers(*heads, size=5):
    return [torch.rand(count, size, size) for count in heads]


def shown(heads, which):
    """The small picture of one head, counted on from layer to layer."""
    return np.frombuffer(heads.cells, np.uint8).reshape(-1, heads.side, heads.side)[which] / 255


def test_words():
    heads = HeadMap()
    assert repr(heads) == "HeadMap(0 heads in 0 rows)"
    heads.show(**thumbnails(layers(2, 3), ["layer 1", "layer 2"]), chosen=[1, 2], off=[[1, 0], [0, 1]])
    assert repr(heads) == (
        "HeadMap(5 heads in 2 rows; chosen layer 2, head 3; off layer 1, head 2; off layer 2, head 1)"
    )


def test_a_short_text_has_a_cell_for_each_weight():
    weights = layers(2, 3)
    heads = HeadMap()
    heads.show(**thumbnails(weights, ["a", "b"]))
    np.testing.assert_allclose(shown(heads, 3), weights[1][1], atol=0.5 / 255 + 1e-6)


@pytest.mark.parametrize("size", [25, 64, 101, 512])
def test_a_thin_line_stays_a_line(size):
    """The previous token of each query: at most a cell beside the diagonal, and none of it is lost."""
    line = torch.zeros(1, size, size)
    line[0, 0, 0] = 1
    line[0, range(1, size), range(size - 1)] = 1
    heads = HeadMap()
    heads.show(**thumbnails([line], ["a"]))
    picture = shown(heads, 0)
    assert picture.shape == (SIDE, SIDE)
    assert picture.any(axis=1).all()
    rows, columns = picture.nonzero()
    assert abs(rows - columns).max() <= 1
    assert set(picture.flat) == {0, 1}


def test_layers_of_other_shapes_share_one_size():
    heads = HeadMap()
    heads.show(**thumbnails([torch.eye(4)[None], torch.ones(2, 4, 30)], ["a", "b"]))
    assert heads.side == SIDE
    assert heads.counts == [1, 2]
    assert shown(heads, 1).min() == 1


def test_offers_every_head():
    heads = HeadMap()
    heads.show(**thumbnails(layers(1, 2), ["a", "b"]))
    assert heads.offers("chosen") == [[0, 0], [1, 0], [1, 1]]
    assert heads.offers("off") == []


def test_a_model_with_fewer_layers_drops_what_was_chosen_in_the_others():
    heads = HeadMap()
    heads.show(**thumbnails(layers(2, 3), ["a", "b"]), chosen=[1, 1], off=[[0, 1], [1, 2]], changed=[[1, 0]])
    heads.show(**thumbnails(layers(2), ["a"]))
    assert (heads.chosen, heads.off, heads.changed) == ([], [[0, 1]], [])
    assert repr(heads) == "HeadMap(2 heads in 1 rows; off a, head 2)"


def test_what_is_refused():
    heads = HeadMap()
    heads.show(**thumbnails(layers(2, 3), ["a", "b"]))
    with pytest.raises(TraitError, match="expected 125 cells, got 3"):
        heads.cells = b"abc"
    with pytest.raises(TraitError, match="a count for each of 1 rows"):
        heads.rows = ["a"]
    for name, value in (("chosen", [2, 0]), ("chosen", [0, 2]), ("off", [[0, -1]]), ("changed", [[1]])):
        with pytest.raises(TraitError, match=rf"{name}: expected \[row, head\] within rows of \[2, 3\] heads"):
            setattr(heads, name, value)
