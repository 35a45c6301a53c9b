"""TokenFlow in a real browser: what is drawn, what mouse, keyboard and a screen reader get."""

from itertools import pairwise

import numpy as np
import pytest
from bridge import Bridge, kernel

from widgets.explorers.l05_self_attention.permutation import PermutationExplorer
from widgets.instruments.token_flow.token_flow import TokenFlow

pytestmark = pytest.mark.browser
WEIGHTS = np.array([[0.1, 0.7, 0.2], [0.25, 0.25, 0.5], [0.6, 0.4, 0.0]], np.float32)


@pytest.fixture
def page(page):
    page.emulate_media(reduced_motion="reduce")  # columns stand where they belong at once
    return page


@pytest.fixture
def flow(bridge):
    flow = TokenFlow()
    vectors = np.arange(6, dtype=np.float32).reshape(3, 2) - 2
    flow.show(
        labels=["dog", "bites", "man"],
        weights=WEIGHTS,
        inputs=vectors,
        contexts=-vectors,
        before=-vectors,
        differences=np.array([0, 0.5, 0], np.float32),
    )
    return bridge.show(flow)


def token(page, i):
    return page.locator(".attnlab-flow .token").nth(i)


def chip(page, i):
    """The middle of a token's box."""
    box = token(page, i).locator(".chip").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def from_left(page):
    """The tokens as they stand."""
    count = page.locator(".attnlab-flow .token").count()
    return sorted(range(count), key=lambda i: chip(page, i)[0])


def drag(page, i, to, *, release=True):
    x, y = chip(page, i)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to, y, steps=12)
    if release:
        page.mouse.up()


def test_words_numbers_and_signs(page, flow):
    assert [token(page, i).locator(".name").text_content() for i in range(3)] == ["dog", "bites", "man"]
    assert [token(page, i).locator(".changed").count() for i in range(3)] == [0, 1, 0]
    assert token(page, 1).locator(".changed").text_content() == "≠0.50"
    assert page.locator(".attnlab-flow .weight").count() == 0


def test_lines_of_the_selected_token_carry_numbers(page, bridge, flow):
    flow.selected = 1
    bridge.settle()
    assert page.locator(".attnlab-flow .weight").all_text_contents() == ["0.25", "0.25", "0.50"]
    widths = page.locator(".attnlab-flow .line").evaluate_all("all => all.map(l => +l.getAttribute('stroke-width'))")
    assert len(widths) == 8, "a line for every weight that is not zero"
    assert max(widths) == pytest.approx(0.6 + 11 * 0.7, abs=0.01)


def test_masked_is_not_zero(page, bridge, flow):
    flow.show(mask=np.tril(np.ones((3, 3), np.float32)), selected=0)
    bridge.settle()
    assert page.locator(".attnlab-flow text.small", has_text="masked").count() == 2
    assert page.locator(".attnlab-flow .weight").all_text_contents() == ["0.10"]
    assert page.locator(".attnlab-flow .line").count() == 5, "no line to what is masked"


def test_drag_by_mouse(page, bridge, flow):
    drag(page, 0, chip(page, 2)[0] + 30)
    bridge.settle()
    assert flow.order == [1, 2, 0]
    assert from_left(page) == [1, 2, 0]
    assert flow.selected == 0
    assert token(page, 0).locator("text.small").last.text_content() == "3"


def test_a_hand_lets_go_where_it_is_where_the_drawing_is_shrunk(page, bridge, flow):
    bridge.wear(width=220)
    bridge.settle()
    drag(page, 2, chip(page, 0)[0])
    bridge.settle()
    assert flow.order == [2, 0, 1]


def test_the_output_travels_with_its_token_under_the_hand(page, bridge, flow):
    drag(page, 0, chip(page, 1)[0] + 25, release=False)
    bridge.settle()
    middle = [token(page, 0).locator(part).bounding_box() for part in (".chip", ".strip >> nth=1")]
    centres = [box["x"] + box["width"] / 2 for box in middle]
    assert centres[0] == pytest.approx(centres[1], abs=1)
    page.mouse.up()


def test_escape_takes_a_drag_back(page, bridge, flow):
    drag(page, 0, chip(page, 2)[0], release=False)
    bridge.settle()
    assert flow.order == [1, 2, 0]
    page.keyboard.press("Escape")
    page.mouse.up()
    bridge.settle()
    assert flow.order == [0, 1, 2]


def test_keyboard(page, bridge, flow):
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    bridge.settle()
    assert flow.selected == 1
    assert "bites reads dog 0.25, bites 0.25, man 0.50" in page.locator(".attnlab-flow .sr-only").text_content()
    page.keyboard.press("Alt+ArrowRight")
    bridge.settle()
    assert flow.order == [0, 2, 1]
    assert "bites stands at place 3 of 3" in page.locator(".attnlab-flow .sr-only").text_content()
    page.keyboard.press("Alt+ArrowRight")
    page.keyboard.press("Alt+Home")
    page.keyboard.press("End")
    bridge.settle()
    assert flow.order == [1, 0, 2]
    assert flow.selected == 2
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "man, place 3 of 3"
    page.keyboard.press("Escape")
    bridge.settle()
    assert flow.selected == -1


def test_one_token_is_reached_by_tab_and_all_have_names(page, bridge, flow):
    tokens = page.locator(".attnlab-flow .token")
    assert tokens.evaluate_all("all => all.filter(t => t.tabIndex === 0).length") == 1
    assert [tokens.nth(i).get_attribute("aria-label") for i in range(3)] == [
        "dog, place 1 of 3",
        "bites, place 2 of 3",
        "man, place 3 of 3",
    ]
    assert page.locator(".attnlab-flow [role=listbox]").get_attribute("aria-label")
    flow.order = [2, 0, 1]
    bridge.settle()
    assert tokens.evaluate_all("all => all.map(t => t.tabIndex)") == [-1, -1, 0], "the first one on the left"


def test_a_hand_moves_the_whole_explorer(page, bridge):
    explorer = bridge.show(PermutationExplorer(text="the dog bites the man"))
    drag(page, 1, chip(page, 4)[0] + 20)
    bridge.settle()
    assert explorer.order == [0, 2, 3, 4, 1]
    assert explorer.parts["matrix"].query_order == explorer.parts["matrix"].key_order == [0, 2, 3, 4, 1]
    assert token(page, 1).locator(".changed").count() == 0
    explorer.positions = True
    bridge.settle()
    assert page.locator(".attnlab-flow .changed").count() >= 4
    explorer.text = "man bites dog"
    bridge.settle()
    assert from_left(page) == [0, 1, 2]


def test_words_stay_words(page, bridge):
    bridge.show(PermutationExplorer(text="<img/src=x> dog"))
    assert page.locator(".attnlab-flow img").count() == 0
    assert "<im" in token(page, 0).locator(".name").text_content()


@pytest.mark.parametrize("width", [700, 1000, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_fits(page, width, dark):
    page.set_viewport_size({"width": width + 60, "height": 800})
    with kernel():
        bridge = Bridge(page, dark=dark, width=width)
        bridge.show(PermutationExplorer(text="one two three four five six seven eight"))
        assert page.evaluate("document.documentElement.scrollWidth") <= width + 60
        boxes = [token(page, i).locator(".chip").bounding_box() for i in range(8)]
        assert all(a["x"] + a["width"] <= b["x"] for a, b in pairwise(boxes))
        assert page.locator(".attnlab-flow").get_attribute("data-dark") == str(dark).lower()


def test_answers_do_not_meet_on_a_phone(bridge, page):
    """Where a column is too narrow for an answer and its sign, the sign stands below."""
    n = 10
    flow = TokenFlow()
    marks = [["yes", "right"] if i % 3 else ["no", "wrong"] for i in range(n)]
    flow.show(labels=[*"cabbagepie"], weights=np.full((n, n), 1 / n, np.float32), answers=marks)
    bridge.show(flow)
    bridge.wear(width=356)
    bridge.settle()
    boxes = [answer.bounding_box() for answer in page.locator(".attnlab-flow .answer").all()]
    assert all(a["x"] + a["width"] <= b["x"] for a, b in pairwise(boxes))
    signs = [sign.bounding_box() for sign in page.locator(".attnlab-flow .sign").all()]
    assert all(sign["y"] > box["y"] + 8 for sign, box in zip(signs, boxes, strict=True))
    chips = page.locator(".attnlab-flow .chip").first.bounding_box()
    assert signs[0]["y"] + signs[0]["height"] < chips["y"]
