"""HeadSwitches in a real browser: heads switched off and on by mouse and keyboard."""

import pytest
from bridge import Bridge, kernel

from widgets.instruments.head_switches.head_switches import HeadSwitches

pytestmark = pytest.mark.browser

NOTES = [["1 before 0.98", "<b>2 before</b> 0.55"], ["mixed", "diffuse 0.61"]]


@pytest.fixture
def board(bridge):
    return bridge.show(HeadSwitches(rows=["layer 1", "layer 2"], notes=NOTES))


def switches(page):
    return page.locator(".attnlab-switchboard button")


def test_a_press_switches_off_and_another_on_again(bridge, page, board):
    switches(page).nth(3).click()
    switches(page).nth(0).click()
    bridge.settle()
    assert board.off == [0, 3]
    assert [one.get_attribute("aria-pressed") for one in switches(page).all()] == ["false", "true", "true", "false"]
    switches(page).nth(3).click()
    bridge.settle()
    assert board.off == [0]


def test_a_picture_that_comes_while_a_button_is_held_loses_no_press(bridge, page, board):
    box = switches(page).nth(2).bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    board.notes = [["other", "notes"], ["are", "drawn"]]
    bridge.settle()
    page.mouse.up()
    bridge.settle()
    assert board.off == [2]
    assert "are" in switches(page).nth(2).text_content()


def test_by_keyboard_the_focus_stays(bridge, page, board):
    switches(page).nth(1).focus()
    page.keyboard.press("Space")
    bridge.settle()
    assert board.off == [1]
    assert page.evaluate("document.activeElement.dataset.head") == "1"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    bridge.settle()
    assert board.off == [1, 2]


def test_the_kernel_switches_too(bridge, page, board):
    board.off = [2]
    bridge.settle()
    assert switches(page).nth(2).locator(".state").text_content() == "off"


def test_notes_are_text_and_switches_have_names(page, board):
    assert switches(page).nth(1).get_attribute("aria-label") == "layer 1, head 2: <b>2 before</b> 0.55"
    assert page.locator(".attnlab-switchboard b").count() == 0
    assert page.get_by_role("group", name="layer 1").locator("button").count() == 2


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 1000, 1400])
def test_a_layer_is_one_line(page, dark, width):
    page.set_viewport_size({"width": width + 60, "height": 900})
    with kernel():
        Bridge(page, dark=dark, width=width).show(
            HeadSwitches(rows=["layer 1", "layer 2"], notes=[["after the same letter 0.55"] * 4] * 2)
        )
        tops = [switches(page).nth(i).bounding_box()["y"] for i in range(8)]
        assert tops[:4] == [tops[0]] * 4
        assert tops[4:] == [tops[4]] * 4
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
