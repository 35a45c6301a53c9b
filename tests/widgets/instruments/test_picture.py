"""Picture without a page: shapes, checks, words, bytes."""

import gzip

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from traitlets import TraitError

from widgets.base.instrument import STATIC, pack_array
from widgets.instruments.picture.picture import NOT_A_NUMBER, Picture, _bytes, side_by_side


def image(height=6, width=9, *lead, colours=0, seed=0):
    shape = (*lead, height, width, *([colours] if colours else []))
    return np.random.default_rng(seed).random(shape).astype(np.float32)


def weights(rows=2, columns=3, *lead, seed=0):
    x = np.random.default_rng(seed).random((*lead, rows, columns)).astype(np.float32)
    return x / x.sum((-2, -1), keepdims=True)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (image(5, 7), (1, 1, 5, 7, 1)),
        (image(5, 7, colours=3), (1, 1, 5, 7, 3)),
        (image(5, 7, 4), (4, 1, 5, 7, 1)),
        (image(5, 7, 4, colours=3), (4, 1, 5, 7, 3)),
        (image(5, 7, 4, 2), (4, 2, 5, 7, 1)),
        (image(5, 7, 4, 2, colours=3), (4, 2, 5, 7, 3)),
        (side_by_side(image(5, 7), image(5, 7)), (1, 2, 5, 7, 1)),
        (torch.rand(5, 7, requires_grad=True), (1, 1, 5, 7, 1)),
    ],
)
def test_images_are_stored_with_frames_panels_and_colours(given, stored):
    assert Picture(given).image.shape == stored


def test_weights_are_stored_with_frames_and_panels():
    assert Picture(image(), weights()).weights.shape == (1, 1, 2, 3)
    assert Picture(image(), weights(2, 3, 5)).weights.shape == (5, 1, 2, 3)
    assert Picture(image(), weights(2, 3, 5, 2)).weights.shape == (5, 2, 2, 3)
    assert Picture().image is None
    assert Picture(image()).shown is None


@given(st.floats(0, 1, width=32))
def test_a_pixel_travels_as_one_byte(light):
    packed = _bytes(np.full((1, 1, 1, 1, 1), light, np.float32))
    (byte,) = bytes(packed["data"])
    assert byte < NOT_A_NUMBER
    assert abs(byte / 254 - light) <= 0.5 / 254 + 1e-6


def test_it_is_small_in_bytes():
    """A byte a pixel, four a weight, and a script of 15 KB as it travels, once a kernel."""
    picture = Picture(np.zeros((256, 256)), weights(28, 28))
    assert len(_bytes(picture.image)["data"]) == 256**2
    assert len(pack_array(picture.weights)["data"].tobytes()) == 4 * 28**2
    assert len(gzip.compress((STATIC / "picture.js").read_bytes(), 9)) < 16_000


def test_a_pixel_that_is_not_a_number_has_a_byte_of_its_own():
    holed = image()
    holed[1, 2] = np.nan
    picture = Picture(holed)
    assert list(bytes(_bytes(picture.image)["data"])).count(NOT_A_NUMBER) == 1
    assert "1 pixels are not a number" in repr(picture)
    assert _bytes(None) is None


@pytest.mark.parametrize(
    ("traits", "expected", "got"),
    [
        ({"image": np.ones(3)}, "[height, width]", "shape (3,)"),
        ({"image": np.ones((2, 2, 2, 2, 2))}, "[height, width]", "shape (2, 2, 2, 2, 2)"),
        ({"image": np.ones((0, 4))}, "[height, width]", "shape (0, 4)"),
        ({"image": 200 * np.ones((6, 9))}, "0 (black) to 1", "200; divide bytes by 255"),
        ({"image": -np.ones((6, 9))}, "0 (black) to 1", "-1"),
        ({"image": np.full((6, 9), np.inf)}, "0 (black) to 1", "inf"),
        ({"image": "a cat"}, "an array of numbers", "str"),
        ({"image": [[1, 0], [1]]}, "an array of numbers", "list"),
        ({"image": image(6, 9, 3)}, "3 frames as the image has", "4"),
        ({"weights": np.ones(3)}, "[rows, columns]", "shape (3,)"),
        ({"weights": weights(3, 3)}, "3 rows x 3 columns as the grid", "(2, 3)"),
        ({"weights": weights(7, 3), "mask": None}, "one cell a pixel, 6 x 9", "7 x 3"),
        ({"weights": weights(2, 3, 1, 2), "image": image(6, 9, 1, 3)}, "panels as the image has", "2"),
        ({"mask": np.ones((3, 2))}, "2 rows x 3 columns as the grid", "(3, 2)"),
        ({"grid": [4]}, "[rows, columns]", "[4]"),
        ({"grid": [0, 3]}, "[rows, columns]", "[0, 3]"),
        ({"grid": [3, 3]}, "3 rows x 3 columns as the grid", "(2, 3)"),
        ({"order": [0, 1, 2]}, "each of 0 to 5 once", "[0, 1, 2]"),
        ({"order": [0, 1, 2, 3, 4, 4]}, "each of 0 to 5 once", "[0, 1, 2, 3, 4, 4]"),
        ({"image": image(7, 9), "order": [1, 0, 2, 3, 4, 5]}, "a grid that divides 7 x 9 pixels", "2 x 3"),
        ({"glimpses": [[0.0, 1.01]]}, "from -1 (left, top) to 1", "[0.0, 1.01]"),
        ({"glimpses": [[0.0, float("nan")]]}, "from -1 (left, top) to 1", "[0.0, nan]"),
        ({"glimpses": [[0.0]]}, "[x, y]", "[0.0]"),
        ({"glimpses": [[0.0, 0.0, 1.0]]}, "the panel of 1", "[0.0, 0.0, 1.0]"),
        ({"titles": ["a", "b"]}, "1 names, one a panel", "2"),
        ({"frame_names": ["a"]}, "4 names, one a frame", "1"),
        ({"frame": 4}, "0 to 3", "4"),
        ({"selected": [0, 2, 0]}, "within 1, 2 and 3", "[0, 2, 0]"),
        ({"hovered": [1]}, "[panel, row, column]", "[1]"),
        ({"edits": {"0": [1.0]}}, "6 weights that sum to 1", "1 with 1"),
        ({"edits": {"0": [0.5] * 6}}, "6 weights that sum to 1", "6 with 3"),
        ({"edits": {"0": [2.0, -1.0, 0, 0, 0, 0]}}, "6 weights that sum to 1", "6 with 1"),
        ({"edits": {"first": [1.0]}}, "names such as '3'", "'first'"),
        ({"edits": {"9": [1.0]}}, "frames that are there", "'9'"),
        ({"edits": {"-1": [1.0]}}, "frames that are there", "'-1'"),
    ],
)
def test_a_misfit_quotes_what_was_expected_and_what_came(traits, expected, got):
    picture = Picture(image(), weights(2, 3, 4), mask=np.ones((2, 3)))
    before = repr(picture), picture.image, picture.weights
    with pytest.raises(TraitError) as error:
        picture.show(**traits)
    assert expected in str(error.value)
    assert f"got {got}" in str(error.value)
    assert repr(picture) == before[0], "the last good picture stays"
    np.testing.assert_array_equal(picture.image, before[1])
    np.testing.assert_array_equal(picture.weights, before[2])


def test_edits_need_weights():
    with pytest.raises(TraitError, match="edits: expected none without weights"):
        Picture(image(), edits={"0": [1.0]})


def test_arrays_of_one_shape_stand_side_by_side():
    assert side_by_side(image(), image(seed=1)).shape == (1, 2, 6, 9)
    with pytest.raises(ValueError, match="of one shape"):
        side_by_side(image(5, 5), image(5, 6))


def test_what_pointed_into_a_picture_of_another_shape_is_dropped():
    picture = Picture(image(), weights(), selected=[0, 1, 2], order=[1, 0, 2, 3, 4, 5], edits={"0": [1, 0, 0, 0, 0, 0]})
    picture.show(weights=weights(2, 2), image=image(4, 4))
    assert (picture.selected, picture.order, picture.edits) == ([], [], {})
    np.testing.assert_array_equal(picture.shown, picture.weights[0])


def test_what_is_shown_holds_what_the_hand_moved():
    picture = Picture(image(6, 9, 1, 2), weights(2, 3, 4, 2), frame=2)
    picture.edits = {"1:2": [0, 0, 0, 0, 0, 1], "1": [1, 0, 0, 0, 0, 0]}
    np.testing.assert_array_equal(picture.shown[0], picture.weights[2, 0])
    np.testing.assert_array_equal(picture.shown[1], [[0, 0, 0], [0, 0, 1]])
    picture.frame = 1
    np.testing.assert_array_equal(picture.shown[0], [[1, 0, 0], [0, 0, 0]])


def test_places_say_which_patch_stands_where():
    picture = Picture(image(), grid=[2, 3])
    assert picture.places == [0, 1, 2, 3, 4, 5]
    picture.order = [5, 1, 2, 3, 4, 0]
    assert picture.places == [5, 1, 2, 3, 4, 0]
    assert Picture().places == []


def test_in_words():
    assert repr(Picture()) == "Picture(empty)"
    assert repr(Picture(image())) == "Picture(image 6 x 9)"
    peaked = np.full((3, 2, 3), 0.1)
    peaked[1, 1, 2] = 0.5
    picture = Picture(image(), peaked, frame_names=["a", "red", "circle"], frame=1)
    assert repr(picture) == 'Picture(image 6 x 9; frame "red" of 3; weights 2 x 3; most at row 2, column 3: 0.50)'
    picture.show(mask=[[1, 0, 1], [1, 1, 1]], selected=[0, 0, 1])
    assert repr(picture).endswith("0.50; 1 cells hidden; selected row 1, column 2: hidden)")
    looked = Picture(image(), glimpses=[[0, 0], [0.5, -0.25]])
    assert repr(looked) == "Picture(image 6 x 9; glimpses (0.00, 0.00), (0.50, −0.25))"
    mixed = Picture(image(), grid=[2, 3], order=[1, 0, 2, 3, 4, 5])
    assert repr(mixed) == "Picture(image 6 x 9; grid 2 x 3; 2 of 6 patches not at their place)"


def test_what_is_not_a_number_is_named():
    holed = weights()
    holed[0, 0] = np.nan
    assert repr(Picture(image(), holed)).endswith("1 cells are not a number)")
    assert repr(Picture(image(), np.full((2, 3), np.nan))).endswith("weights 2 x 3; 6 cells are not a number)")


def test_several_images_in_words():
    row = Picture(
        side_by_side(image(), image()), side_by_side(np.eye(3), np.eye(3)[::-1]), titles=["a", "b"], selected=[1, 0, 2]
    )
    assert repr(row) == (
        "Picture(2 images 6 x 9; scores 3 x 3; most at a, row 1, column 1: 1.00, most at b, row 1, column 3: 1.00; "
        "selected b, row 1, column 3: 1.00)"
    ).replace("scores", "weights")


def test_a_mask_from_the_page_becomes_the_mask():
    picture = Picture(image(), weights())
    picture.set_state({"mask": pack_array(np.array([[[1, 0, 1], [1, 1, 1]]], np.float32))})
    np.testing.assert_array_equal(picture.mask, [[[1, 0, 1], [1, 1, 1]]])
