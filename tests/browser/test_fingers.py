"""A finger on a phone: it scrolls the page over pictures, drags what it takes hold of, and moves nothing on the way."""

import numpy as np
import pytest
from hands import finger

from widgets import TemperatureExplorer
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.picture.picture import Picture

pytestmark = pytest.mark.browser
LABELS = {"query_labels": ["a", "b", "c"], "key_labels": ["x", "y", "z"]}


@pytest.fixture
def phone(phone):
    """With room to scroll."""
    phone.page.evaluate("Object.assign(document.body.style, { height: '3000px', paddingTop: '250px' })")
    return phone


def swipe(bridge, start, by, steps=12):
    """A finger that goes from `start` by so many pixels; how far the page was scrolled."""
    page = bridge.page
    way = [(start[0] + by[0] * step / steps, start[1] + by[1] * step / steps) for step in range(steps + 1)]
    finger(page, *way)
    page.wait_for_timeout(300)
    bridge.settle()
    scrolled = page.evaluate("scrollY")
    page.evaluate("scrollTo(0, 0)")
    return scrolled


def middle(place, x=0.5, y=0.5):
    box = place.bounding_box()
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


@pytest.mark.parametrize("editing", ["", "weights", "order"])
def test_it_scrolls_over_the_cells_of_a_matrix(phone, editing):
    matrix = phone.show(Matrix(np.full((3, 3), 1 / 3), editing=editing, **LABELS))
    assert swipe(phone, middle(phone.page.locator(".matrix canvas"), y=0.35), (0, -120)) > 60
    assert (matrix.edits, matrix.key_order, matrix.query_order) == ({}, [], [])


def test_it_drags_a_bar_and_the_page_stands_still(phone):
    weights = np.full((3, 3), 1 / 3)
    matrix = phone.show(Matrix(weights, editing="weights", row_bars=True, selected=[0, 0, 0], **LABELS))
    canvas = phone.page.locator(".matrix canvas")
    first = phone.page.evaluate("document.querySelector('.matrix').attnlab.geometry().boxes[0]")
    corner = canvas.bounding_box()
    strip = corner["x"] + first["x"] + 20, corner["y"] + first["bottom"] + 24 + 60
    assert swipe(phone, strip, (0, -40)) == 0
    assert matrix.edits


@pytest.mark.parametrize("editing", ["", "mask", "weights", "order"])
def test_it_scrolls_over_a_picture_and_changes_nothing(phone, editing):
    picture = phone.show(Picture(np.zeros((8, 8)), np.full((1, 4, 4), 1 / 16), editing=editing))
    assert swipe(phone, middle(phone.page.locator(".picture canvas")), (0, -120)) > 60
    assert (picture.edits, picture.mask, picture.order) == ({}, None, [])


def test_sideways_it_drags_in_a_picture_and_may_turn_then(phone):
    picture = phone.show(Picture(np.zeros((8, 8)), np.full((1, 4, 4), 1 / 16), editing="mask"))
    assert swipe(phone, middle(phone.page.locator(".picture canvas"), x=0.15, y=0.4), (150, 60)) == 0
    assert picture.mask is not None


def test_a_slider_under_a_scrolling_finger_keeps_its_value(phone):
    explorer = phone.show(TemperatureExplorer())
    slider = phone.page.get_by_role("slider").first
    before = slider.input_value()
    for x in (0.1, 0.9):
        assert swipe(phone, middle(slider, x=x), (0, -80)) > 30
        assert (slider.input_value(), str(explorer.temperature)) == (before, str(float(before)))
    swipe(phone, middle(slider, x=0.5), (80, 0))
    assert slider.input_value() != before
