"""The Machine's layout "product" in a real browser, with the explorer of lesson 04: numbers, hand, keys, widths."""

import numpy as np
import pytest
from bridge import without_kernel
from hands import fingers
from machines import OVERLAPS, part

from widgets.explorers.l04_query_key_value.projections import ProjectionsExplorer

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

TABLES = ["x", "W_q", "W_k", "W_v", "q", "k", "v", "scores", "weights", "context"]


@pytest.fixture
def explorer(bridge):
    return bridge.show(ProjectionsExplorer())


def drawn(page, name):
    """The numbers of a table's cells, as the page has them."""
    return page.locator(".machine").evaluate(
        """(el, name) => el.attnlab.picture.marks
            .filter(({ key, kind }) => kind === "cells" && key.startsWith(name + " "))
            .map(({ table }) => table.data[0])""",
        name,
    )


def agrees(page, explorer):
    for name in TABLES:
        wanted = explorer.result.tensors[name].flatten().tolist()
        np.testing.assert_allclose(drawn(page, name), wanted, atol=1e-4, err_msg=name)


def test_every_number_of_the_page_is_torchs(page, explorer):
    agrees(page, explorer)


def test_where_nothing_can_be_entered_there_is_no_path(page, explorer):
    assert not page.locator(".machine .crumbs").is_visible()
    assert page.locator(".machine .top .hint").text_content() == "click a row to follow it"


# How often the texts above and below the picture are written that a drag does not change.
WRITTEN = """() => {
    window.written = 0;
    const observer = new MutationObserver((changes) => { written += changes.length; });
    for (const el of document.querySelectorAll(".machine .top, .machine .error")) {
        observer.observe(el, { subtree: true, childList: true, characterData: true });
    }
}"""


def test_without_a_kernel_no_number_is_dragged(bridge, page):
    with without_kernel(page):
        explorer = bridge.show(ProjectionsExplorer())
    before, number = {name: drawn(page, name) for name in TABLES}, part(page, "W_v 3 1")
    assert number.get_attribute("aria-disabled") == "true"
    number.focus()
    page.keyboard.press("ArrowUp")
    number.hover()
    page.mouse.down()
    page.mouse.move(0, 0, steps=4)
    page.mouse.up()
    bridge.settle()
    assert {name: drawn(page, name) for name in TABLES} == before
    agrees(page, explorer)


def test_a_number_is_dragged_and_all_follow(bridge, page, explorer):
    box = part(page, "W_v 3 1").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate(WRITTEN)
    page.mouse.move(x, y)
    bridge.settle()
    named = page.locator(".machine .line b").text_content()
    page.mouse.down()
    page.mouse.move(x, y - 40, steps=4)
    bridge.settle()
    assert page.locator(".machine svg rect[stroke-width='1.5']").count() == 1, "a ring stands where the context was"
    assert explorer.edits == [["W_v", 3, 1, 2.0]], "the kernel follows before the hand lets go"
    assert page.locator(".machine .line b").text_content() == named != "", "the line goes on telling of this number"
    page.mouse.up()
    bridge.settle()
    assert explorer.edits == [["W_v", 3, 1, 2.0]]
    agrees(page, explorer)
    assert explorer.context[3, 1].item() == pytest.approx(2 * -0.82, abs=0.01)
    assert page.evaluate("written") == 0, "a text that stands there is not written again"


def test_a_drag_is_taken_back_by_escape(bridge, page, explorer):
    box = part(page, "W_v 3 1").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = drawn(page, "W_v")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 40, steps=4)
    bridge.settle()
    assert drawn(page, "W_v") != before
    page.keyboard.press("Escape")
    page.mouse.up()
    bridge.settle()
    np.testing.assert_allclose(drawn(page, "W_v"), before, atol=1e-6)
    agrees(page, explorer)


def test_a_bar_goes_to_the_left_for_minus(page, explorer):
    tones = page.locator(".machine").evaluate("""(el) => {
        const ctx = el.querySelector("canvas").getContext("2d");
        const at = (x, y) => [...ctx.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data].join();
        return el.attnlab.picture.marks
            .filter(({ scale, table }) => scale === "query" && Math.abs(table.data[0]) > 0.3)
            .map(({ x, y, width, height, table }) => {
                const [left, right] = [-2, 2].map((by) => at(x + width / 2 + by, y + height - 4.5));
                return [Math.sign(table.data[0]), left === right ? 0 : 1, at(x + 2, y + 2) === left ? 1 : -1];
            });
    }""")
    assert {sign for sign, _, _ in tones} == {-1, 1}
    assert all(differ and sign == side for sign, differ, side in tones)


def test_a_second_finger_changes_nothing(bridge, page, explorer):
    boxes = [part(page, name).bounding_box() for name in ("W_v 3 1", "W_q 0 0")]
    first, second = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    up = first[0], first[1] - 40
    fingers(page, ["down", 1, *first], ["down", 2, *second], ["move", 1, *up], ["up", 2, *second], ["up", 1, *up])
    bridge.settle()
    assert explorer.edits == [["W_v", 3, 1, 2.0]]


def test_keys_change_a_number_and_lead_to_the_next(bridge, page, explorer):
    part(page, "W_q 2 0").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("PageUp")
    bridge.settle()
    assert explorer.edits == [["W_q", 2, 0, 1.1]]
    told = {f"value{name}": part(page, "W_q 2 0").get_attribute(f"aria-value{name}") for name in ("now", "text", "min")}
    assert told == {"valuenow": "1.1", "valuetext": "1.10", "valuemin": str(explorer.parts["machine"].spec["range"][0])}
    page.keyboard.press("ArrowRight")
    bridge.settle()
    assert page.evaluate("document.activeElement.dataset.part") == "W_q 2 1"
    agrees(page, explorer)


def test_a_row_is_chosen_by_pointer_and_by_key(bridge, page, explorer):
    part(page, "v 2").click()
    bridge.settle()
    assert (explorer.word, explorer.role) == (3, "gift (value)")
    part(page, "k 0").focus()
    page.keyboard.press("Enter")
    bridge.settle()
    assert (explorer.word, explorer.role) == (1, "offer (column)")


def test_radio_buttons_choose_the_word_and_its_part(bridge, page, explorer):
    word, part = page.get_by_role("radiogroup").all()
    assert word.get_by_role("radio").all_text_contents() == ["cats", "watch", "one", "fish"]
    word.get_by_role("radio", name="one").click()
    part.get_by_role("radio", name="gift").click()
    bridge.settle()
    assert explorer.chosen == ["v 2", "value"]
    page.keyboard.press("ArrowLeft")
    bridge.settle()
    assert explorer.role == "offer (column)"
    checked = page.locator(".controls [aria-checked='true']")
    assert checked.all_text_contents() == ["one", "offer (column)"]
    assert page.evaluate("document.activeElement.textContent") == "offer (column)"
    assert page.locator(".controls [role='radio'][tabindex='0']").count() == 2, "a Tab stop for each group"


def test_a_cell_under_the_pointer_says_how_it_is_made(bridge, page, explorer):
    part(page, "q 3 0").hover()
    bridge.settle()
    texts = page.locator(".machine .line > *").all_text_contents()
    assert texts == ["thing? of “fish”", "q = x @ W_q", "1.0 · 0.0 + 0.3 · 2.0 + 1.0 · 0.0 + 0.0 · 0.0 = 0.6"]
    page.mouse.move(0, 0)


LESSON_05 = ["the", "dog", "bites", "the", "man"]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [652, 700, 900, 1100, 1400])
@pytest.mark.parametrize("words", [None, LESSON_05], ids=["04", "05"])
def test_no_text_is_cut_or_covered(bridge, page, dark, width, words):
    bridge.wear(dark, width)
    explorer = bridge.show(ProjectionsExplorer(words) if words else ProjectionsExplorer())
    for role in ("asker (row)", "offer (column)", "gift (value)"):
        explorer.role = role
        bridge.settle()
        assert page.evaluate(OVERLAPS, ".machine svg text:not([transform])") == [], role
    assert page.locator(".machine svg").bounding_box()["width"] <= width
