"""TextColumns, and the explorers of masks, in a browser: what is drawn, painted by mouse and keyboard, and read."""

import pytest
import torch

from attnlab import causal
from widgets.explorers.l06_masks.masks import MasksExplorer
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.text_columns.text_columns import TextColumns

pytestmark = pytest.mark.browser

RUNS = [["The ", "given"], ["value", "word"], [" <b>x</b>\nend    .", ""]]


@pytest.fixture
def texts(bridge):
    return bridge.show(
        TextColumns(titles=["one", "two"], texts=[RUNS, [["a", ""]]], shares=[0.25, 0.001], measure="real")
    )


def columns(page):
    return page.locator(".attnlab-texts section")


def test_texts_are_text_and_blanks_are_seen(page, texts):
    assert columns(page).count() == 2
    first = columns(page).first
    assert first.locator("h3").text_content() == "one"
    assert first.locator("p").text_content() == "The value <b>x</b>↵\nend␣␣␣␣."
    assert first.locator("p b").count() == 0
    assert first.locator(".word").all_text_contents() == ["value"]
    assert first.locator(".given").all_text_contents() == ["The "]
    assert first.locator("p").get_attribute("aria-description") == "given was “The ”"


def test_the_bar_is_the_share(page, texts):
    track = columns(page).first.locator(".track")
    filled, whole = (
        track.locator(s).bounding_box()["width"] if s else track.bounding_box()["width"] for s in ("span", "")
    )
    assert filled / whole == pytest.approx(0.25, abs=0.01)
    assert [text.replace("\u202f", " ") for text in page.locator(".attnlab-texts .hint").all_text_contents()] == [
        "25 % real",
        "under 1 % real",
    ]


def test_texts_change_in_place(bridge, page, texts):
    texts.show(texts=[[["b", "word"]], [["c", ""]]], shares=[1.0, 0.0])
    bridge.settle()
    assert page.locator(".attnlab-texts p").all_text_contents() == ["b", "c"]


@pytest.mark.parametrize("width", [700, 1000, 1400])
def test_columns_stand_side_by_side(page, bridge, width):
    page.evaluate("(width) => { document.getElementById('stage').style.width = `${width}px`; }", width)
    bridge.show(TextColumns(titles=["one", "two"], texts=[RUNS, RUNS], shares=[0.2, 0.3], measure="real"))
    one, two = (columns(page).nth(i).bounding_box() for i in (0, 1))
    assert one["y"] == two["y"]
    assert two["x"] > one["x"] + one["width"]


@pytest.fixture
def masks(bridge):
    return bridge.show(MasksExplorer(first="causal"))


def middle(page, query, key):
    return page.locator(".attnlab.matrix").evaluate("(el, [q, k]) => el.attnlab.cell(0, q, k)", [query, key])


def test_a_cell_is_painted_by_mouse_and_the_row_renormalised(bridge, page, masks):
    at = middle(page, 4, 3)
    page.mouse.click(at["x"], at["y"])
    bridge.settle()
    wanted = causal(8)
    wanted[4, 3] = False
    assert torch.equal(masks.mask, wanted)
    assert masks.first == "painted"
    assert masks.weights[4].sum().item() == pytest.approx(1)
    shown = page.locator(".attnlab.matrix").evaluate("el => el.attnlab.values().data")
    assert shown == pytest.approx(masks.weights.flatten().tolist(), abs=1e-6)
    assert page.get_by_label("mask", exact=True).evaluate("el => el.selectedOptions[0].text") == "painted"


def test_a_drag_paints_all_cells_on_its_way(bridge, page, masks):
    start, stop = middle(page, 1, 2), middle(page, 1, 7)
    page.mouse.move(start["x"], start["y"])
    page.mouse.down()
    page.mouse.move(stop["x"], stop["y"], steps=3)
    page.mouse.up()
    bridge.settle()
    assert masks.mask[1].tolist() == [True] * 8
    assert torch.equal(masks.mask[2:], causal(8)[2:])


def test_a_cell_is_painted_by_keyboard(bridge, page, masks):
    page.locator(".attnlab.matrix canvas").focus()
    page.keyboard.press("ArrowRight")
    bridge.settle()
    _, query, key = masks.cell
    before = bool(masks.mask[query, key])
    page.keyboard.press("Space")
    bridge.settle()
    assert bool(masks.mask[query, key]) is not before


def test_an_idle_control_shows_its_value(bridge, page, masks):
    other = page.get_by_label("with", exact=True)
    assert other.is_disabled()
    assert other.evaluate("el => el.selectedOptions[0].text") == "padding"
    masks.join = "and (&)"
    bridge.settle()
    assert other.is_enabled()


def test_what_is_no_weight_is_not_called_one(bridge, page):
    bridge.show(
        Matrix(
            [[0.25, 0.5]],
            key_labels=["a", "b"],
            query_labels=["one"],
            query_title="model",
            key_title="letter",
            measure="chance",
        )
    )
    canvas = page.locator(".attnlab.matrix canvas")
    assert canvas.get_attribute("aria-label").startswith("chance: model 1 by letter 2")
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    bridge.settle()
    said = page.locator(".attnlab.matrix [role=status]").text_content()
    assert said == "model one, letter b, chance 0.50"
    page.locator(".attnlab.matrix button", has_text="numbers").click()
    assert page.locator(".attnlab.matrix caption").text_content() == "chance"
