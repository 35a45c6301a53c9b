"""Matrix in a real browser: pixels, hand and keyboard against the kernel's numbers."""

import numpy as np
import pytest
from bridge import Bridge, kernel
from hands import fingers
from PIL import Image

from widgets.base.instrument import pack_array
from widgets.instruments.matrix.matrix import Matrix

pytestmark = pytest.mark.browser

STOPS = {
    False: ["FFFFFF", "C8CEE9", "919FD8", "6271BA", "3B4592", "1C215D"],
    True: ["212121", "3C4363", "5C68A4", "8593D2", "B8C2EC", "F0F3FD"],
}
WORDS = ["the", "cat", "is", "black"]
MOTS = ["le", "chat", "est", "noir", "pad"]


def weights(queries=5, keys=7, panels=1, frames=1, seed=0):
    x = np.random.default_rng(seed).random((frames, panels, queries, keys)) ** 3
    return (x / x.sum(-1, keepdims=True)).astype(np.float32)


def words(values=None, **traits):
    """Four queries by five keys with labels."""
    return Matrix(weights(4, 5) if values is None else values, query_labels=WORDS, key_labels=MOTS, **traits)


def colour(weight, dark=False):
    stops = np.array([list(bytes.fromhex(stop)) for stop in STOPS[dark]])
    return [np.interp(weight, np.linspace(0, 1, 6), channel) for channel in stops.T]


def pixel(page, x, y):
    """The colour painted at a place given in CSS pixels of the page."""
    code = """([x, y]) => {
        const canvas = document.elementFromPoint(x, y), box = canvas.getBoundingClientRect();
        const place = [x - box.x, y - box.y].map((d) => Math.floor((d * canvas.width) / box.width));
        return [...canvas.getContext('2d').getImageData(...place, 1, 1).data];
    }"""
    return page.evaluate(code, [x, y])


def root(matrix):
    return f"document.querySelector('[data-model=\"{matrix.model_id}\"]')"


def at(page, matrix, panel, query, key):
    return page.evaluate(f"{root(matrix)}.attnlab.cell({panel}, {query}, {key})")


def geometry(page, matrix):
    return page.evaluate(f"{root(matrix)}.attnlab.geometry()")


def seen(page, matrix):
    values = page.evaluate(f"{root(matrix)}.attnlab.values()")
    return np.array(values["data"], np.float32).reshape(values["shape"])


def said(page):
    return page.locator("[aria-live]").inner_text()


def click(page, matrix, *cell):
    place = at(page, matrix, *cell)
    page.mouse.click(place["x"], place["y"])


def press(bridge, *keys):
    for key in keys:
        bridge.page.keyboard.press(key)
        bridge.settle(20)


def bar_place(page, matrix, key, weight):
    """Where the handle of a weight stands in the row bars of panel 0."""
    g, box = geometry(page, matrix), page.locator("canvas").bounding_box()
    first = g["boxes"][0]
    return box["x"] + first["x"] + (key + 0.5) * g["c"], box["y"] + first["bottom"] + 24 + (1 - float(weight)) * 66


def key_label(page, matrix, key):
    g, box = geometry(page, matrix), page.locator("canvas").bounding_box()
    return box["x"] + g["boxes"][0]["x"] + (key + 0.5) * g["c"], box["y"] + g["boxes"][0]["y"] - 10


def query_label(page, matrix, query):
    g, box = geometry(page, matrix), page.locator("canvas").bounding_box()
    return box["x"] + g["boxes"][0]["x"] - 14, box["y"] + g["boxes"][0]["y"] + (query + 0.5) * g["h"]


@pytest.fixture(scope="module", params=[1, 1.25, 2])
def dots(browser, request):
    """A page with so many dots to a pixel, and how many."""
    page = browser.new_page(viewport={"width": 1100, "height": 900}, device_scale_factor=request.param)
    yield page, request.param
    page.close()


@pytest.mark.parametrize("dark", [False, True])
def test_cells_have_the_colour_of_their_weight(dots, dark):
    page, _ = dots
    page.goto("about:blank")
    with kernel():
        bridge = Bridge(page, dark=dark)
        w = weights(11, 13, panels=2)
        matrix = bridge.show(Matrix(w, query_labels=list("abcdefghijk"), key_labels=list("mnopqrstuvwxy")))
        np.testing.assert_array_equal(seen(page, matrix), w[0])
        for cell in [(0, 0, 0), (0, 10, 12), (1, 3, 5), (1, 7, 0)]:
            place = at(page, matrix, *cell)
            np.testing.assert_allclose(pixel(page, place["x"], place["y"])[:3], colour(w[0][cell], dark), atol=2)


def test_edges_of_cells_are_sharp(dots):
    """Between two lines every pixel has the pure colour of its cell: nothing is smeared over an edge."""
    page, ratio = dots
    page.goto("about:blank")
    with kernel():
        bridge = Bridge(page)
        w = np.indices((40, 40)).sum(0) % 2
        matrix = bridge.show(Matrix(w))
        g = geometry(page, matrix)
        line = page.evaluate(f"""(() => {{
            const canvas = {root(matrix)}.querySelector('canvas'), g = {root(matrix)}.attnlab.geometry();
            const [x, y] = [g.boxes[0].x * g.ratio, Math.floor((g.boxes[0].y + g.h / 2) * g.ratio)];
            const n = Math.round(40 * g.c * g.ratio);
            const data = canvas.getContext('2d').getImageData(Math.round(x), y, n, 1).data;
            return [...Array(n).keys()].map((i) => data[4 * i]);
        }})()""")
        pitch, thick = g["c"] * g["ratio"], max(1, round(ratio))
        assert pitch == round(pitch)
        for column in range(40):
            start = round(column * pitch)
            assert set(line[start + thick : start + round(pitch)]) == {28 if column % 2 else 255}, column


def test_a_click_selects_and_is_announced(bridge):
    w = weights(4, 5)
    matrix = bridge.show(words(w))
    click(bridge.page, matrix, 0, 1, 1)
    bridge.settle()
    assert matrix.selected == [0, 1, 1]
    assert said(bridge.page) == f"query cat, key chat, weight {w[0, 0, 1, 1]:.2f}"


def test_clicks_on_labels_select_row_and_column(bridge):
    matrix = bridge.show(words())
    bridge.page.mouse.click(*query_label(bridge.page, matrix, 2))
    bridge.settle()
    assert matrix.selected == [0, 2, -1]
    bridge.page.mouse.click(*key_label(bridge.page, matrix, 3))
    bridge.settle()
    assert matrix.selected == [0, -1, 3]


def test_the_kernel_selects_and_the_ring_is_painted(bridge):
    matrix = bridge.show(words(np.zeros((4, 5))))
    place, g = at(bridge.page, matrix, 0, 1, 1), geometry(bridge.page, matrix)
    edge = place["x"] - g["c"] / 2 - 0.5, place["y"]
    assert pixel(bridge.page, *edge)[0] > 200
    matrix.selected = [0, 1, 1]
    bridge.settle()
    assert pixel(bridge.page, *edge)[0] < 60
    assert said(bridge.page) == "", "what the kernel selects is not announced"


def test_keyboard_alone(bridge):
    matrix = bridge.show(words(weights(4, 5, panels=2), panel_names=["one", "two"]))
    press(bridge, "Tab", "ArrowRight")
    assert matrix.selected == [0, 0, 0]
    press(bridge, "ArrowRight", "ArrowDown", "ArrowDown")
    assert matrix.selected == [0, 2, 1]
    press(bridge, "End", "ArrowRight")
    assert matrix.selected == [1, 2, 0], "over the side into the next panel"
    assert said(bridge.page).startswith("panel two, query is, key le, weight ")
    press(bridge, "Control+End")
    assert matrix.selected == [1, 3, 4]
    press(bridge, "ArrowRight", "ArrowDown")
    assert matrix.selected == [1, 3, 4], "the last cell is the last"
    press(bridge, "Home", "ArrowUp")
    assert matrix.selected == [1, 2, 0]
    press(bridge, "Enter")
    assert matrix.selected == [1, 2, -1]
    press(bridge, "Enter")
    assert matrix.selected == [1, -1, 0]
    press(bridge, "Enter", "Escape")
    assert matrix.selected == []


def test_what_runs_the_cell_reaches_the_notebook(bridge):
    bridge.show(words(weights(4, 5)))
    page = bridge.page
    page.evaluate("""() => document.addEventListener("keydown", ({ key, shiftKey, ctrlKey }) =>
      (window.heard ??= []).push(`${shiftKey ? "Shift+" : ""}${ctrlKey ? "Control+" : ""}${key}`), true)""")
    press(bridge, "Tab", "ArrowRight", "Enter", "Shift+Enter", "Control+Enter")
    assert set(page.evaluate("window.heard")) - {"Shift+Shift", "Control+Control"} == {
        "Tab",
        "Shift+Enter",
        "Control+Enter",
    }


def test_no_key_is_lost_between_two_pictures(bridge):
    matrix = bridge.show(words(editing="weights"))
    bridge.page.locator("canvas").focus()
    bridge.page.evaluate("""() => {
        const canvas = document.querySelector("canvas");
        for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "+", "+"]) {
            canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        }
    }""")
    bridge.settle()
    assert matrix.selected == [0, 2, 1]
    assert matrix.edits["2"][1] == pytest.approx(matrix.values[0, 0, 2, 1] + 0.1, abs=2e-3)


def test_the_focus_ring_is_the_brand_outside_the_selection(bridge):
    matrix = bridge.show(words(np.zeros((4, 5)), selected=[0, 1, 1]))
    place, g = at(bridge.page, matrix, 0, 1, 1), geometry(bridge.page, matrix)
    outside = place["x"] - g["c"] / 2 - 3.5, place["y"] + 8
    before = pixel(bridge.page, *outside)
    press(bridge, "Tab")
    assert pixel(bridge.page, *outside)[:3] == [0x19, 0x76, 0xD2] != before[:3]


def test_keys_of_the_matrix_stay_with_it_and_buttons_keep_theirs(bridge):
    matrix = bridge.show(words())
    bridge.page.evaluate("document.addEventListener('keydown', (e) => { window.taken = e.key; }, true)")
    press(bridge, "Tab", "ArrowDown", "ArrowDown")
    assert matrix.selected == [0, 1, 0]
    assert bridge.page.evaluate("window.taken") in (None, "Tab")
    bridge.page.get_by_role("button", name="numbers").focus()
    press(bridge, "Enter")
    assert bridge.page.get_by_role("table").count() == 1
    assert matrix.selected == [0, 1, 0]


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_marked_cells_have_a_frame(bridge, weight):
    matrix = bridge.show(words(np.full((4, 5), weight), marked=[[1, 2], [3, 0]]))
    page, g = bridge.page, geometry(bridge.page, matrix)

    def framed(query, key):
        """Ink, or the page's colour around it, stands out of the cell's own."""
        place = at(page, matrix, 0, query, key)
        frame = [pixel(page, place["x"], place["y"] - g["h"] / 2 + y)[:3] for y in (2.5, 3.25)]
        return np.abs(np.array(frame) - colour(weight)).max() > 100

    found = [[query, key] for query in range(4) for key in range(5) if framed(query, key)]
    assert found == [[1, 2], [3, 0]]


def test_hover_shades_row_and_column(bridge):
    matrix = bridge.show(words(np.zeros((4, 5))))
    row, cell, other = (at(bridge.page, matrix, 0, *c) for c in [(1, 4), (1, 2), (3, 4)])
    bridge.page.mouse.move(cell["x"], cell["y"])
    bridge.settle()
    assert pixel(bridge.page, row["x"] + 20, row["y"] + 12)[0] in range(242, 247)
    assert pixel(bridge.page, other["x"] + 20, other["y"] + 12)[0] == 255
    bridge.page.mouse.move(1, 1)
    bridge.settle()
    assert pixel(bridge.page, row["x"] + 20, row["y"] + 12)[0] == 255


def test_masked_zero_nan_and_infinite_look_different(bridge):
    values = np.array([[0, 0, np.nan, np.inf, 0.5]])
    matrix = bridge.show(Matrix(values, key_labels=MOTS, mask=np.array([[1, 0, 1, 1, 1]])))
    images = []
    for key in range(5):
        place, g = at(bridge.page, matrix, 0, 0, key), geometry(bridge.page, matrix)
        wide, high = g["c"] - 6, g["h"] - 6
        clip = {"x": place["x"] - wide / 2, "y": place["y"] - high / 2, "width": wide, "height": high}
        images.append(bridge.page.screenshot(clip=clip))
    assert len(set(images)) == 5
    for key, word in [(1, "masked"), (2, "not a number"), (3, "infinite"), (4, "0.50")]:
        click(bridge.page, matrix, 0, 0, key)
        bridge.settle()
        assert said(bridge.page).endswith(f"weight {word}")


def painted(bridge):
    """The whole picture of the last matrix."""
    return bridge.page.locator(".matrix canvas").last.evaluate("(canvas) => canvas.toDataURL()")


def test_what_is_masked_shows_nothing_of_its_number(bridge):
    """Neither a colour, a number, a bar, nor that it is the most of its row."""
    values, mask = np.array([[0.0, 2.0, 1.0], [1.0, 2.0, 3.0]]), np.array([[0, 1, 1], [1, 1, 1]])
    first, second = np.zeros((2, 2, 3))
    first[0, 0], second[0, 1] = 4, 1
    seen = {"mask": mask, "scale": "scores", "limit": 5.0, "row_bars": True, "selected": [0, 0, -1]}
    matrix = bridge.show(Matrix(values, **seen))
    before = painted(bridge)
    matrix.values = values + first
    bridge.settle()
    assert painted(bridge) == before
    matrix.values = values + second
    bridge.settle()
    assert painted(bridge) != before


def test_another_order_is_painted_as_if_it_were_given(bridge):
    w, order = weights(4, 5), [3, 0, 4, 1, 2]
    mask = np.tril(np.ones((4, 5)))
    bridge.show(words(w, mask=mask, key_order=order, query_order=[3, 2, 1, 0]))
    ordered = painted(bridge)
    labels = {"query_labels": WORDS[::-1], "key_labels": [MOTS[key] for key in order]}
    bridge.show(Matrix(w[:, :, ::-1, order], mask=mask[::-1, order], **labels))
    assert painted(bridge) == ordered


def test_each_frame_has_its_own_distribution(bridge):
    chances = {"distribution": [[0.9, 0.1], [0.2, 0.8]], "distribution_labels": ["le", "chat"]}
    matrix = bridge.show(words(np.stack([weights(4, 5)[0]] * 2), **chances))
    before = painted(bridge)
    matrix.frame = 1
    bridge.settle()
    assert painted(bridge) != before


def test_painting_a_mask_by_hand(bridge):
    matrix = bridge.show(words(editing="mask"))
    start, end = at(bridge.page, matrix, 0, 0, 1), at(bridge.page, matrix, 0, 3, 4)
    bridge.page.mouse.move(start["x"], start["y"])
    bridge.page.mouse.down()
    bridge.page.mouse.move(end["x"], end["y"])
    bridge.page.mouse.up()
    bridge.settle()
    expected = np.ones((4, 5))
    expected[range(4), range(1, 5)] = 0
    np.testing.assert_array_equal(matrix.mask[0], expected)
    end = at(bridge.page, matrix, 0, 0, 4)
    bridge.page.mouse.move(start["x"], start["y"])
    bridge.page.mouse.down()
    bridge.page.mouse.move(end["x"], end["y"])
    bridge.page.mouse.up()
    bridge.settle()
    expected[0, 1] = 1
    np.testing.assert_array_equal(matrix.mask[0], expected), "the first cell decides: this stroke allows"


def test_painting_one_panel_of_a_mask_by_keyboard(bridge):
    mask = np.ones((2, 4, 5))
    matrix = bridge.show(Matrix(weights(4, 5, panels=2), mask=mask, editing="mask", selected=[1, 2, 3]))
    press(bridge, "Tab", "Space")
    mask[1, 2, 3] = 0
    np.testing.assert_array_equal(matrix.mask, mask)
    assert "masked" in said(bridge.page)
    press(bridge, "Space")
    np.testing.assert_array_equal(matrix.mask, np.ones((2, 4, 5)))
    press(bridge, "Enter")  # goes over to the row, as in every matrix
    np.testing.assert_array_equal(matrix.mask, np.ones((2, 4, 5)))
    assert matrix.selected == [1, 2, -1]


def test_dragging_a_weight_shrinks_the_rest_of_its_row(bridge):
    w = weights(4, 5)
    matrix = words(w, editing="weights", row_bars=True, selected=[0, 1, 1], action="go on")
    bridge.show(matrix)
    button = bridge.page.get_by_role("button", name="go on")
    assert not button.is_visible()
    own = w[0, 0, 1]
    bridge.page.mouse.move(*bar_place(bridge.page, matrix, 1, own[1]))
    bridge.page.mouse.down()
    bridge.page.mouse.move(*bar_place(bridge.page, matrix, 1, 0.4))
    bridge.page.mouse.move(*bar_place(bridge.page, matrix, 1, 0.8))
    bridge.page.mouse.up()
    bridge.settle()
    row = np.array(matrix.edits["1"])
    assert row[1] == pytest.approx(0.8, abs=0.02)
    assert row.sum() == pytest.approx(1)
    rest = [0, 2, 3, 4]
    np.testing.assert_allclose(row[rest] / row[rest].sum(), own[rest] / own[rest].sum(), atol=1e-5)
    np.testing.assert_allclose(seen(bridge.page, matrix), matrix.shown, atol=1e-6)
    assert f"was {own[1]:.2f}" in said(bridge.page)
    heard = []
    matrix.on_action(heard.append)
    button.click()
    bridge.settle()
    assert heard == [matrix]
    matrix.edits = {}
    bridge.settle()
    assert not button.is_visible()


def test_weights_by_keyboard_and_back(bridge):
    w = weights(4, 5)
    matrix = bridge.show(Matrix(w, editing="weights", row_bars=True, selected=[0, 1, 1], mask=[[1, 1, 1, 1, 0]] * 4))
    press(bridge, "Tab", "+", "+", "PageUp", "-")
    assert matrix.edits["1"][1] == pytest.approx(w[0, 0, 1, 1] + 0.25, abs=2e-3)
    assert matrix.edits["1"][4] == 0, "what is masked gets nothing"
    press(bridge, *["PageUp"] * 5)
    assert matrix.edits["1"] == [0, 1, 0, 0, 0]
    press(bridge, "PageDown")
    assert matrix.edits["1"][1] == pytest.approx(0.8)
    assert sum(matrix.edits["1"]) == pytest.approx(1), "the others come back in the model's own proportions"
    press(bridge, "Delete")
    assert matrix.edits == {}
    press(bridge, "+")
    bridge.page.get_by_role("button", name="undo").click()
    bridge.settle()
    assert (matrix.edits, said(bridge.page)) == ({}, "as the model has it")
    press(bridge, "ArrowRight")
    assert said(bridge.page).startswith("query "), "and then what is selected is told again"
    press(bridge, "Escape")
    assert said(bridge.page) == "nothing selected"
    press(bridge, "ArrowRight")
    assert said(bridge.page).startswith("query ")


def test_a_second_finger_changes_nothing(bridge):
    matrix = bridge.show(words(editing="mask"))
    cells = [at(bridge.page, matrix, 0, 1, key) for key in range(5)]
    first, last, end = [(cells[key]["x"], cells[key]["y"]) for key in (0, 4, 1)]
    fingers(bridge.page, ["down", 1, *first], ["down", 2, *last], ["move", 1, *end], ["up", 2, *last], ["up", 1, *end])
    bridge.settle()
    np.testing.assert_array_equal(np.reshape(matrix.mask, (4, 5))[1], [0, 0, 1, 1, 1])


@pytest.mark.parametrize("name", ["decode again", "undo"])
def test_a_button_that_goes_away_leaves_the_focus_in_the_matrix(bridge, name):
    matrix = bridge.show(Matrix(weights(4, 5), editing="weights", selected=[0, 1, 1], action="decode again"))
    matrix.on_action(lambda *_: matrix.show(edits={}))
    press(bridge, "Tab", "+")
    bridge.page.get_by_role("button", name=name).focus()
    press(bridge, "Enter")
    assert matrix.edits == {}
    assert bridge.page.evaluate("document.activeElement.tagName") == "CANVAS"


def test_escape_gives_back_what_a_drag_changed(bridge):
    matrix = bridge.show(Matrix(weights(4, 5), editing="weights", row_bars=True, selected=[0, 1, 1]))
    press(bridge, "Tab")
    bridge.page.mouse.move(*bar_place(bridge.page, matrix, 1, 0.1))
    bridge.page.mouse.down()
    bridge.page.mouse.move(*bar_place(bridge.page, matrix, 1, 0.9))
    bridge.settle()
    assert matrix.edits
    press(bridge, "Escape")
    bridge.page.mouse.up()
    assert matrix.edits == {}


def test_a_row_that_is_no_distribution_cannot_be_edited(bridge):
    matrix = bridge.show(Matrix([[np.nan, 0.5, 0.5]], editing="weights", row_bars=True, selected=[0, 0, 1]))
    press(bridge, "Tab", "+")
    assert matrix.edits == {}


def test_labels_are_dragged_into_another_order(bridge):
    w = weights(4, 5)
    matrix = bridge.show(words(w, editing="order"))
    bridge.page.mouse.move(*key_label(bridge.page, matrix, 0))
    bridge.page.mouse.down()
    bridge.page.mouse.move(*key_label(bridge.page, matrix, 1))
    bridge.page.mouse.move(*key_label(bridge.page, matrix, 3))
    bridge.page.mouse.up()
    bridge.settle()
    assert matrix.key_order == [1, 2, 3, 0, 4]
    bridge.page.mouse.move(1, 1)
    bridge.settle()
    place = at(bridge.page, matrix, 0, 2, 0)
    assert place["x"] == pytest.approx(key_label(bridge.page, matrix, 3)[0])
    np.testing.assert_allclose(pixel(bridge.page, place["x"] + 20, place["y"] + 10)[:3], colour(w[0, 0, 2, 0]), atol=2)
    bridge.page.mouse.move(*query_label(bridge.page, matrix, 0))
    bridge.page.mouse.down()
    bridge.page.mouse.move(*query_label(bridge.page, matrix, 2))
    bridge.settle()
    assert matrix.query_order == [1, 2, 0, 3]
    press(bridge, "Escape")
    bridge.page.mouse.up()
    assert matrix.query_order == [], "Escape takes a drag back"


def test_order_by_keyboard_follows_the_item(bridge):
    matrix = bridge.show(words(editing="order", selected=[0, 1, 1]))
    press(bridge, "Tab", "Alt+ArrowDown", "Alt+ArrowDown", "Alt+ArrowDown")
    assert (matrix.query_order, matrix.selected) == ([0, 2, 3, 1], [0, 1, 1])
    assert said(bridge.page) == "row moved to place 4", "there is no fifth"
    press(bridge, "Alt+ArrowLeft", "Alt+ArrowLeft")
    assert matrix.key_order == [1, 0, 2, 3, 4]
    press(bridge, "Home")
    assert matrix.selected == [0, 1, 1], "the first column that is seen"
    press(bridge, "ArrowUp")
    assert matrix.selected == [0, 3, 1], "arrows go by what stands above"
    bridge.page.get_by_role("button", name="undo").click()
    bridge.settle()
    assert (matrix.query_order, matrix.key_order) == ([], [])


def test_frames_are_scrubbed_in_the_page(bridge):
    w = weights(5, 7, frames=3)
    matrix = bridge.show(Matrix(w))
    for frame in (2, 1):
        bridge.page.evaluate(f"models.get('{matrix.model_id}').set('frame', {frame})")
        bridge.settle()
        np.testing.assert_array_equal(seen(bridge.page, matrix), w[frame])


def test_a_frame_plays_over_the_kernel_until_it_has_caught_up(bridge):
    w, frame = weights(5, 7), weights(5, 7, seed=5)
    matrix = bridge.show(Matrix(w))
    bridge.page.evaluate(
        """([id, shape, data]) => models.get(id).trigger("msg:custom", { kind: "frame", sequence: 7,
            state: { values: { shape, data: new DataView(new Float32Array(data).buffer) } } })""",
        [matrix.model_id, list(frame.shape[2:]), frame.ravel().tolist()],
    )
    bridge.settle()
    np.testing.assert_array_equal(seen(bridge.page, matrix), frame[0])
    matrix.show(values=w * 0.5, sequence=6)
    bridge.settle()
    np.testing.assert_array_equal(seen(bridge.page, matrix), frame[0], "an answer to an older position")
    matrix.show(values=w, sequence=7)
    bridge.settle()
    np.testing.assert_array_equal(seen(bridge.page, matrix), w[0])


def test_a_frame_whose_labels_do_not_fit_breaks_nothing(bridge):
    matrix = Matrix(weights(5, 7), query_labels=list("abcde"), selected=[0, 4, 6], current=4, mask=np.ones((5, 7)))
    bridge.show(matrix)
    bridge.page.evaluate(
        """(id) => models.get(id).trigger("msg:custom", { kind: "frame", sequence: 7,
            state: { values: { shape: [2, 3], data: new DataView(new Float32Array(6).buffer) } } })""",
        matrix.model_id,
    )
    bridge.settle()
    assert seen(bridge.page, matrix).shape == (1, 2, 3)


def test_the_limit_of_scores_stands_still_while_a_hand_is_down(bridge):
    matrix = bridge.show(Matrix([[1.0, -0.5]], scale="scores"))
    place = at(bridge.page, matrix, 0, 0, 1)
    before = pixel(bridge.page, place["x"] + 24, place["y"] + 10)
    bridge.page.mouse.move(5, 5)
    bridge.page.mouse.down()
    matrix.values = np.array([[9.0, -0.5]])
    bridge.settle()
    assert pixel(bridge.page, place["x"] + 24, place["y"] + 10) == before
    bridge.page.mouse.up()
    bridge.settle()
    assert pixel(bridge.page, place["x"] + 24, place["y"] + 10) != before


def test_theme_change_is_followed(bridge):
    w = weights(4, 5)
    matrix = bridge.show(words(w))
    place = at(bridge.page, matrix, 0, 1, 1)
    bridge.page.evaluate("document.body.style.background = '#212121'; document.body.dataset.jpThemeLight = 'false'")
    bridge.settle(400)
    painted = pixel(bridge.page, place["x"] + 20, place["y"] + 10)[:3]
    np.testing.assert_allclose(painted, colour(w[0, 0, 1, 1], dark=True), atol=2)


def test_harmful_words_are_words(bridge):
    nasty = ["<script>window.hit = 1</script>", "<img src=x onerror='window.hit=1'>", "😀", "שלום"]
    nasty += ["y" * 10_000, "", "\u202eabc", " "]
    matrix = Matrix(weights(8, 8, panels=2), query_labels=nasty, key_labels=nasty)
    matrix.show(panel_names=nasty[:2], query_groups=[[0, 3, nasty[0]]])
    matrix.show(key_groups=[[0, 8, nasty[4]]], query_title=nasty[1], selected=[0, 4, 4])
    matrix.show(distribution=np.ones(8) / 8, distribution_labels=nasty, distribution_title=[[nasty[0], "query"]])
    matrix.row_bars = True
    bridge.show(matrix)
    bridge.page.get_by_role("button", name="numbers").click()
    press(bridge, "Tab", "Shift+Tab", "Shift+Tab", "ArrowDown")
    assert bridge.page.evaluate("window.hit") is None
    assert bridge.page.locator("script, img").count() <= 1, "the page's own script only"
    assert nasty[0] in bridge.page.get_by_role("table").first.inner_text()
    assert geometry(bridge.page, matrix)["height"] < 2500


def test_the_table_has_the_numbers_and_their_headers(bridge):
    w = weights(4, 5)
    matrix = bridge.show(words(w, mask=[[1, 1, 1, 1, 0]] * 4))
    toggle = bridge.page.get_by_role("button", name="numbers")
    toggle.click()
    rows = [line.split() for line in bridge.page.get_by_role("table").locator("tbody tr").all_inner_texts()]
    assert rows == [[word, *(f"{x:.2f}" for x in w[0, 0, i, :4]), "masked"] for i, word in enumerate(WORDS)]
    assert bridge.page.locator("thead th[scope=col]").all_inner_texts()[1:] == MOTS
    matrix.values = w[:, :, ::-1]
    bridge.settle(250)
    assert bridge.page.locator("tbody td").first.inner_text() == f"{w[0, 0, 3, 0]:.2f}"
    matrix.show(values=weights(4, 5, panels=2), panel_names=["one", "two"])
    bridge.settle(250)
    assert bridge.page.locator("caption").all_inner_texts() == ["weights, one", "weights, two"]
    toggle.click()
    assert bridge.page.get_by_role("table").count() == 0


def test_copy_falls_back_to_a_file(bridge):
    bridge.wear(dark=True)
    bridge.show(Matrix(weights(4, 5)))
    with bridge.page.expect_download() as download:
        bridge.page.get_by_role("button", name="copy").click()
    assert download.value.suggested_filename == "matrix-4x5.png"
    with Image.open(download.value.path()) as picture:
        assert picture.convert("RGB").getpixel((0, 0)) == (33, 33, 33), "on the page's colour"


@pytest.mark.parametrize("size", [128, 8])
def test_a_frame_is_painted_in_a_few_milliseconds(bridge, size):
    """Of the page's own time: another process may take the processor."""
    frames = 30
    matrix = Matrix(weights(size, size, frames=frames), selected=[0, 3, 3], mask=np.tril(np.ones((size, size))))
    bridge.show(matrix)
    play = f"""(frame) => new Promise((done) => {{
        const lab = {root(matrix)}.attnlab, painted = lab.painted;
        const look = () => (lab.painted === painted ? requestAnimationFrame(look) : done());
        models.get('{matrix.model_id}').set("frame", frame);
        look();
    }})"""
    session = bridge.page.context.new_cdp_session(bridge.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    session.send("HeapProfiler.collectGarbage")  # else what earlier tests left may be cleared up within two frames
    spent = [own_seconds(session)]
    for frame in reversed(range(frames)):
        bridge.page.evaluate(play, frame)
        spent.append(own_seconds(session))
    session.detach()
    assert np.percentile(np.diff(spent), 95) < 0.016


def own_seconds(session):
    """How long the page's main thread has run."""
    return next(m["value"] for m in session.send("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")


def test_an_update_from_the_kernel_is_one_picture(bridge):
    matrix = bridge.show(Matrix(weights(5, 7)))
    painted = bridge.page.evaluate(f"{root(matrix)}.attnlab.painted")
    matrix.show(values=weights(3, 4), query_labels=list("abc"), key_labels=list("wxyz"), selected=[0, 1, 1], sequence=1)
    bridge.settle()
    assert bridge.page.evaluate(f"{root(matrix)}.attnlab.painted") == painted + 1


@pytest.mark.parametrize("width", [700, 1000, 1400])
def test_nothing_is_wider_than_the_page(page, width):
    page.set_viewport_size({"width": width + 48, "height": 900})
    with kernel():
        bridge = Bridge(page, width=width)
        for matrix in [
            words(),
            Matrix(weights(10, 17, panels=4), row_bars=True),
            Matrix(weights(64, 64)), Matrix(weights(128, 128)), Matrix(weights(5, 5, panels=12)),
        ]:  # fmt: skip
            bridge.show(matrix)
            assert geometry(page, matrix)["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_closing_a_view_leaves_nothing_behind(bridge):
    matrix = bridge.show(Matrix(weights(4, 5)))
    painted = bridge.page.evaluate(f"(window.gone = {root(matrix)}).attnlab.painted")
    bridge.page.evaluate("controllers.at(-1).abort(); window.gone.remove()")
    matrix.show(values=weights(4, 5, seed=1))
    bridge.settle()
    assert bridge.page.evaluate("window.gone.attnlab.painted") == painted
    assert pack_array(matrix.values)["shape"] == [1, 1, 4, 5]
