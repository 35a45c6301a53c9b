"""VectorPlane in a real browser: arrows, the hand on the query's tip, keyboard, frames, both themes."""

import pytest
from bridge import Bridge, kernel
from playwright.sync_api import expect

from widgets.explorers.l03_alignment.query_direction import QueryDirectionExplorer
from widgets.instruments.vector_plane.vector_plane import VectorPlane

pytestmark = pytest.mark.browser


@pytest.fixture
def plane(bridge):
    return bridge.show(
        VectorPlane(
            vectors=[[3.0, 0.0], [0.0, 1.0], [-2.0, -2.0]], labels=["a", "b", "c"], angle=90.0, length=2.0, turn=5.0
        )
    )


def tip(page):
    return page.locator(".attnlab-plane .tip")


def middle(page):
    box = page.locator(".attnlab-plane svg").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["width"] / 2 / (1.12 * 4)


def test_every_arrow_ends_where_its_vector_does(page, plane):
    heads = page.locator(".attnlab-plane polygon")
    ends = heads.evaluate_all("all => all.map(p => p.points[0].x + ',' + p.points[0].y)")
    unit = 170 / (1.12 * 4)
    for end, (x, y) in zip(ends, [*plane.vectors.tolist(), plane.query], strict=True):
        assert [float(n) for n in end.split(",")] == pytest.approx([x * unit, -y * unit], abs=0.02)
    assert page.locator(".attnlab-plane .name").all_text_contents() == ["a", "b", "c", "q"]


def test_weights_make_keys_strong(bridge, page, plane):
    plane.weights = [1.0, 0.0, 0.5]
    bridge.settle()
    widths = page.locator(".attnlab-plane .arrow").evaluate_all("all => all.map(l => +l.getAttribute('stroke-width'))")
    assert widths[0] > widths[2] > widths[1]


def test_the_hand_drags_the_tip(bridge, page, plane):
    x, y, unit = middle(page)
    page.mouse.move(x, y - 2 * unit)
    page.mouse.down()
    page.mouse.move(x + 3 * unit, y - 0.1 * unit, steps=5)
    page.mouse.up()
    bridge.settle()
    assert plane.angle in (0, 355, 5)
    assert plane.length == pytest.approx(3.0, abs=0.11)
    page.mouse.move(x, y)
    bridge.settle()
    assert plane.length > 2, "it follows only while the button is down"


def test_it_is_never_longer_than_the_picture(bridge, page, plane):
    x, y, unit = middle(page)
    page.mouse.move(x, y - 2 * unit)
    page.mouse.down()
    page.mouse.move(x, y - 9 * unit, steps=5)
    page.mouse.up()
    bridge.settle()
    assert (plane.angle, plane.length) == (90, 4)


def test_keyboard(bridge, page, plane):
    tip(page).focus()
    for key in ["ArrowLeft", "ArrowUp", "ArrowUp", "ArrowDown"]:
        page.keyboard.press(key)
    bridge.settle()
    assert (plane.angle, round(plane.length, 6)) == (95, 2.1)
    expect(tip(page)).to_have_attribute("aria-valuetext", "95 degrees, length 2.1")
    expect(tip(page)).to_have_attribute("role", "slider")
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    bridge.settle()
    assert plane.angle == 355, "it goes on after a whole turn"


def test_turned_arrows_stand_beside_what_they_were(bridge, page):
    turned = [[0.0, 2.0], [-1.0, 0.0]]
    plane = VectorPlane(vectors=[[1.0, 0.0]], labels=["k"], turned=turned, title="fast", note="90° between")
    bridge.show(plane)
    heads = page.locator(".attnlab-plane polygon")
    ends = heads.evaluate_all("all => all.map(p => [p.points[0].x, p.points[0].y])")
    unit = 170 / (1.12 * 4)
    for end, (x, y) in zip(ends, [[1.0, 0.0], [1.0, 0.0], *turned], strict=True):
        assert end == pytest.approx([x * unit, -y * unit], abs=0.02)
    assert page.locator(".attnlab-plane .title").text_content() == "fast"
    assert page.locator(".attnlab-plane .hint").text_content() == "90° between"
    ends = "(arc) => [arc.getPointAtLength(0), arc.getPointAtLength(arc.getTotalLength())].map(p => [p.x, p.y])"
    key, query = page.locator(".attnlab-plane .between").evaluate(ends)
    assert [*key, *query] == pytest.approx([-0.3 * unit, 0, 0, -0.3 * unit], abs=0.1), "from the key to the query"


def test_it_is_drawn_in_pixels_at_any_width(bridge, page):
    bridge.wear(width=180)
    plane = bridge.show(VectorPlane(vectors=[[3.0, 0.0]], labels=["a"], longest=4.0))
    assert page.locator(".attnlab-plane svg").get_attribute("viewBox") == "-90 -90 180 180"
    x, y, unit = middle(page)
    page.mouse.move(x + unit, y)
    page.mouse.down()
    page.mouse.move(x, y - 3 * unit, steps=4)
    page.mouse.up()
    bridge.settle()
    assert (plane.angle, plane.length) == (90, pytest.approx(3.0, abs=0.05))


def test_a_frame_plays_until_the_kernel_has_caught_up(bridge, page, plane):
    message = {"kind": "frame", "sequence": 3, "state": {"angle": 0, "length": 1}}
    page.evaluate("([id, m]) => models.get(id).trigger('msg:custom', m)", [plane.model_id, message])
    bridge.settle()
    expect(tip(page)).to_have_attribute("aria-valuetext", "0 degrees, length 1.0")
    plane.show(angle=45.0, sequence=2)
    bridge.settle()
    expect(tip(page)).to_have_attribute("aria-valuetext", "0 degrees, length 1.0")
    plane.show(angle=45.0, sequence=3)
    bridge.settle()
    expect(tip(page)).to_have_attribute("aria-valuetext", "45 degrees, length 2.0")


def test_the_explorer_follows_the_hand(bridge, page):
    compass = bridge.show(QueryDirectionExplorer(angle=90, length=2.0))
    x, y, unit = middle(page)
    before = compass.weights.clone()
    page.mouse.move(x, y - 2 * unit)
    page.mouse.down()
    page.mouse.move(x - 2 * unit, y, steps=8)
    page.mouse.up()
    bridge.settle()
    assert (compass.angle, compass.length) == (180, 2.0)
    changed = (compass.weights - before).abs().amax(dim=1) > 1e-4
    assert [bool(x) for x in changed] == [True] * 6 + [False, True], "all but concat"


@pytest.mark.parametrize("dark", [False, True])
def test_names_can_be_read_in_both_themes(page, dark):
    with kernel():
        Bridge(page, dark=dark, width=700).show(VectorPlane(vectors=[[1.0, 1.0]], labels=["a"]))
        colour = page.locator(".attnlab-plane .name.key").evaluate("(el) => getComputedStyle(el).fill")
        assert colour == ("rgb(124, 198, 240)" if dark else "rgb(16, 101, 154)")
        assert page.locator(".attnlab-plane").bounding_box()["width"] <= 340
