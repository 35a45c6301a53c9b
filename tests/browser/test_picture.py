"""Picture in a real browser: pixels, and everything a hand, a finger and a keyboard may change, against the kernel."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from hands import finger, fingers
from PIL import Image
from playwright.sync_api import expect

from widgets.base.controls import held, slider
from widgets.base.explorer import Explorer
from widgets.base.instrument import pack_array
from widgets.instruments.picture.picture import Picture, _bytes, side_by_side

pytestmark = pytest.mark.browser

GROUND = {False: [255] * 3, True: [33] * 3}


@pytest.fixture
def bridge(kept):
    """For all tests here one page."""
    return kept


@pytest.fixture
def page(bridge):
    return bridge.page


def checks(size=28):
    """Squares of 4 pixels, dark and light."""
    return (np.indices((size, size)) // 4).sum(0) % 2 * 0.6 + 0.2


def weights(rows=7, columns=7, *lead, seed=0):
    x = np.random.default_rng(seed).random((*lead, rows, columns)).astype(np.float32) ** 3
    return x / x.sum((-2, -1), keepdims=True)


def root(picture):
    return f"document.querySelector('[data-model=\"{picture.model_id}\"]')"


def seen(page, picture):
    return page.evaluate(f"{root(picture)}.attnlab.seen()")


def at(page, picture, *cell):
    place = page.evaluate(f"{root(picture)}.attnlab.cell({', '.join(map(str, cell))})")
    return place["x"], place["y"]


def point(page, picture, x, y, panel=0):
    place = page.evaluate(f"{root(picture)}.attnlab.point({panel}, {x}, {y})")
    return place["x"], place["y"]


def pixel(page, x, y):
    """The colour painted at a place given in CSS pixels of the page."""
    code = """([x, y]) => {
        const canvas = document.elementFromPoint(x, y), box = canvas.getBoundingClientRect();
        const place = [x - box.x, y - box.y].map((d) => Math.floor((d * canvas.width) / box.width));
        return [...canvas.getContext('2d').getImageData(...place, 1, 1).data].slice(0, 3);
    }"""
    return page.evaluate(code, [x, y])


def drag(bridge, start, *stops, release=True):
    bridge.page.mouse.move(*start)
    bridge.page.mouse.down()
    for stop in stops:
        bridge.page.mouse.move(*stop, steps=4)
    if release:
        bridge.page.mouse.up()
    bridge.settle()


def press(bridge, *keys):
    for key in keys:
        bridge.page.keyboard.press(key)
        bridge.settle(20)


def said(page):
    return page.locator(".picture [aria-live]").inner_text()


def read(page):
    return " ".join(page.locator(".picture .read span").all_inner_texts())


def focus(bridge):
    bridge.page.keyboard.press("Tab")
    bridge.page.locator(".picture canvas").focus()
    bridge.settle(20)


# --- what is painted


@pytest.mark.parametrize("dark", [False, True])
def test_no_weight_is_the_image_as_it_is(bridge, page, dark):
    bridge.wear(dark)
    image = checks()
    picture = bridge.show(Picture(image, np.eye(7) / 7))
    for row, column in [(0, 1), (3, 2), (6, 0), (2, 5)]:
        x, y = at(page, picture, 0, row, column)
        np.testing.assert_allclose(pixel(page, x, y), 255 * np.full(3, image[4 * row + 2, 4 * column + 2]), atol=2)


@pytest.mark.parametrize("dark", [False, True])
def test_weight_uncovers_a_coloured_image(bridge, page, dark):
    """Without weight four fifths of it are the page, with the most it is as it is."""
    bridge.wear(dark)
    image = np.stack([checks(), checks()[::-1], np.full((28, 28), 0.4)], -1)
    picture = bridge.show(Picture(image, np.linspace(0, 1, 49).reshape(7, 7)))
    for row, column in [(0, 0), (1, 3), (3, 3), (5, 2), (6, 6)]:
        share = (7 * row + column) / 48
        own = 255 * image[4 * row + 2, 4 * column + 2]
        wanted = own + 0.8 * (1 - share) * (np.array(GROUND[dark]) - own)
        np.testing.assert_allclose(pixel(page, *at(page, picture, 0, row, column)), wanted, atol=3)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("light", [0.0, 0.4, 1.0])
def test_the_more_weight_the_more_colour_and_the_image_stays(bridge, page, dark, light):
    """Pixels 0.25 apart are told apart under the fullest colour, and weights on every ground."""
    bridge.wear(dark)
    ground = np.full((4, 40), light)
    ground[2:] = light + 0.25 if light < 0.5 else light - 0.25
    picture = bridge.show(Picture(ground, np.linspace(0, 1, 10)[None]))
    pixels = np.array([
        [pixel(page, *point(page, picture, -0.9 + 0.2 * i, y)) for i in range(10)] for y in (-0.5, 0.5)
    ]).astype(float)
    away = np.abs(pixels - pixels[:, :1]).sum(-1)
    assert (np.diff(away, axis=1) > 0).all(), "more weight is farther from the bare image"
    assert away[:, -1].min() > 50
    assert np.abs(pixels[0, -1] - pixels[1, -1]).sum() > 25, "what the image shows is still there"


def test_the_fullest_colour_belongs_to_the_largest_weight_of_all_frames(bridge, page):
    film = weights(7, 7, 5)
    picture = bridge.show(Picture(checks(), film))
    assert seen(page, picture)["limit"] == pytest.approx(film.max())
    picture.limit = 0.5
    bridge.settle()
    assert seen(page, picture)["limit"] == 0.5


def test_scores_have_a_colour_for_either_sign(bridge, page):
    picture = bridge.show(Picture(np.zeros((4, 12)), [[1.0, 0.0, -1.0]], scale="scores", measure="effect"))
    plus, none, minus = (pixel(page, *at(page, picture, 0, 0, c)) for c in range(3))
    assert plus[2] > plus[0] + 30
    assert minus[0] > minus[2] + 30
    assert none == [0, 0, 0]
    page.mouse.move(*at(page, picture, 0, 0, 2))
    bridge.settle()
    assert read(page) == "effect −1.00 row 1, column 3"


@pytest.mark.parametrize("dark", [False, True])
def test_hidden_cells_are_hatched_and_say_so(bridge, page, dark):
    bridge.wear(dark)
    mask = np.ones((4, 4))
    mask[1, 2] = 0
    w = weights(4, 4)
    picture = bridge.show(Picture(np.full((28, 28), 1.0 if dark else 0.0), w, mask=mask, limit=1.0))
    before = page.locator(".picture canvas").evaluate("(el) => el.toDataURL()")
    picture.weights = np.where(mask, w, 0.9)
    bridge.settle()
    assert page.locator(".picture canvas").evaluate("(el) => el.toDataURL()") == before, "nothing of its weight"
    x, y = at(page, picture, 0, 1, 2)
    line = np.array([pixel(page, x + d, y) for d in range(-12, 13)]).mean(1)
    assert line.max() - line.min() > 60, "stripes"
    page.mouse.move(x, y)
    bridge.settle()
    assert read(page) == "weight hidden row 2, column 3"


def test_what_is_not_a_number_is_shown_and_named(bridge, page):
    holed, image = weights(4, 4), checks()
    holed[2, 1] = np.nan
    image[0, :3] = np.nan
    picture = bridge.show(Picture(image, holed))
    assert "1 cell is not a number" in read(page)
    assert "3 pixels are not a number" in read(page)
    red, green, _ = pixel(page, *point(page, picture, -0.999, -0.999))
    assert red > green + 60, "in the colour of errors, under the weights"
    red, green, _ = pixel(page, *at(page, picture, 0, 2, 1))
    assert red > green + 60, "crossed out"
    page.mouse.move(*at(page, picture, 0, 2, 1))
    bridge.settle()
    assert read(page).startswith("weight not a number row 3, column 2")


# --- looking


def test_hover_and_selection_are_told_and_synced(bridge, page):
    w = weights()
    picture = bridge.show(Picture(checks(), w))
    page.mouse.move(*at(page, picture, 0, 2, 3))
    bridge.settle()
    assert (picture.hovered, picture.selected) == ([0, 2, 3], [])
    assert read(page) == f"weight {w[2, 3]:.2f} row 3, column 4"
    page.mouse.down()
    page.mouse.up()
    page.mouse.move(0, 0)
    bridge.settle()
    assert (picture.hovered, picture.selected) == ([], [0, 2, 3])
    assert read(page) == f"weight {w[2, 3]:.2f} row 3, column 4"


def test_keyboard_walks_and_is_told(bridge, page):
    w = weights(4, 4)
    picture = bridge.show(Picture(side_by_side(checks(), checks()), side_by_side(w, w), titles=["one", "two"]))
    focus(bridge)
    press(bridge, "Enter")
    assert picture.selected == [0, 0, 0]
    assert said(page) == f"weight {w[0, 0]:.2f} one, row 1, column 1"
    press(bridge, "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    assert picture.selected == [1, 1, 0], "over the side to the next image"
    press(bridge, "ArrowLeft", "Home", "ArrowUp", "ArrowUp")
    assert picture.selected == [0, 0, 0]
    press(bridge, "End")
    assert picture.selected == [0, 0, 3]
    press(bridge, "Escape")
    assert (picture.selected, said(page)) == ([], "nothing selected")


def test_the_text_in_the_pictures_place(bridge, page):
    w = weights(4, 4)
    row, column = np.unravel_index(w.argmax(), w.shape)
    bridge.show(Picture(checks(), w, frame_names=["red"], glimpses=[[0, 0.5]]))
    canvas = page.locator(".picture canvas")
    expect(canvas).to_have_attribute(
        "aria-label", "image of 28 by 28 pixels, weights 4 by 4. Arrow keys select a cell, Escape nothing."
    )
    words = page.locator(f"#{canvas.get_attribute('aria-describedby')}")
    expect(words).to_have_text(
        f"“red”; most weight {w.max():.2f} at row {row + 1}, column {column + 1}; glimpses at (0.00, 0.50)"
    )


def test_frames_are_scrubbed_in_the_page(bridge, page):
    film, images = weights(7, 7, 3), np.stack([np.full((28, 28), x) for x in (0.0, 0.5, 1.0)])
    picture = bridge.show(Picture(images, film, frame_names=list("abc")))
    for frame in (2, 1):
        page.evaluate(f"models.get('{picture.model_id}').set('frame', {frame})")
        bridge.settle()
        np.testing.assert_allclose(seen(page, picture)["weights"][0], film[frame].ravel())
        dark = film[frame].argmin()
        np.testing.assert_allclose(pixel(page, *at(page, picture, 0, *divmod(dark, 7))), 127.5 * frame, atol=4)


def test_a_frame_plays_over_the_kernel_until_it_has_caught_up(bridge, page):
    w, frame = weights(), weights(seed=5)
    picture = bridge.show(Picture(checks(), w))
    page.evaluate(
        """([id, shape, data]) => models.get(id).trigger("msg:custom", { kind: "frame", sequence: 7,
            state: { weights: { shape, data: new DataView(Float32Array.from(data).buffer) } } })""",
        [picture.model_id, [7, 7], frame.ravel().tolist()],
    )
    bridge.settle()
    np.testing.assert_allclose(seen(page, picture)["weights"][0], frame.ravel())
    picture.show(weights=w[::-1], sequence=7)
    bridge.settle()
    np.testing.assert_allclose(seen(page, picture)["weights"][0], w[::-1].ravel())


def test_a_frame_that_does_not_fit_is_answered_in_a_sentence_and_the_last_good_picture_stays(bridge, page):
    picture = bridge.show(Picture(side_by_side(checks(), checks()), weights()))
    before = page.evaluate(f"{root(picture)}.querySelector('canvas').toDataURL()")
    play = """([id, shape, data]) => models.get(id).trigger("msg:custom", { kind: "frame", sequence: 7,
        state: { weights: { shape, data: new DataView(Float32Array.from(data).buffer) } } })"""
    page.evaluate(play, [picture.model_id, [1, 3, 7, 7], [0.0] * 147])
    bridge.settle()
    banner = page.locator(".picture .banner")
    expect(banner).to_have_text("weights: expected 2 images, got 3")
    assert page.evaluate(f"{root(picture)}.querySelector('canvas').toDataURL()") == before
    page.mouse.move(*at(page, picture, 1, 2, 3))
    bridge.settle()
    assert picture.hovered == [1, 2, 3], "the hand still finds its cells"
    picture.sequence = 7
    bridge.settle()
    expect(banner).to_be_hidden()


# --- the hand


def test_weight_is_dragged_to_another_cell_and_the_sum_stays(bridge, page):
    w = weights()
    picture = bridge.show(Picture(checks(), w, editing="weights"))
    drag(bridge, at(page, picture, 0, 1, 1), at(page, picture, 0, 5, 4), release=False)
    moved = w.copy()
    moved[5, 4] += moved[1, 1]
    moved[1, 1] = 0
    np.testing.assert_allclose(picture.shown[0], moved, atol=1e-6, err_msg="it follows while the hand is down")
    page.mouse.up()
    bridge.settle()
    np.testing.assert_allclose(picture.shown[0], moved, atol=1e-6)
    assert picture.shown.sum() == pytest.approx(1, abs=1e-5)
    assert picture.selected == [0, 5, 4]
    assert said(page) == "weight of row 2, column 2 moved to row 6, column 5"
    page.get_by_role("button", name="undo").click()
    bridge.settle()
    assert picture.edits == {}


def test_a_region_goes_with_its_middle(bridge, page):
    w = weights(7, 7, 3)
    picture = bridge.show(Picture(checks(), w, editing="weights", reach=1, frame=2))
    drag(bridge, at(page, picture, 0, 1, 1), at(page, picture, 0, 5, 5))
    expected = w[2].copy()
    expected[0:3, 0:3] = 0
    expected[4:7, 4:7] += w[2, 0:3, 0:3]
    np.testing.assert_allclose(picture.shown[0], expected, atol=1e-6)
    assert list(picture.edits) == ["2"]


def test_a_drag_is_taken_back_by_escape_and_by_the_system(bridge, page):
    w = weights()
    picture = bridge.show(Picture(checks(), w, editing="weights"))
    drag(bridge, at(page, picture, 0, 1, 1), at(page, picture, 0, 5, 4), release=False)
    page.locator(".picture canvas").focus()
    press(bridge, "Escape")
    page.mouse.up()
    bridge.settle()
    assert picture.edits == {}
    drag(bridge, at(page, picture, 0, 1, 1), at(page, picture, 0, 5, 4), release=False)
    page.locator(".picture canvas").dispatch_event("pointercancel", {"pointerId": 1})  # the mouse
    page.mouse.up()
    bridge.settle()
    assert picture.edits == {}


def test_weight_is_carried_by_keyboard(bridge, page):
    w = weights()
    picture = bridge.show(Picture(checks(), w, editing="weights", selected=[0, 2, 2]))
    focus(bridge)
    press(bridge, "Enter", "ArrowRight", "ArrowDown")
    assert said(page) == "over row 4, column 4"
    press(bridge, "Enter")
    assert picture.shown[0, 3, 3] == pytest.approx(w[3, 3] + w[2, 2], abs=1e-6)
    assert picture.shown[0, 2, 2] == 0
    press(bridge, "Enter", "ArrowRight", "Escape")
    assert picture.shown[0, 3, 3] == pytest.approx(w[3, 3] + w[2, 2], abs=1e-6), "the last carry was taken back"
    press(bridge, "Delete")
    assert picture.edits == {}
    press(bridge, "Enter", "ArrowRight", "Tab")
    assert picture.edits == {}, "who goes away puts it back"


def test_hidden_cells_and_what_is_no_number_give_and_take_nothing(bridge, page):
    mask = np.ones((7, 7))
    mask[5, 4] = 0
    w = weights()
    picture = bridge.show(Picture(checks(), w, mask=mask, editing="weights"))
    drag(bridge, at(page, picture, 0, 1, 1), at(page, picture, 0, 5, 4))
    np.testing.assert_allclose(picture.shown[0], w, atol=1e-6)
    drag(bridge, at(page, picture, 0, 5, 4), at(page, picture, 0, 1, 1))
    np.testing.assert_allclose(picture.shown[0], w, atol=1e-6)
    holed = w.copy()
    holed[0, 0] = np.nan
    picture.show(weights=holed, edits={})
    bridge.settle()
    drag(bridge, at(page, picture, 0, 1, 1), at(page, picture, 0, 3, 3))
    assert picture.edits == {}
    assert said(page) == "weights that are not a number cannot be moved"


def test_a_blind_spot_is_painted_and_wiped_away(bridge, page):
    picture = bridge.show(Picture(checks(), weights(), editing="mask"))
    drag(bridge, at(page, picture, 0, 1, 1), at(page, picture, 0, 1, 4), at(page, picture, 0, 3, 4))
    hidden = np.ones((1, 7, 7))
    hidden[0, 1, 1:5] = hidden[0, 1:4, 4] = 0
    np.testing.assert_array_equal(picture.mask, hidden)
    page.mouse.click(*at(page, picture, 0, 1, 2))
    bridge.settle()
    assert picture.mask[0, 1, 2] == 1
    focus(bridge)
    press(bridge, "ArrowDown", " ")
    assert picture.mask[0, 2, 2] == 0
    assert said(page) == "hidden"
    press(bridge, "Enter")
    assert picture.mask[0, 2, 2] == 1


def test_a_blind_spot_that_is_being_painted_is_taken_back(bridge, page):
    mask = np.ones((1, 7, 7), np.float32)
    mask[0, 6, 6] = 0
    picture = bridge.show(Picture(checks(), weights(), mask=mask, editing="mask"))
    drag(bridge, at(page, picture, 0, 1, 1), at(page, picture, 0, 4, 4), release=False)
    assert picture.mask.sum() == 48 - 4
    page.locator(".picture canvas").dispatch_event("pointercancel", {"pointerId": 1})  # the mouse
    page.mouse.up()
    bridge.settle()
    np.testing.assert_array_equal(picture.mask, mask)


def test_a_mask_of_each_image_is_painted_alone(bridge, page):
    picture = bridge.show(Picture(side_by_side(checks(), checks()), weights(), mask=np.ones((2, 7, 7)), editing="mask"))
    page.mouse.click(*at(page, picture, 1, 3, 3))
    bridge.settle()
    assert (picture.mask[0].all(), picture.mask[1, 3, 3], picture.mask[1].sum()) == (True, 0, 48)
    assert read(page).startswith("weight hidden")
    page.mouse.move(*at(page, picture, 0, 3, 3))
    bridge.settle()
    assert "hidden" not in read(page)


def test_patches_are_exchanged_by_hand(bridge, page):
    image = np.kron(np.arange(16).reshape(4, 4) / 15, np.ones((7, 7)))
    picture = bridge.show(Picture(image, grid=[4, 4], editing="order"))
    drag(bridge, at(page, picture, 0, 0, 1), at(page, picture, 0, 2, 3), release=False)
    assert picture.order == [], "while it is in the hand nothing has changed"
    page.mouse.up()
    bridge.settle()
    assert picture.order == [0, 11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 12, 13, 14, 15]
    assert picture.selected == [0, 0, 1], "the patch that was dragged"
    np.testing.assert_allclose(pixel(page, *point(page, picture, -0.25, -0.75)), 255 * 11 / 15, atol=2)
    assert said(page) == "patches of row 1, column 2 and row 3, column 4 exchanged"
    page.mouse.move(0, 0)
    bridge.settle()
    assert read(page) == "patch 2 row 1, column 2 stands at row 3, column 4"
    page.get_by_role("button", name="undo").click()
    bridge.settle()
    assert picture.order == []


def test_patches_are_exchanged_by_keyboard(bridge, page):
    picture = bridge.show(Picture(checks(), grid=[4, 4], editing="order", selected=[0, 1, 1]))
    focus(bridge)
    press(bridge, "Enter", "ArrowRight", "ArrowUp", "Enter")
    assert (picture.places[2], picture.places[5]) == (5, 2)
    assert picture.selected == [0, 1, 1], "it stays with the patch"
    press(bridge, "Alt+ArrowLeft")
    assert picture.places[1:3] == [5, 1]
    press(bridge, "ArrowRight")
    assert picture.selected == [0, 0, 1], "arrows go over the screen"
    press(bridge, "Enter", "ArrowDown", "Escape")
    assert picture.places[1:3] == [5, 1]


def test_weights_mask_and_selection_go_with_their_patch(bridge, page):
    peak = np.zeros((4, 4))
    peak[0, 0] = 1
    order = list(range(16))
    order[0], order[15] = 15, 0
    picture = bridge.show(Picture(np.zeros((28, 28)), peak, order=order))
    assert sum(pixel(page, *point(page, picture, -0.75, -0.75))) == 0
    assert sum(pixel(page, *point(page, picture, 0.75, 0.75))) > 150
    page.mouse.move(*point(page, picture, 0.75, 0.75))
    bridge.settle()
    assert picture.hovered == [0, 0, 0]


def test_glimpses_are_placed_up_to_their_number(bridge, page):
    picture = bridge.show(Picture(checks(60), editing="glimpses", most_glimpses=3, glimpse_scales=2))
    for x, y in [(0, 0), (0.5, -0.5), (-1, 0.99), (0.2, 0.2)]:
        page.mouse.click(*point(page, picture, x, y))
        bridge.settle()
    assert len(picture.glimpses) == 3
    np.testing.assert_allclose(picture.glimpses, [[0, 0], [0.5, -0.5], [-1, 0.99]], atol=0.011)
    assert page.locator(".picture canvas").evaluate("(el) => el.style.cursor") == "not-allowed"
    page.mouse.move(0, 0)
    bridge.settle()
    assert read(page).startswith("3 of 3 glimpses")
    focus(bridge)
    press(bridge, "Backspace")
    assert len(picture.glimpses) == 2
    page.get_by_role("button", name="undo").click()
    bridge.settle()
    assert len(picture.glimpses) == 1


def test_where_the_hand_would_look_is_framed(bridge, page):
    picture = bridge.show(Picture(np.zeros((60, 60)), editing="glimpses", glimpse_size=12))
    x, y = point(page, picture, -0.2, 0)  # six pixels of the image left of its middle
    edge = x - 1, y
    assert sum(pixel(page, *edge)) == 0
    page.mouse.move(*point(page, picture, 0, 0))
    bridge.settle()
    assert read(page) == "(0.00, 0.00) here"
    red, _, blue = pixel(page, *edge)
    assert blue > red + 60, "in the brand's colour"
    assert sum(pixel(page, x + 1, y)) == 0, "the frame covers nothing of what it frames"


def test_glimpses_are_placed_by_keyboard(bridge, page):
    picture = bridge.show(Picture(checks(60), editing="glimpses", most_glimpses=2))
    focus(bridge)
    press(bridge, "ArrowRight", "Shift+ArrowUp")
    assert said(page) == "at 0.05 across, -0.2 down"
    press(bridge, "Enter", "ArrowLeft", " ", "ArrowLeft")
    assert picture.glimpses == [[0.05, -0.2], [0.0, -0.2]]
    assert said(page) == "all 2 glimpses are used"


def test_glimpses_at_one_place_share_a_number(bridge, page):
    """Else the last one would cover the others, of which a sentence may speak."""
    picture = bridge.show(Picture(np.ones((60, 60)), glimpse_size=12))

    def orange(glimpses):
        picture.glimpses = glimpses
        bridge.settle()
        return page.evaluate("""() => {
            const canvas = document.querySelector('.attnlab canvas'), at = [0, 0, canvas.width, canvas.height];
            const { data } = canvas.getContext('2d').getImageData(...at);
            let found = 0;
            for (let i = 0; i < data.length; i += 4) found += data[i] === 230 && data[i + 1] === 159 && !data[i + 2];
            return found;
        }""")

    once, again = orange([[0.5, 0.5], [0, 0]]), orange([[0, 0], [0.5, 0.5], [0, 0]])
    assert again > once + 100, "a wider tag: 1, 3"


def test_each_glimpse_that_is_taken_back_is_told(bridge, page):
    picture = bridge.show(Picture(checks(60), editing="glimpses", glimpses=[[0, 0], [0.1, 0.1], [0.2, 0.2]]))
    focus(bridge)
    page.evaluate("""() => {
        window.told = [];
        const note = () => told.push(document.querySelector(".picture [aria-live]").textContent);
        new MutationObserver(note).observe(document.querySelector(".picture [aria-live]"), { childList: true });
    }""")
    press(bridge, "Backspace", "Backspace", "Backspace")
    assert picture.glimpses == []
    assert page.evaluate("told") == ["the last glimpse is taken back"] * 3


def test_a_second_finger_changes_nothing(bridge, page):
    picture = bridge.show(Picture(checks(), weights(), editing="mask"))
    first, last, end = [at(page, picture, 0, 1, column) for column in (0, 6, 1)]
    fingers(page, ["down", 1, *first], ["down", 2, *last], ["move", 1, *end], ["up", 2, *last], ["up", 1, *end])
    bridge.settle()
    np.testing.assert_array_equal(np.reshape(picture.mask, (7, 7))[1], [0, 0, 1, 1, 1, 1, 1])


def test_each_image_has_its_own_path(bridge, page):
    picture = bridge.show(Picture(side_by_side(checks(60), checks(60)), editing="glimpses", most_glimpses=1))
    page.mouse.click(*point(page, picture, 0.5, 0.5, panel=1))
    page.mouse.click(*point(page, picture, 0, 0, panel=0))
    page.mouse.click(*point(page, picture, 0, 0, panel=1))
    bridge.settle()
    assert [place[2] for place in picture.glimpses] == [1, 0]
    page.mouse.move(0, 0)
    assert read(page) == "1 and 1 glimpses"


def test_a_path_of_glimpses_is_drawn(bridge, page):
    picture = bridge.show(Picture(np.zeros((60, 60)), glimpses=[[-0.5, -0.5], [0.5, 0.5]], glimpse_size=12))
    orange = np.array([230, 159, 0])
    seen = [(point(page, picture, *place), left) for *place, left in [(-0.7, -0.4, 1), (0.3, 0.6, 1), (0.0, 0.0, 0)]]
    near = [np.abs(np.array(pixel(page, x - left, y)) - orange).max() for (x, y), left in seen]
    assert max(near) < 90, "both frames and the line between"
    assert read(page) == "2 glimpses the last at (0.50, 0.50)"


def test_the_number_of_a_small_glimpse_stands_beside_all_that_it_sees(bridge, page):
    orange = np.array([230, 159, 0])
    picture = bridge.show(Picture(np.zeros((200, 200)), glimpses=[[0, 0]], glimpse_size=8, glimpse_scales=3))
    edges = {4: False, 16: True}  # pixels of the image from the middle to the finest and the coarsest edge
    for half, numbered in edges.items():
        x, y = point(page, picture, -half / 100, -half / 100)
        found = np.abs(np.array(pixel(page, x + 2, y - 12)) - orange).max() < 90
        assert found == numbered, half


class Shuffled(Explorer):
    """Patches in the learner's order, brightness by a slider."""

    brightness = slider(0.5, 0.0, 1.0, step=0.25)
    order = held([], "which patch stands where", ("picture", "order"))

    def views(self):
        return {"picture": Picture(np.zeros((8, 8)), grid=[2, 2], editing="order")}

    def compute(self, state):
        return np.full((8, 8), state.brightness)

    def picture(self, state, result):
        return {"picture": {"image": result, "order": state.order}}

    def sentence(self, state, result):
        return [f"places {state.order or [0, 1, 2, 3]}"]

    def code(self, state):
        return f"order = {state.order}"


def test_an_explorer_follows_the_hand_and_its_slider_plays_in_the_page(bridge, page):
    explorer = bridge.show(Shuffled())
    picture = explorer.parts["picture"]
    drag(bridge, at(page, picture, 0, 0, 0), at(page, picture, 0, 1, 1))
    assert explorer.order == [3, 1, 2, 0]
    expect(page.locator(".caption .say")).to_have_text("places [3, 1, 2, 0]")
    slide = page.locator("input[type=range]")
    slide.focus()
    press(bridge, "ArrowRight", "ArrowRight", "ArrowLeft")
    bridge.settle()
    np.testing.assert_allclose(pixel(page, *at(page, picture, 0, 0, 1)), 191, atol=2)
    assert (explorer.brightness, seen(page, picture)["order"]) == (0.75, [3, 1, 2, 0])
    explorer.reset()
    bridge.settle()
    assert (seen(page, picture)["order"], explorer.order) == ([0, 1, 2, 3], [])


def test_one_image_stands_under_the_maps_of_several_words(bridge, page):
    maps = weights(4, 4, 3)
    picture = bridge.show(Picture(np.zeros((8, 8)), maps[None], titles=["a", "red", "square"]))
    np.testing.assert_allclose(seen(page, picture)["weights"], maps.reshape(3, 16))
    page.mouse.move(*at(page, picture, 2, 1, 1))
    bridge.settle()
    assert read(page) == f"weight {maps[2, 1, 1]:.2f} square, row 2, column 2"


def test_a_finger_moves_weight_and_leaves_nothing_hovered(phone):
    page, w = phone.page, weights()
    picture = phone.show(Picture(checks(), w, editing="weights"))
    start, end = at(page, picture, 0, 1, 1), at(page, picture, 0, 4, 4)
    finger(page, start, (start[0] + 24, start[1]), end)
    phone.settle()
    assert picture.shown[0, 4, 4] == pytest.approx(w[4, 4] + w[1, 1], abs=1e-6)
    assert picture.hovered == []
    buttons = [box.bounding_box() for box in page.locator(".picture button:visible").all()]
    assert buttons
    assert all(min(box["width"], box["height"]) >= 24 for box in buttons)
    assert float(page.locator(".picture .tools").evaluate("(el) => getComputedStyle(el).opacity")) == 1


def test_without_editing_nothing_changes(bridge, page):
    picture = bridge.show(Picture(checks(), weights()))
    drag(bridge, at(page, picture, 0, 1, 1), at(page, picture, 0, 5, 4))
    focus(bridge)
    press(bridge, "Enter", "ArrowRight", "Enter", "Delete", " ")
    assert (picture.edits, picture.mask, picture.order, picture.glimpses) == ({}, None, [], [])


# --- the page


SHOWN = {
    "weights": lambda: Picture(checks(), weights(), frame_names=["red"], selected=[0, 1, 1], editing="weights"),
    "mask": lambda: Picture(checks(), weights(), mask=np.eye(7), editing="mask"),
    "glimpses": lambda: Picture(checks(60), glimpses=[[0, 0], [0.4, 0.4]], editing="glimpses", most_glimpses=5),
    "order": lambda: Picture(checks(), grid=[4, 4], order=[1, 0, *range(2, 16)], editing="order"),
    "several": lambda: Picture(side_by_side(*[checks()] * 3), weights(), titles=["a", "b", "c"]),
}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", SHOWN)
def test_nothing_serious_is_found(bridge, page, name, dark):
    bridge.wear(dark, 700)
    bridge.show(SHOWN[name]())
    found = Axe().run(page, context="#stage").response["violations"]
    serious = [one["id"] for one in found if any(node["impact"] in ("serious", "critical") for node in one["nodes"])]
    assert serious == []


@pytest.mark.parametrize("width", [342, 700, 1000, 1400])
@pytest.mark.parametrize("name", SHOWN)
def test_it_holds_together_at_every_width(bridge, page, name, width):
    page.set_viewport_size({"width": width + 48, "height": 900})
    bridge.wear(width=width)
    bridge.show(SHOWN[name]())
    assert page.evaluate("document.documentElement.scrollWidth") <= width + 48
    canvas = page.locator(".picture canvas").bounding_box()
    assert canvas["width"] <= width
    assert page.locator(".picture .read").bounding_box()["y"] >= canvas["y"] + canvas["height"]


def test_words_below_do_not_make_the_page_jump(bridge, page):
    bridge.wear(width=342)
    picture = bridge.show(Picture(checks(), weights(), editing="weights"))
    foot = page.locator(".picture .hint")
    before = foot.bounding_box()["y"]
    page.mouse.move(*at(page, picture, 0, 2, 3))
    bridge.settle()
    assert foot.bounding_box()["y"] == before


def test_it_is_copied_as_png(bridge, page):
    bridge.wear(dark=True)
    bridge.show(Picture(checks(), weights()))
    page.locator(".picture").hover()
    with page.expect_download() as download:
        page.get_by_role("button", name="copy").click()
    assert download.value.suggested_filename == "picture-28x28.png"
    with Image.open(download.value.path()) as png:
        assert png.convert("RGB").getpixel((0, 0)) == tuple(GROUND[True]), "on the page's colour"


def test_a_page_without_an_image_is_empty_until_one_comes(bridge, page):
    picture = bridge.show(Picture())
    expect(page.locator(".picture canvas")).to_be_hidden()
    picture.image = checks()
    bridge.settle()
    expect(page.locator(".picture canvas")).to_be_visible()


@pytest.mark.parametrize("size", [28, 7])
def test_a_frame_is_painted_in_a_few_milliseconds(bridge, page, size):
    """Script time of a picture: weights over an image of 256 x 256 pixels, of which every frame is another. The least
    counts: what the others take longer is the machine's."""
    frames = 30
    images = np.random.default_rng(0).random((frames, 256, 256)).astype(np.float32)
    for given in (images[0], images):
        picture = bridge.show(Picture(given, weights(size, size, frames), editing="weights", selected=[0, 3, 3]))
        play = f"""(frame) => new Promise((done) => {{
            const view = {root(picture)}.attnlab;
            models.get('{picture.model_id}').set("frame", frame);
            requestAnimationFrame(() => requestAnimationFrame(() => done(view.paintedIn)));
        }})"""
        times = [page.evaluate(play, frame) for frame in reversed(range(frames))]
        assert min(times) < (4 if given is not images else 16), sorted(times)
        bridge.clear()


def test_its_bytes_are_what_the_page_reads(bridge, page):
    """One image that is sent anew, and a mask as Python packs it."""
    picture = bridge.show(Picture(np.zeros((8, 8)), weights(4, 4)))
    picture.show(image=np.full((8, 8), 0.5), weights=np.eye(4) / 4)
    bridge.settle()
    np.testing.assert_allclose(pixel(page, *at(page, picture, 0, 0, 1)), 127.5, atol=2)
    assert _bytes(picture.image)["shape"] == [1, 1, 8, 8, 1]
    assert pack_array(picture.weights)["shape"] == [1, 1, 4, 4]
