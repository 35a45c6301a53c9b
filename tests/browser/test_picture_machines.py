"""The machines of lessons 13, 14 and 15 in a real browser: the page's numbers are torch's, the hand changes them."""

import numpy as np
import pytest
import torch
from machines import OVERLAPS, marks, part
from seeing import CANVASES, DIGITS, LOOKING, TASK, a_vit, captioners

from attnlab import record
from attnlab.vision.glimpses import mean_gaze
from widgets.base.words import number
from widgets.explorers.l13_seeing.captioner_machine import FIXED, HARD, CaptionerMachineExplorer
from widgets.explorers.l14_glimpses.glimpse_machine import PLACES, GlimpseMachineExplorer
from widgets.explorers.l15_vision_transformer.vit_machine import ViTMachineExplorer

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]


@pytest.fixture(autouse=True)
def still(page):
    page.emulate_media(reduced_motion="reduce")  # each frame stands at once


def test_every_number_of_the_vit_is_torchs_and_a_patch_is_followed(bridge, page):
    explorer = bridge.show(ViTMachineExplorer(model := a_vit(), DIGITS, digit=3))
    with torch.no_grad(), record(model) as trace:
        chances = model(DIGITS.images[2, None, None])[0].softmax(-1)
    drawn = marks(page)
    names = ("embed.positions/in", "embed.positions/adds", "embed/out")
    stations = [name for name in names if f"{name} station" in drawn]  # the parts of the stream where there is room
    assert "embed/out" in stations
    for name in stations:
        np.testing.assert_allclose(drawn[f"{name} station"]["table"], trace.tensor(name)[0].flatten(), atol=1e-4)
    np.testing.assert_allclose(drawn["image"]["table"], (1 - DIGITS.images[2]).flatten(), atol=1e-4)
    best = int(chances.argmax())
    assert drawn[f"chance {best}"]["text"] == number(float(chances[best]))
    part(page, "row 6").click()
    bridge.settle()
    assert explorer.follow == ["row 6", "query"]
    drawn = marks(page)
    assert drawn["embed/out followed"]["y"] == drawn["blocks.1/out followed"]["y"]
    assert "Row 2, column 2" in page.locator(".caption").inner_text()
    explorer.zoom = "blocks.0.attention:1"
    bridge.settle()
    near = marks(page)["blocks.0.attention/weights:1"]["table"]
    np.testing.assert_allclose(near, trace.tensor("blocks.0.attention/weights")[0, 1].flatten(), atol=1e-4)


def test_a_head_of_the_vit_is_switched_off(bridge, page):
    explorer = bridge.show(ViTMachineExplorer(a_vit(), DIGITS, digit=3))
    page.locator(".machine [data-part$=':0 switch']").first.click()
    bridge.settle()
    assert len(explorer.off) == 1
    assert "Without one head" in page.locator(".caption").inner_text()


def test_every_number_of_a_word_is_torchs(bridge, page):
    explorer = bridge.show(CaptionerMachineExplorer(captioners(), TASK, TASK.test))
    heard = explorer.result.tensors
    explorer.step = 2 + 4 * 1 + 2
    bridge.settle()
    drawn = marks(page)
    for name in ("scores", "weights"):
        np.testing.assert_allclose(drawn[name]["table"], heard[f"decoder.attention/{name}"][1], atol=1e-4)
    context = heard["decoder.attention/context"][1].unflatten(-1, (16, -1)).square().mean(-1).sqrt()
    np.testing.assert_allclose(drawn["context"]["table"], context, atol=1e-4)
    weights = heard["decoder.attention/weights"][1]
    for place in weights.argsort(descending=True)[:3].tolist():
        assert drawn[f"beam {place}"]["thick"] == pytest.approx(
            float(weights[place]) * drawn["context"]["width"], abs=0.01
        )
    explorer.step = 2 + 4 * 1
    bridge.settle()
    part(page, "key 20").click()
    bridge.settle()
    assert explorer.asked == ["key 20", "key"]
    assert marks(page)["score of one"]["text"] == number(float(heard["decoder.attention/scores"][1, 20]))


def test_every_number_of_the_glimpses_is_torchs_and_a_place_is_dragged(bridge, page):
    explorer = bridge.show(GlimpseMachineExplorer(LOOKING, CANVASES, number=5, step=7))
    with torch.no_grad(), record(LOOKING) as trace:
        seen = LOOKING(CANVASES.pictures[4:5], mean_gaze(LOOKING.location), 4)
    drawn, chances = marks(page), seen.logits[0].softmax(-1)
    for step in range(4):
        places = [float(drawn[f"{axis} {step}"]["text"][2:].replace("−", "-")) for axis in ("across", "down")]
        assert places == pytest.approx(seen.places[0, step].tolist(), abs=0.006)
        assert drawn[f"answer {step} best"]["text"] == number(float(chances[step].max()))
        for scale in range(3):
            paper = 1 - trace.calls("glimpse/in")[step][0, scale].flatten()
            np.testing.assert_allclose(drawn[f"retina {step} {scale}"]["table"], paper, atol=1e-4)
    box = part(page, "across 1").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 20, steps=4)
    bridge.settle()
    page.mouse.up()
    bridge.settle()
    wanted = round(float(seen.places[0, 1, 0]) + 0.5, 1)
    assert explorer.edits == [[PLACES, 1, 0, pytest.approx(wanted)]]
    drawn = marks(page)
    assert drawn["across 1"]["text"] == f"→ {number(wanted)}"
    assert drawn["answer 3 best"]["text"] == number(float(explorer.chances[3].max()))


STATES = {
    "vit": (
        lambda: ViTMachineExplorer(a_vit(4, 3), DIGITS, digit=3),
        [{}, {"follow": ["row 6", "query"]}, {"zoom": "blocks.1"}, {"zoom": "blocks.1.attention:2"}],
    ),
    "captioner": (
        lambda: CaptionerMachineExplorer(captioners(), TASK, TASK.test),
        [{"step": step} for step in (0, 1, 2, 3, 4, 5, 17)] + [{"look": FIXED, "step": 4}, {"look": HARD, "step": 8}],
    ),
    "glimpses": (
        lambda: GlimpseMachineExplorer(LOOKING, CANVASES, number=5),
        [{"step": 0}, {"step": 3}, {"step": 7}, {"step": 7, "edits": [[PLACES, 1, 0, 0.9]]}],
    ),
}


def test_the_names_below_a_film_are_shortened_alike_on_a_phone(bridge, page):
    """To their last words, by which one can tell them apart."""
    bridge.show(GlimpseMachineExplorer(LOOKING, CANVASES, number=5))
    names = page.locator(".machine .track span")
    whole = names.all_text_contents()
    assert all(name.startswith("glimpse ") for name in whole)
    bridge.wear(width=320)
    bridge.settle()
    assert names.all_text_contents() == [name.split()[-1] for name in whole]
    assert not names.evaluate_all("all => all.some((name) => name.scrollWidth > name.clientWidth)")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", STATES)
def test_no_text_is_cut_or_covered(bridge, page, name, dark):
    make, states = STATES[name]
    bridge.wear(dark)
    explorer = bridge.show(make())
    for width in (700, 900, 1100, 1400):
        bridge.wear(dark, width)
        for state in states:
            explorer.change(**{**explorer.initial, **state})
            bridge.settle()
            assert page.locator(".machine .error").inner_text() == ""
            assert page.evaluate(OVERLAPS) == [], (width, state)
