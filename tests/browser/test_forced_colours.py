"""A system that forces its own colours (high contrast): nothing is white on white, and a change is followed."""

import numpy as np
import pytest

from widgets import Chart, curve, figure
from widgets.explorers.l05_self_attention.permutation import PermutationExplorer
from widgets.instruments.matrix.matrix import Matrix

pytestmark = pytest.mark.browser

# The painted colour of an element, as [r, g, b]: `name` is a property of it, or of what stands before or after it.
PAINTED = """(el, [name, pseudo]) => getComputedStyle(el, pseudo)[name].match(/[\\d.]+/g).slice(0, 3).map(Number)"""


def painted(place, name, pseudo=None):
    return place.evaluate(PAINTED, [name, pseudo])


@pytest.fixture(params=["light", "dark"])
def forced(page, request):
    page.emulate_media(forced_colors="active", color_scheme=request.param)
    yield page
    page.emulate_media(forced_colors="none", color_scheme="light")


@pytest.mark.parametrize("dark", [False, True], ids=["Jupyter light", "Jupyter dark"])
def test_letters_switches_and_triangles_are_seen(bridge, forced, dark):
    bridge.wear(dark, 1000)
    bridge.show(PermutationExplorer())
    token = forced.locator(".attnlab-flow .token").first
    assert painted(token.locator(".chip"), "fill") != painted(token.locator("text").first, "fill")
    knob = forced.get_by_role("switch").first.locator("+ i")
    for _ in range(2):  # off and on
        assert painted(knob, "backgroundColor") != painted(knob, "backgroundColor", "::after")
        forced.get_by_role("switch").first.click()
        bridge.settle()
    above = "(el) => getComputedStyle(el, '::before').borderTopColor"
    assert forced.locator(".attnlab.caption summary").first.evaluate(above) == "rgba(0, 0, 0, 0)"


def test_a_curve_has_the_colour_of_its_name(bridge, forced):
    bridge.show(Chart(figure(curve([3, 1, 2], name="loss"), curve([1, 2, 2], name="other"))))
    forced.wait_for_function("""() => {
        const of = (which, name) => [...document.querySelectorAll(which)].map((el) => getComputedStyle(el)[name]);
        const names = of(".annotation-text", "fill");
        return names.length === 2 && names[0] !== names[1] && String(names) === String(of(".js-line", "stroke"));
    }""")


def test_a_picture_follows_when_colours_are_forced(bridge, page):
    bridge.show(Matrix(np.eye(2, 3), query_labels=["a", "b"], key_labels=list("xyz")))
    drawn = "document.querySelector('.matrix canvas').toDataURL()"
    before = page.evaluate(drawn)
    page.emulate_media(forced_colors="active", color_scheme="dark")
    page.wait_for_function(f"(before) => {drawn} !== before", arg=before)
    page.emulate_media(forced_colors="none", color_scheme="light")
    page.wait_for_function(f"(before) => {drawn} === before", arg=before)
