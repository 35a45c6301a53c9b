"""Two explorers side by side in the page: one hand moves both, and the difference is drawn below."""

import re

import pytest

from widgets.explorers.l00_start_here.temperature import TemperatureExplorer
from widgets.instruments.side_by_side.side_by_side import SideBySide

pytestmark = pytest.mark.browser


@pytest.fixture
def pair(bridge):
    bridge.page.set_viewport_size({"width": 1300, "height": 1000})
    bridge.wear(width=1200)
    return bridge.show(SideBySide(TemperatureExplorer(), TemperatureExplorer(temperature=3.0)))


def test_one_hand_moves_both(bridge, pair):
    page = bridge.page
    assert page.get_by_role("combobox", name="sentence").count() == 1
    page.get_by_role("combobox", name="sentence").select_option("fish eat fish")
    bridge.settle()
    assert pair.right.words == "fish eat fish"
    said = page.locator(".attnlab.caption .say").all_inner_texts()
    assert said[0] == "Changed: temperature 1.0 on the left, 3.0 on the right. All else moves both."
    assert "“fish”" in said[2]
    assert said[3].startswith("Right less left: at most ")
    for whose in ("left", "right"):  # for who hears it
        assert page.get_by_role("group", name=f"{whose} controls").count() == 1
    spoken = page.locator(".attnlab.caption [aria-live]")
    for whose in ("left", "right"):
        spoken.filter(has_text=re.compile(f"^{whose}: ")).wait_for(state="attached")
    pair.close()
    assert [side.parts["controls"].whose for side in (pair.left, pair.right)] == ["", ""]


def test_a_drag_on_the_right_is_followed_by_the_difference_and_by_nothing_else(bridge, pair):
    page = bridge.page
    before, left = pair.differences["matrix"].shown, pair.left.parts["matrix"].shown
    page.get_by_role("slider", name="temperature").last.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        bridge.settle()
    assert pair.right.temperature == pytest.approx(3.5)
    assert abs(pair.differences["matrix"].shown).max() > abs(before).max()
    assert (pair.left.parts["matrix"].shown == left).all()
    assert page.get_by_text("3.5 on the right").is_visible()


@pytest.mark.parametrize("width", [700, 1400])
def test_it_holds_together(bridge, width):
    """The bridge puts boxes one below the other; no view may be wider than the page."""
    bridge.page.set_viewport_size({"width": width + 60, "height": 1000})
    bridge.wear(width=width)
    bridge.show(SideBySide(TemperatureExplorer(), TemperatureExplorer(temperature=3.0)))
    boxes = [canvas.bounding_box() for canvas in bridge.page.locator("canvas").all()]
    assert len(boxes) == 3
    assert max(box["x"] + box["width"] for box in boxes) <= width + 60
