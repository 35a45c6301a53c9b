"""HeadMap in a real browser: heads chosen and switched off by mouse and keyboard."""

import pytest
import torch
from bridge import Bridge, kernel

from widgets.base.instrument import COLOURS
from widgets.instruments.head_map.head_map import HeadMap, thumbnails

pytestmark = pytest.mark.browser

CANVAS = ".attnlab-headmap canvas.all"


def a_map(layers=3, heads=4, tokens=6):
    torch.manual_seed(0)
    weights = [torch.rand(heads, tokens, tokens).tril() for _ in range(layers)]
    return thumbnails(weights, [f"layer {layer}" for layer in range(1, layers + 1)])


@pytest.fixture
def heads(bridge):
    shown = HeadMap()
    shown.show(**a_map(), chosen=[0, 0])
    return bridge.show(shown)


def at(page, row, head):
    place = page.evaluate(
        "([row, head]) => document.querySelector('.attnlab-headmap').attnlab.middle(row, head)", [row, head]
    )
    return place["x"], place["y"]


def colour(page, row, head, across=0.0):
    """The colour in the middle of a small picture, or so many pixels right of it."""
    x, y = at(page, row, head)
    return page.evaluate(
        """([x, y]) => {
            const canvas = document.querySelector('.attnlab-headmap canvas.all');
            const box = canvas.getBoundingClientRect();
            const ratio = canvas.width / box.width;
            return [...canvas.getContext('2d').getImageData((x - box.x) * ratio, (y - box.y) * ratio, 1, 1).data];
        }""",
        [x + across, y],
    )


def near(page):
    """The colours on a line through the head that is seen from near, darkest first."""
    line = page.locator(".attnlab-headmap .near canvas").evaluate(
        "(el) => { const ctx = el.getContext('2d'); const y = Math.floor(el.height / 2);"
        " return Array.from({ length: 60 }, (_, i) => [...ctx.getImageData(20 + i, y, 1, 1).data]); }"
    )
    return sorted({tuple(one[:3]) for one in line})


def test_a_click_chooses(bridge, page, heads):
    page.mouse.click(*at(page, 2, 1))
    bridge.settle()
    assert heads.chosen == [2, 1]
    assert page.locator(".attnlab-headmap .name").text_content() == "layer 3, head 2"
    assert "chosen: layer 3, head 2" in page.locator(CANVAS).get_attribute("aria-label")


def test_the_pointer_shows_a_head_from_near(bridge, page, heads):
    page.mouse.move(*at(page, 1, 3))
    bridge.settle()
    assert page.locator(".attnlab-headmap .name").text_content() == "layer 2, head 4"
    assert heads.chosen == [0, 0]
    page.mouse.move(1, 1)
    bridge.settle()
    assert page.locator(".attnlab-headmap .name").text_content() == "layer 1, head 1"


def test_by_keyboard(bridge, page, heads):
    page.locator(CANVAS).focus()
    for press in ("ArrowDown", "ArrowRight", "ArrowRight", "x"):
        page.keyboard.press(press)
    bridge.settle()
    assert (heads.chosen, heads.off) == ([1, 2], [[1, 2]])
    assert page.locator(".attnlab-headmap [role=status]").text_content() == "layer 2, head 3, off"
    for press in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowUp"):
        page.keyboard.press(press)
    bridge.settle()
    assert heads.chosen == [0, 0]


def test_the_button_switches_off_and_on(bridge, page, heads):
    button = page.locator(".attnlab-headmap button")
    button.click()
    bridge.settle()
    assert (heads.off, button.text_content()) == ([[0, 0]], "switch it on")
    button.click()
    bridge.settle()
    assert (heads.off, button.text_content()) == ([], "switch it off")


def test_a_mouse_that_passes_leaves_the_focus_on_the_button(bridge, page, heads):
    page.locator(CANVAS).focus()
    page.keyboard.press("Tab")
    page.mouse.move(*at(page, 1, 3))
    bridge.settle()
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"
    page.keyboard.press("Enter")
    bridge.settle()
    assert heads.off == [[0, 0]]


def test_small_pictures_have_the_colours_of_their_weights(bridge, page):
    """A head of ones is the darkest colour, one of zeros the page's own."""
    shown = HeadMap()
    shown.show(**thumbnails([torch.stack([torch.zeros(3, 3), torch.ones(3, 3)])], ["layer 1"]))
    bridge.show(shown)
    assert colour(page, 0, 0) == [255, 255, 255, 255]
    assert colour(page, 0, 1) == [28, 33, 93, 255]
    page.evaluate("document.body.style.background = '#212121'; document.body.dataset.jpThemeLight = 'false'")
    bridge.settle(400)
    assert colour(page, 0, 0) == [33, 33, 33, 255], "another theme has other colours"


def test_from_near_it_is_the_head_that_was_chosen(bridge, page):
    """Also where layers have different numbers of heads. One that is off is hatched; what was changed has a ring."""
    shown = HeadMap()
    weights = [torch.zeros(3, 3, 3), torch.ones(1, 3, 3)]
    shown.show(**thumbnails(weights, ["layer 1", "layer 2"]), chosen=[1, 0], changed=[[0, 1]])
    bridge.show(shown)
    assert near(page) == [(28, 33, 93)]
    shown.show(chosen=[0, 2], off=[[0, 2]])
    bridge.settle()
    assert len(near(page)) > 1
    half = (at(page, 0, 1)[0] - at(page, 0, 0)[0] - 4) / 2
    ring = list(bytes.fromhex(COLOURS["roles"]["context"]["mark"][1:]))
    assert [colour(page, 0, head, across=0.5 - half)[:3] == ring for head in range(3)] == [False, True, False]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 1000, 1400])
def test_it_fits(page, dark, width):
    page.set_viewport_size({"width": width + 60, "height": 900})
    with kernel():
        bridge, shown = Bridge(page, dark=dark, width=width), HeadMap()
        shown.show(**a_map(layers=12, heads=16), chosen=[11, 15])
        bridge.show(shown)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        x, y = at(page, 11, 15)
        box = page.locator(CANVAS).bounding_box()
        assert box["x"] < x < box["x"] + box["width"]
        assert box["y"] < y < box["y"] + box["height"]
