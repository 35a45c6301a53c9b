"""TokenGrid in a real browser: tokens under each other, wrong ones marked for the eye and for the ear."""

import pytest
from playwright.sync_api import expect

from widgets.explorers.l01_bottleneck.digits_in_one_number import DigitsInOneNumberExplorer
from widgets.instruments.token_grid.token_grid import TokenGrid

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

NAN = float("nan")


@pytest.fixture
def lines(bridge):
    return bridge.show(
        TokenGrid(
            names=["read", "back"],
            tokens=[["3", "1"], ["", "7"]],
            notes=["", "0 of 2"],
            right=[[NAN, NAN], [0, 0]],
            title="what came back",
        )
    )


def cells(page, selector="td:not(.note)"):
    return page.locator(f".attnlab-lines {selector}").all_text_contents()


def test_tokens_and_names(page, lines):
    assert cells(page, "th") == ["read", "back"]
    assert cells(page, "tr:first-child td:not(.note)") == ["3", "1"]
    assert cells(page, ".note") == ["", "0 of 2"]
    expect(page.get_by_role("table", name="what came back")).to_be_visible()


def test_wrong_ones_are_seen_and_heard(page, lines):
    assert cells(page, ".wrong .sr-only") == ["nothing, wrong", "7, wrong"]
    wrong = page.locator(".attnlab-lines .wrong").first
    assert wrong.evaluate("td => getComputedStyle(td).borderBottomStyle") == "dashed"
    fills = page.locator(".attnlab-lines td").evaluate_all("all => all.map(td => getComputedStyle(td).backgroundColor)")
    assert fills[0] != fills[4]


def test_lines_follow_the_kernel(page, bridge, lines):
    lines.show(tokens=[["3", "1"], ["3", "1"]], right=[[NAN, NAN], [1, 1]])
    bridge.settle()
    assert cells(page, ".wrong") == []
    assert cells(page, ".right") == ["3", "1"]


def test_a_token_is_never_markup(page, bridge):
    bridge.show(TokenGrid(names=["<b>"], tokens=[["<i>x</i>", "&"]], right=[[1, 0]]))
    assert cells(page, "th") == ["<b>"]
    assert page.locator(".attnlab-lines i, .attnlab-lines b").count() == 0


@pytest.mark.parametrize("width", [700, 1000, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_twenty_columns_fit(bridge, page, width, dark):
    page.set_viewport_size({"width": width, "height": 600})
    bridge.wear(dark, width)
    bridge.show(DigitsInOneNumberExplorer(length=20))
    view = page.locator(".attnlab-lines")
    assert view.evaluate("el => el.scrollWidth <= el.clientWidth")
    assert view.get_attribute("data-dark") == str(dark).lower()


def test_a_slider_ends_where_the_text_ends(page, bridge):
    explorer = bridge.show(DigitsInOneNumberExplorer(length=2))
    slider = page.locator("input[type=range]").first
    assert slider.get_attribute("max") == "20"
    explorer.digits = "271"
    bridge.settle()
    assert slider.get_attribute("max") == "3"
    slider.focus()
    page.keyboard.press("End")
    bridge.settle()  # the hand rests
    assert explorer.length == 3
    explorer.digits = "2718281828"
    bridge.settle()
    assert slider.get_attribute("max") == "10"
    assert slider.input_value() == "3"
