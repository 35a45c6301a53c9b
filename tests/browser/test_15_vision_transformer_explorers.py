"""The explorers of lesson 15 in a real browser: the page's numbers are torch's, the hand changes them."""

import numpy as np
import pytest
import torch
from axe import serious
from seeing import DIGITS, a_vit, place_readers

from attnlab import record
from attnlab.analysis import attention_rollout, fall_of_logit, shuffled
from attnlab.tasks.far_marks import far_marks
from widgets.explorers.l15_vision_transformer.far_marks import FarMarksExplorer
from widgets.explorers.l15_vision_transformer.heads_on_image import HeadsOnImageExplorer
from widgets.explorers.l15_vision_transformer.patch_size import PatchSizeExplorer
from widgets.explorers.l15_vision_transformer.rollout_effect import RolloutEffectExplorer
from widgets.explorers.l15_vision_transformer.shuffled_patches import ShuffledPatchesExplorer

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

DRAWN = "() => [...document.querySelectorAll('.plot')].at(-1)._fullData.map((trace) => Array.from(trace.y))"
MISPLACED = """() => {
    const stage = document.getElementById("stage").getBoundingClientRect();
    const boxes = [...document.querySelectorAll(".picture canvas, .attnlab-chart, .caption, .controls")]
        .map((el) => [el.className || el.tagName, el.getBoundingClientRect()]);
    const wrong = boxes.filter(([, box]) => box.right > stage.right + 1 || box.left < stage.left - 1);
    boxes.forEach(([name, a], i) => {
        for (const [other, b] of boxes.slice(i + 1)) {
            const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (x > 1 && y > 1) wrong.push([name, other]);
        }
    });
    return wrong.map(([name, other]) => `${name} ${typeof other === "string" ? other : ""}`);
}"""


MODEL, WITHOUT = a_vit(heads=4), a_vit(heads=4, place="none")


MAKE = {
    "far marks": lambda: FarMarksExplorer(place_readers(), far_marks(5, torch.Generator().manual_seed(3))),
    "shuffled": lambda: ShuffledPatchesExplorer({"with positions": MODEL, "without": WITHOUT}, DIGITS, digit=3),
    "patch size": lambda: PatchSizeExplorer(DIGITS, digit=3),
    "heads": lambda: HeadsOnImageExplorer(MODEL, DIGITS, digit=3),
    "roll-out": lambda: RolloutEffectExplorer(MODEL, DIGITS, digit=3),
}


def root(picture):
    return f"document.querySelector('[data-model=\"{picture.model_id}\"]')"


def seen(page, picture):
    return page.evaluate(f"{root(picture)}.attnlab.seen()")


def click(bridge, picture, *cell):
    place = page_place(bridge.page, picture, *cell)
    bridge.page.mouse.click(*place)
    bridge.settle()


def page_place(page, picture, *cell):
    place = page.evaluate(f"{root(picture)}.attnlab.cell({', '.join(map(str, cell))})")
    return place["x"], place["y"]


def test_the_map_and_the_bars_of_far_marks(bridge, page):
    explorer = bridge.show(MAKE["far marks"]())
    for row, column in [(0, 4), (5, 2)]:
        click(bridge, explorer.parts["map"], 0, row, column)
        assert explorer.cell == [0, row, column]
        image = explorer.marks.images[:1]
        with torch.no_grad(), record(explorer.models["self-attention"][0]) as trace:
            answers = [model(image)[0, :, row, column].softmax(0) for [model] in explorer.models.values()]
        weights = trace["5.places"][0].weights[0, 6 * row + column]
        np.testing.assert_allclose(seen(page, explorer.parts["map"])["weights"][0], weights, atol=5e-4)
        np.testing.assert_allclose(page.evaluate(DRAWN), torch.stack(answers), atol=5e-4)


def test_the_size_of_a_patch_by_slider(bridge, page):
    explorer = bridge.show(MAKE["patch size"]())
    slider = page.get_by_role("slider", name="patch size")
    bar = slider.locator("xpath=..")
    across = []
    ways = [("Home", 4, 50), ("ArrowRight", 7, 17), ("ArrowRight", 14, 5), ("End", 28, 2)]
    for key, pixels, tokens in ways:
        slider.press(key)
        bridge.settle()
        size = f"{pixels} × {pixels}"
        assert f"{tokens} tokens" in page.locator(".caption").inner_text()
        np.testing.assert_allclose(page.evaluate(DRAWN)[0], explorer.result.right, atol=5e-4)
        assert f"of {size} = " in repr(explorer.parts["caption"])
        assert slider.get_attribute("aria-valuetext") == bar.locator(".number").inner_text() == size
        across.append(bar.bounding_box()["width"])
    assert max(across) - min(across) < 1, "no control moves when the name gets longer"


def test_a_patch_is_exchanged_by_hand(bridge, page):
    explorer = bridge.show(MAKE["shuffled"]())
    picture = explorer.parts["patches"]
    page.mouse.move(*page_place(page, picture, 0, 1, 1))
    page.mouse.down()
    page.mouse.move(*page_place(page, picture, 0, 2, 3), steps=4)
    page.mouse.up()
    bridge.settle()
    order = list(range(16))
    order[5], order[11] = 11, 5
    assert explorer.order == seen(page, picture)["order"] == order
    changed = shuffled(DIGITS.images[2, None, None], 7, order)
    with torch.no_grad():
        expected = torch.cat([model(changed).softmax(-1) for model in explorer.models.values()])
    np.testing.assert_allclose(page.evaluate(DRAWN), expected, atol=5e-4)
    assert "2 of 16 patches have moved" in page.locator(".caption").inner_text()
    page.get_by_role("button", name="shuffle all").click()
    bridge.settle()
    assert seen(page, picture)["order"] == explorer.order
    assert explorer.result.moved > 10


def test_a_click_on_a_head_asks_for_a_patch(bridge, page):
    explorer = bridge.show(MAKE["heads"]())
    picture = explorer.parts["maps"]
    with torch.no_grad(), record(MODEL) as trace:
        MODEL(DIGITS.images[2, None, None])
    weights = trace["blocks.0.attention"][0].weights[0]
    np.testing.assert_allclose(seen(page, picture)["weights"], weights[:, 0, 1:], atol=5e-4)
    page.get_by_role("radio", name="a patch").click()
    bridge.settle()
    click(bridge, picture, 2, 3, 1)
    assert explorer.cell == [2, 3, 1]
    np.testing.assert_allclose(seen(page, picture)["weights"], weights[:, 1 + 13, 1:], atol=5e-4)
    assert "Row 4, column 2 in block 1" in page.locator(".caption").inner_text()


def test_roll_out_and_effect_are_those_of_the_digit(bridge, page):
    explorer = bridge.show(MAKE["roll-out"]())
    page.get_by_label("one digit forward").click()
    bridge.settle()
    assert explorer.digit == 4
    image = DIGITS.images[3, None, None]
    effect = fall_of_logit(MODEL, image, 7)
    np.testing.assert_allclose(seen(page, explorer.parts["effect"])["weights"], effect, atol=5e-4)
    with torch.no_grad(), record(MODEL) as trace:
        MODEL(image)
    rollout = attention_rollout([trace[name][0].weights for name in trace.names])[0, 0, 1:]
    shown = seen(page, explorer.parts["maps"])["weights"]
    np.testing.assert_allclose(shown[0], rollout / rollout.max(), atol=5e-4)
    means, own = page.evaluate(DRAWN)
    np.testing.assert_allclose(own, list(explorer.result.own.values()), atol=5e-4)
    np.testing.assert_allclose(means, [found.mean() for found in explorer.over_many("paper").values()], atol=5e-4)


def test_what_is_not_there_is_said_and_the_picture_stays(bridge, page):
    explorer = bridge.show(MAKE["shuffled"]())
    before = page.evaluate(DRAWN)
    explorer.digit = 8
    bridge.settle()
    assert "expected a digit from 1 to 7, got 8" in page.locator(".caption").inner_text()
    assert page.evaluate(DRAWN) == before


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 900, 1100, 1400])
def test_nothing_is_cut_or_covered_and_axe_finds_nothing_serious(bridge, page, dark, width):
    page.set_viewport_size({"width": width + 60, "height": 900})
    bridge.wear(dark, width)
    for make in MAKE.values():
        explorer = bridge.show(make())
        assert explorer.parts["caption"].error == ""
        bridge.settle()
    assert page.evaluate(MISPLACED) == []
    if width == 1100:
        assert serious(page, "#stage") == []
