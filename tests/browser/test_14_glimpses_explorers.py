"""The explorers of lesson 14 in a real browser: a hand looks and answers, the page's numbers are torch's."""

import numpy as np
import pytest
import torch
from axe import serious
from seeing import CANVASES

from attnlab.trained import GLIMPSE_SIZES, glimpses
from attnlab.vision.glimpses import mean_gaze
from widgets.explorers.l14_glimpses.gaze_gradient import GazeGradientExplorer
from widgets.explorers.l14_glimpses.model_glimpses import ModelGlimpsesExplorer
from widgets.explorers.l14_glimpses.photograph import PhotographExplorer
from widgets.explorers.l14_glimpses.picture_cost import PictureCostExplorer
from widgets.explorers.l14_glimpses.your_glimpses import YourGlimpsesExplorer

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

MODELS = {size: glimpses(size).model for size in GLIMPSE_SIZES}
MODEL = MODELS[8]


def root(view):
    return f"document.querySelector('[data-model=\"{view.model_id}\"]')"


def seen(page, view):
    return page.evaluate(f"{root(view)}.attnlab.seen()")


def click_at(bridge, view, x, y):
    place = bridge.page.evaluate(f"{root(view)}.attnlab.point(0, {x}, {y})")
    bridge.page.mouse.click(place["x"], place["y"])
    bridge.settle()


def say(bridge, digit):
    bridge.page.get_by_role("radio", name=str(digit), exact=True).click()
    bridge.settle()


def test_a_hand_looks_and_names_the_digit(bridge, page):
    explorer = bridge.show(YourGlimpsesExplorer(MODEL, CANVASES))
    view = explorer.parts["picture"]
    click_at(bridge, view, 0.2, -0.4)
    click_at(bridge, view, -0.3, 0.1)
    assert np.abs(np.array(explorer.glimpses) - [[0.2, -0.4], [-0.3, 0.1]]).max() < 0.03
    say(bridge, int(CANVASES.labels[0]))
    assert explorer.scores["you"] == 1
    drawn = seen(page, view)
    its = MODEL(CANVASES.pictures[:1], mean_gaze(MODEL.location), 5).places[0]
    assert drawn["panels"] == 3
    np.testing.assert_allclose([place[:2] for place in drawn["glimpses"] if place[2] == 1], its.detach(), atol=1e-3)
    page.get_by_role("button", name="next picture").click()
    bridge.settle()
    assert seen(page, view)["glimpses"] == []
    assert explorer.digit == "?"
    assert page.get_by_role("radio", checked=True).count() == 0


def test_a_photograph_is_looked_at_and_named(bridge, page):
    explorer = bridge.show(PhotographExplorer())
    view = explorer.parts["picture"]
    click_at(bridge, view, -0.5, -0.2)
    assert np.abs(np.array(explorer.glimpses) - [[-0.5, -0.2]]).max() < 0.03
    assert seen(page, view)["panels"] == 1
    page.get_by_role("combobox", name="it is").select_option("a cat")
    bridge.settle()
    assert explorer.answers == {"a cat": "a cat"}
    assert seen(page, view)["panels"] == 3


def test_the_keyboard_looks_too(bridge, page):
    explorer = bridge.show(YourGlimpsesExplorer(MODEL, CANVASES))
    page.locator(".picture canvas").focus()
    for key in ("Enter", "ArrowRight", "Enter", "Backspace"):
        page.keyboard.press(key)
        bridge.settle(20)
    assert explorer.glimpses == [[0.0, 0.0]]


def test_the_paths_numbers_are_torchs(bridge, page):
    explorer = bridge.show(ModelGlimpsesExplorer(MODELS, CANVASES, number=5))
    with torch.no_grad():
        looked = MODEL(CANVASES.pictures, mean_gaze(MODEL.location), 4)
    places = [place[:2] for place in seen(page, explorer.parts["picture"])["glimpses"] if place[2] == 0]
    np.testing.assert_allclose(places, looked.places[4], atol=1e-3)
    slider = page.get_by_role("slider", name="glimpses")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    bridge.settle()
    assert explorer.glimpses == 3
    assert len([place for place in seen(page, explorer.parts["picture"])["glimpses"] if place[2] == 0]) == 3
    np.testing.assert_allclose(explorer.parts["matrix"].values[0, 0], looked.logits[4, :3].softmax(-1), atol=1e-3)


def test_another_size_is_another_model(bridge, page):
    explorer = bridge.show(ModelGlimpsesExplorer(MODELS, CANVASES, number=5))
    slider = page.get_by_role("slider", name="size")
    slider.focus()
    for key, size in (("ArrowLeft", 4), ("End", 12)):
        page.keyboard.press(key)
        bridge.settle()
        assert explorer.size == size
        with torch.no_grad():
            looked = MODELS[size](CANVASES.pictures, mean_gaze(MODELS[size].location), 4)
        places = [place[:2] for place in seen(page, explorer.parts["picture"])["glimpses"] if place[2] == 0]
        np.testing.assert_allclose(places, looked.places[4], atol=1e-3)
        drawn = page.evaluate(f"models.get('{explorer.parts['picture'].model_id}').get('glimpse_size')")
        assert drawn == size
        np.testing.assert_allclose(explorer.parts["matrix"].values[0, 0], looked.logits[4].softmax(-1), atol=1e-3)


OVERLAPS = """() => {
    const views = [...document.querySelectorAll("#stage canvas, #stage .js-plotly-plot")];
    const boxes = views.map((el) => el.getBoundingClientRect());
    const meet = (a, b, from, to) => a[from] < b[to] - 1 && b[from] < a[to] - 1;
    const crossed = (a, b) => meet(a, b, "left", "right") && meet(a, b, "top", "bottom");
    const found = boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => crossed(a, b))).length;
    const stage = document.getElementById("stage").getBoundingClientRect();
    return found + boxes.filter((box) => box.right > stage.right + 1).length;
}"""
ALL = {
    "dark": lambda: YourGlimpsesExplorer(MODEL, CANVASES, glimpses=[[0.0, 0.0], [0.4, -0.3]]),
    "answered": lambda: YourGlimpsesExplorer(MODEL, CANVASES, glimpses=[[0.0, 0.0]], digit="3"),
    "photograph": lambda: PhotographExplorer(glimpses=[[-0.5, -0.2], [0.3, 0.4]], named="a dog"),
    "path": lambda: ModelGlimpsesExplorer(MODELS, CANVASES, number=3),
    "gradient": lambda: GazeGradientExplorer(MODEL, CANVASES),
    "cost": lambda: PictureCostExplorer(MODEL),
}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ALL)
def test_nothing_overlaps_at_any_width_and_axe_finds_nothing_serious(bridge, page, name, dark):
    bridge.wear(dark)
    bridge.show(ALL[name]())
    for width in (700, 900, 1100, 1400):
        bridge.wear(dark, width)
        bridge.settle()
        assert page.evaluate(OVERLAPS) == 0, width
    assert serious(page, "#stage") == []
