"""Machine in a real browser: the numbers are drawn, pointer and keys follow, switch and drag, bad input is said."""

import re

import numpy as np
import pytest
from bridge import without_kernel
from machines import OVERLAPS, marks, part, small_gpt, stream
from PIL import Image
from playwright.sync_api import expect

from widgets.instruments.machine.machine import Machine, pack

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

HEAD = "blocks.1.attention:1"


@pytest.fixture
def machine(bridge):
    machine = Machine("stream")
    machine.show(**pack(*stream(), limits=3.0))
    return bridge.show(machine)


def pixel(page, x, y):
    """The colour of the canvas at a place in the picture."""
    return page.locator(".machine canvas").evaluate(
        """(el, [x, y]) => { const r = devicePixelRatio;
            return [...el.getContext("2d").getImageData(x * r, y * r, 1, 1).data].slice(0, 3); }""",
        [x, y],
    )


def test_the_numbers_are_drawn(page, machine):
    _, tensors = stream()
    drawn = marks(page)
    for key, wanted in [
        (f"{HEAD} weights", tensors["blocks.1.attention/weights"][1]),
        ("embed station", tensors["embed/out"]),
        ("blocks.0.feed_forward hidden", tensors["blocks.0.feed_forward/hidden"]),
    ]:
        np.testing.assert_allclose(drawn[key]["table"], np.float32(wanted).ravel())
    first = drawn[f"{HEAD} weights"]
    assert max(pixel(page, first["x"] + 3, first["y"] + 3)) < 120, "a weight of 1 is dark"
    assert page.locator(".machine ol li").count() == page.locator(".machine .part").count() > 20


def test_the_pointer_lights_what_flows_in_and_out(bridge, page, machine):
    part(page, HEAD).hover()
    bridge.settle()
    assert page.locator(".machine .line b").text_content() == "block 2, head 2"
    assert page.locator(".machine .line code").text_content() == "x = blocks.1.attention:1(x)"
    thin = page.locator(".machine svg path[opacity='0.4']").count()
    assert thin > 5, "what has nothing to do with it fades"
    norms = page.locator(".machine svg text", has_text="norm")
    assert [norms.nth(i).get_attribute("opacity") for i in range(4)] == ["0.4", "0.4", None, "0.4"]
    page.mouse.move(0, 0)
    bridge.settle()
    assert page.locator(".machine .line b").text_content() == "whole machine"
    assert page.locator(".machine svg path[opacity='0.4']").count() == 0


def test_a_switch_by_pointer_and_by_key(bridge, page, machine):
    switch = part(page, f"{HEAD} switch")
    switch.click()
    bridge.settle()
    assert machine.off == [HEAD]
    assert switch.get_attribute("aria-checked") == "false"
    assert "switched off" in page.locator(".machine ol").text_content()
    page.keyboard.press("Space")
    bridge.settle()
    assert machine.off == []


def test_without_a_kernel_no_switch_moves_but_one_may_look_closer(bridge, page):
    machine = Machine("stream")
    machine.show(**pack(*stream(), limits=3.0))
    with without_kernel(page):
        bridge.show(machine)
    switch = part(page, f"{HEAD} switch")
    assert switch.get_attribute("aria-disabled") == "true"
    switch.click(force=True)
    bridge.settle()
    assert switch.get_attribute("aria-checked") == "true"
    part(page, "blocks.1 zone").focus()
    page.keyboard.press("Enter")
    bridge.settle()
    assert page.locator(".machine .crumbs [aria-current]").text_content() == "block 2"
    assert bridge.errors == []


def test_one_tab_stop_and_arrows_inside(bridge, page, machine):
    assert page.locator(".machine .part[tabindex='0']").count() == 1
    page.locator(".machine .part[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    bridge.settle()
    page.keyboard.press("End")
    bridge.settle()
    assert page.evaluate("document.activeElement.dataset.part") == "next"
    assert page.locator(".machine .part[tabindex='0']").count() == 1
    page.keyboard.press("Home")
    bridge.settle()
    assert page.evaluate("document.activeElement.dataset.part") == "embed.tokens"


def test_a_stage_that_scrolls_follows_the_focus(bridge, page, machine):
    bridge.wear(width=400)
    bridge.settle()
    page.locator(".machine .part[tabindex='0']").focus()
    for key in ("End", "Home"):
        page.keyboard.press(key)
        bridge.settle()
        box, stage = page.locator(".machine .part:focus").bounding_box(), page.locator(".machine .stage").bounding_box()
        assert box["x"] >= stage["x"] - 2, key
        assert box["x"] + box["width"] <= stage["x"] + stage["width"] + 2, key


def test_a_number_under_the_pointer(bridge, page, machine):
    _, tensors = stream()
    box = part(page, "embed").bounding_box()
    page.mouse.move(box["x"] + 3 + 5 * 2.5, box["y"] + 3 + 22 * 1.5)
    bridge.settle()
    value = f"{tensors['embed/out'][1, 2]:.2f}".replace("-", "−")
    assert page.locator(".machine .line span").text_content() == f"cats, number 3 of 8: {value}"


def test_three_zooms_and_the_focus_comes_back(bridge, page, machine):
    heights = [page.locator(".machine svg").get_attribute("height")]
    part(page, "blocks.1 zone").focus()
    for key, zoom, shown in [("Enter", "blocks.1", "block 2"), ("Escape", "", "whole machine")]:
        page.keyboard.press(key)
        bridge.settle()
        assert machine.zoom == zoom
        assert page.locator(".machine .crumbs [aria-current]").text_content() == shown
        heights.append(page.locator(".machine svg").get_attribute("height"))
    assert page.evaluate("document.activeElement.dataset.part") == "blocks.1 zone"
    part(page, "blocks.1.attention:0").click()
    bridge.settle()
    assert page.locator(".machine .crumbs").inner_text().split("\n")[:5] == [
        "whole machine",
        "›",
        "block 2",
        "›",
        "block 2, head 1",
    ]
    page.locator(".machine .crumbs button", has_text="whole machine").click()
    bridge.settle()
    assert machine.zoom == ""
    assert len({*heights, page.locator(".machine svg").get_attribute("height")}) == 1


def test_a_heads_numbers_from_near(bridge, page, machine):
    machine.zoom = "blocks.1.attention:1"
    bridge.settle()
    _, tensors = stream()
    drawn = marks(page)
    one = "blocks.1.attention"
    for name in ("q", "v", "scores", "weights", "context", "adds"):
        np.testing.assert_allclose(drawn[f"{one}/{name}:1"]["table"], np.float32(tensors[f"{one}/{name}"][1]).ravel())
    np.testing.assert_allclose(drawn[f"{one}/k:1"]["table"], np.float32(tensors[f"{one}/k"][1].T).ravel())
    part(page, f"{one}/weights:1").hover()
    bridge.settle()
    assert page.locator(".machine .line b").text_content() == "block 2, head 2, weights"
    part(page, "row 3").click()
    bridge.settle()
    assert machine.chosen == ["row 3", "query"]
    bold = page.locator(".machine svg text[font-weight='600']").all_text_contents()
    assert "the" in bold, "the chosen row has its label"


def cell(bridge, page, id, table, row, column):
    """The words beside the picture while the pointer is on a cell of a part; `table`: its rows and columns."""
    box = part(page, id).bounding_box()
    x, y = ((box[side] - 6) / count for side, count in zip(("width", "height"), reversed(table), strict=True))
    page.mouse.move(box["x"] + 3 + x * (column + 0.5), box["y"] + 3 + y * (row + 0.5))
    bridge.settle()
    return page.locator(".machine .line span").text_content()


def numbers(text):
    return [float(one.replace("−", "-")) for one in re.findall(r"−?\d+\.\d+", text)]


def test_the_arithmetic_of_a_cell_is_torchs(bridge, page):
    page.emulate_media(reduced_motion="reduce")  # a zoom that moves is not yet in its place
    explorer = bridge.show(small_gpt())
    tensors = {name.removeprefix("blocks.1."): value for name, value in explorer.result.spec.tensors.items()}
    one, last = "blocks.1.attention", len(explorer.result.ids) - 1
    explorer.zoom = f"{one}:1"
    bridge.settle()
    size = (last + 1, last + 1)
    q, k, v, scores, weights, context = (
        tensors[f"attention/{name}"][1] for name in ("q", "k", "v", "scores", "weights", "context")
    )
    told = cell(bridge, page, f"{one}/scores:1", size, last, 2)
    assert told.startswith("“a” with “e”: ")
    assert numbers(told)[-2:] == pytest.approx([float(q[last] @ k[2]), float(scores[last, 2])], abs=0.006)
    assert "of 3 others" in told
    told = cell(bridge, page, f"{one}/weights:1", size, last, 2)
    assert numbers(told) == pytest.approx([float(scores[last, 2]), float(weights[last, 2])], abs=0.006)
    assert cell(bridge, page, f"{one}/weights:1", size, 0, 2).endswith(": masked")
    told = cell(bridge, page, f"{one}/context:1", (last + 1, 8), last, 3)
    assert numbers(told)[-1] == pytest.approx(float(weights[last] @ v[:, 3]), abs=0.006)
    assert numbers(told)[-1] == pytest.approx(float(context[last, 3]), abs=0.006)
    explorer.zoom = "blocks.1"
    bridge.settle()
    told = cell(bridge, page, "blocks.1.feed_forward_norm/in", (last + 1, 16), last, 4)
    before, adds = explorer.result.spec.tensors["blocks.0/out"], tensors["attention/adds"]
    wanted = [float(x[last, 4]) for x in (before, *adds, tensors["feed_forward_norm/in"])]
    assert [*numbers(told)[:1], *map(abs, numbers(told)[1:3])] == pytest.approx(
        [wanted[0], *map(abs, wanted[1:3])], abs=0.006
    )
    assert numbers(told)[-1] == pytest.approx(wanted[-1], abs=0.006)
    assert re.search(r"\(stream\) [+−] \S+ \(head 1\) [+−] \S+ \(head 2\)", told)


def test_with_the_keyboard_the_chosen_cell_is_told(bridge, page, machine):
    machine.zoom = HEAD
    bridge.settle()
    part(page, "row 3").click()
    page.mouse.move(0, 0)
    part(page, "blocks.1.attention/weights:1").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    bridge.settle()
    _, tensors = stream()
    row = tensors["blocks.1.attention/weights"][1][3]
    told = page.locator(".machine .line span").text_content()
    assert told.startswith("“the” with ")
    assert told.endswith(f"by the sum of all 4 of the row: {row.max():.2f}")


def test_marks_are_kept_not_made_anew(bridge, page, machine):
    page.evaluate("window.before = [...document.querySelectorAll('.machine svg *')]")
    machine.numbers = machine.numbers * 0.5
    bridge.settle()
    same = "before.every((el, i) => el === document.querySelectorAll('.machine svg *')[i])"
    assert page.evaluate(same)


def test_bad_input_is_said_and_the_last_picture_stays(bridge, page, machine):
    texts = page.locator(".machine svg text").count()
    machine._trait_values["numbers"] = np.zeros(3, np.float32)
    machine.send_state("numbers")
    bridge.settle()
    assert "expected at least" in page.locator(".machine .error").text_content()
    assert page.locator(".machine svg text").count() == texts
    machine.show(**pack(*stream(), limits=3.0))
    machine.send_state("numbers")
    bridge.settle()
    assert page.locator(".machine .error").text_content() == ""
    machine.show(**pack({**stream()[0], "nodes": []}, stream()[1]))
    bridge.settle()
    assert "Expected blocks with attention" in page.locator(".machine .error").text_content()


def test_what_is_no_number_is_named(bridge, page, machine):
    spec, tensors = stream()
    tensors["blocks.0.feed_forward/hidden"][2, 3] = np.nan
    machine.show(**pack(spec, tensors, 3.0))
    bridge.settle()
    assert page.locator(".machine .error").text_content().startswith("Not a number: feed-forward.")


def test_a_part_that_is_not_there_is_named(bridge, page, machine):
    """And the whole stands in its place."""
    machine.zoom = "blocks.0"
    bridge.settle()
    machine.zoom = "blocks.0.attention:9"
    bridge.settle()
    said = page.locator(".machine .error")
    assert said.text_content() == "This machine has no part called “blocks.0.attention:9”: the whole of it is drawn."
    assert page.locator(".machine .crumbs button").count() == 1
    machine.zoom = ""
    bridge.settle()
    assert said.text_content() == ""


def test_what_was_enlarged_may_go(bridge, page, machine):
    part(page, "blocks.1 zone").focus()
    page.keyboard.press("Enter")
    bridge.settle()
    machine.show(**pack(*stream(blocks=1), limits=3.0))
    bridge.settle()
    assert "no part called “blocks.1”" in page.locator(".machine .error").text_content()
    assert page.locator(".machine").evaluate("el => el.attnlab.picture.parts.length") == page.locator(".part").count()
    page.locator(".machine .part[tabindex='0']").focus()
    page.keyboard.press("Escape")
    bridge.settle()
    assert machine.zoom == ""


def test_the_picture_as_png(bridge, page, machine):
    with page.expect_download() as download:
        page.get_by_role("button", name="copy the picture as PNG").click()
    with Image.open(download.value.path()) as picture:
        box = page.locator(".machine svg").bounding_box()
        assert picture.size == (box["width"], box["height"])
        first = marks(page)[f"{HEAD} weights"]
        assert max(picture.getpixel((int(first["x"] + 3), int(first["y"] + 3)))[:3]) < 120, "cells"
        drawn = picture.convert("RGB").crop((0, 0, 400, 60)).getcolors(10_000)
        assert min(max(colour) for _, colour in drawn) < 120, "and words"
    bridge.settle(2000)
    assert page.locator(".machine > .sr-only[role=status]").text_content() == "saved as PNG"


def test_on_a_sharp_screen_words_and_cells_of_the_png_are_of_one_size(bridge, page, machine):
    ratio = "Object.defineProperty(window, 'devicePixelRatio', {{ value: {}, configurable: true }})"
    page.evaluate(ratio.format(2))
    bridge.wear(width=990)
    bridge.settle()
    with page.expect_download() as download:
        page.get_by_role("button", name="copy the picture as PNG").click()
    page.evaluate(ratio.format(1))
    box = page.locator(".machine svg").bounding_box()
    with Image.open(download.value.path()) as picture:
        assert picture.size == (2 * box["width"], 2 * box["height"])
        right = picture.convert("RGB").crop((int(box["width"]), 0, picture.size[0], 84)).getcolors(10_000)
        assert min(max(colour) for _, colour in right) < 120, "the words at the right"


def test_what_is_masked_shows_nothing_of_its_number(bridge, page, machine):
    machine.zoom = HEAD
    bridge.settle()
    spec, tensors = stream()
    seen = []
    for name in ("", "blocks.1.attention/weights"):
        if name:
            tensors[name] = np.where(np.tri(6), tensors[name], 0.7)
        machine.show(**pack(spec, tensors, limits=3.0))
        bridge.settle()
        seen.append(page.locator(".machine canvas").evaluate("(el) => el.toDataURL()"))
    assert seen[0] == seen[1]


def test_a_picture_that_cannot_be_copied_says_so(bridge, page, machine):
    page.evaluate("() => { window.decode = Image.prototype.decode; Image.prototype.decode = () => Promise.reject(); }")
    page.get_by_role("button", name="copy the picture as PNG").click()
    expect(page.locator(".machine .error")).to_have_text("The picture could not be copied.")
    page.evaluate("() => { Image.prototype.decode = window.decode; }")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 860, 1100, 1400])
def test_no_text_is_cut_or_covered(bridge, page, dark, width):
    bridge.wear(dark, width)
    machine = Machine("stream")
    machine.show(**pack(*stream(blocks=3, heads=4, tokens=12), limits=3.0))
    bridge.show(machine)
    assert page.evaluate(OVERLAPS) == []


ZOOMS = ["", "blocks.0", "blocks.0.attention:0"]

# Milliseconds of script a picture, the least of several in each zoom: each has other numbers than the one before.
PAINTED = """async ([id, zooms, given, times]) => {
    const [model, el] = [models.get(id), document.querySelector(`[data-model="${id}"]`)];
    const least = [];
    for (const zoom of zooms) {
        const seen = [];
        for (let i = 0; i < times; i++) {
            model.update({ zoom, numbers: { ...model.get("numbers"), ...given[i % 2] } });
            const before = el.attnlab;
            while (el.attnlab === before) await new Promise((done) => nextFrame(done));
            seen.push(el.attnlab.paintedIn);
        }
        least.push(Math.min(...seen));
    }
    return least;
}"""
# The numbers of a machine as they came, and each with the other sign: the highest bit of its highest byte.
TURNED = """(id) => {
    const { data, halves } = models.get(id).get("numbers");
    const name = halves ? "halves" : "data";
    const own = halves ?? data;
    const bytes = new Uint8Array(own.buffer.slice(own.byteOffset, own.byteOffset + own.byteLength));
    for (let i = halves ? bytes.length / 2 : 3; i < bytes.length; i += halves ? 1 : 4) bytes[i] ^= 0x80;
    return [{ [name]: new DataView(bytes.buffer) }, { [name]: own }];
}"""


def test_a_picture_of_the_largest_model_takes_at_most_eight_times_as_long_as_a_lessons(bridge, page):
    """Any model may take 16 ms of script, which `benchmarks/machines.py` measures; a lesson's takes about 2. The ratio
    of both does not hang on how busy the machine is: the least of many pictures, in turns."""
    page.emulate_media(reduced_motion="reduce")
    lesson, largest = Machine("stream"), Machine("stream")
    lesson.show(**pack(*stream(blocks=2, heads=2, tokens=6, width=16), limits=3.0))
    largest.show(**pack(*stream(blocks=12, heads=16, tokens=64, width=768), limits=3.0))
    machines = [bridge.show(machine) for machine in (lesson, largest)]
    given = [page.evaluate_handle(TURNED, one.model_id) for one in machines]
    rounds = [
        [page.evaluate(PAINTED, [one.model_id, ZOOMS, its, 6]) for one, its in zip(machines, given, strict=True)]
        for _ in range(4)
    ]
    assert [page.locator(".machine .error").nth(i).inner_text() for i in (0, 1)] == ["", ""], "all could be drawn"
    small, large = (np.min([seen[i] for seen in rounds], axis=0) for i in (0, 1))
    assert (large < 8 * small).all(), (small, large)
