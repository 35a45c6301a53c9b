"""The explorers whose machine is a stream, in a real browser: the page's numbers are torch's, the hand changes them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from machines import OVERLAPS, marks, part, small_gpt

from attnlab import record
from attnlab.analysis import heads_in, without
from attnlab.tasks import word_vectors
from widgets.explorers.l09_block.block_machine import AROUND, DIM, BlockMachineExplorer, scaled_blocks
from widgets.instruments.machine.machine import CELLS, shares

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]


def of_blocks(explorer):
    blocks = scaled_blocks(explorer.blocks, explorer.norm, AROUND[explorer.around], explorer.weights)
    with torch.no_grad(), without(blocks, heads_in(explorer.off)), record(blocks) as trace:
        blocks(word_vectors(explorer.words.split(), DIM)[None])
    return trace


def of_gpt(explorer):
    with torch.no_grad(), without(explorer.model, heads_in(explorer.off)), record(explorer.model) as trace:
        explorer.model(torch.tensor([explorer.result.ids]))
    return trace


def of_torch(trace, key, is_head):
    """What the table with this key has to hold. is_head: seen from near, where each key is a column."""
    name, _, what = key.partition(" ")
    id, _, head = name.partition(":")
    name = {"": id, "station": id, "weights": f"{id}/weights", "numbers": f"{id}/out", "hidden": f"{id}/hidden"}[what]
    tensor = trace.tensor(name)[0]
    tensor = tensor[int(head)] if head else tensor
    tensor = tensor.T if is_head and name.endswith("/k") else tensor
    is_wide = tensor.shape[-1] > CELLS and not name.endswith(("/weights", "/scores"))
    return shares(tensor.numpy(), CELLS) if is_wide else tensor


def agrees(page, trace, tables, is_head=False):
    """All tables of the picture hold torch's numbers; there are so many."""
    drawn = {key: mark["table"] for key, mark in marks(page).items() if mark["kind"] == "cells"}
    drawn = {key: table for key, table in drawn.items() if key != "logits" and not key.startswith("bar ")}
    assert len(drawn) == tables, [*drawn]
    for key, table in drawn.items():
        wanted = of_torch(trace, key, is_head).flatten()
        np.testing.assert_allclose(table, wanted, atol=1e-4, err_msg=key)


TABLES = [("pre-norm", 11, 19), ("post-norm", 11, 17), ("no residual", 11, 18)]  # in the whole, in a block


@pytest.mark.parametrize(("around", "tables", "near"), TABLES)
@pytest.mark.parametrize("off", [[], ["0.attention:0", "1.attention:1"]])
def test_every_number_of_blocks_is_torchs(bridge, page, around, tables, near, off):
    explorer = bridge.show(BlockMachineExplorer(around=around, off=off))
    trace = of_blocks(explorer)
    agrees(page, trace, tables)
    for zoom, seen in (("1", near), ("1.attention:1", 7)):
        explorer.zoom = zoom
        bridge.settle()
        agrees(page, trace, seen, is_head=":" in zoom)


def test_a_switch_and_a_zoom_by_hand_show_torchs_numbers_too(bridge, page):
    explorer = bridge.show(BlockMachineExplorer())
    before = of_blocks(explorer).tensor("1/out")
    part(page, "0.attention:0 switch").click()
    bridge.settle()
    assert explorer.off == ["0.attention:0"]
    trace = of_blocks(explorer)
    assert not torch.allclose(trace.tensor("1/out"), before, atol=0.01)
    agrees(page, trace, 11)
    part(page, "0 zone").click(position={"x": 8, "y": 8})
    bridge.settle()
    assert explorer.zoom == "0"
    agrees(page, trace, 19)


@contextmanager
def silent(bridge, monkeypatch) -> Iterator[list]:
    """Within it the kernel hears nothing; what the page has said in vain is heard at its end."""
    said = []
    with monkeypatch.context() as deaf:
        deaf.setattr(bridge, "_receive", lambda message: said.append(message) or [])
        yield said
    for message in said:
        bridge.page.evaluate("(messages) => receive(messages)", bridge._receive(message))
    bridge.settle()


def test_a_switch_under_a_resting_pointer_needs_no_kernel(bridge, page, monkeypatch):
    explorer = bridge.show(BlockMachineExplorer())
    part(page, "0.attention:0 switch").hover()
    bridge.settle()
    assert explorer.off == [], "a pointer that rests changes nothing"
    with silent(bridge, monkeypatch):
        page.mouse.down()
        page.mouse.up()
        bridge.settle()
        assert explorer.off == []
        agrees(page, of_blocks(explorer.twin(off=["0.attention:0"])), 11)
        assert "With 1 head off" in page.locator(".attnlab .say").text_content()
    assert explorer.off == ["0.attention:0"]
    agrees(page, of_blocks(explorer), 11)


def test_a_button_asks_when_it_goes_down_and_a_quick_press_shows_what_comes(bridge, page, monkeypatch):
    explorer, kernel = bridge.show(BlockMachineExplorer()), bridge._receive
    with silent(bridge, monkeypatch) as said:
        switch = part(page, "0.attention:0 switch")
        switch.dispatch_event("pointerdown", {"button": 0})
        [asked] = said
        assert asked["data"]["content"] == {"kind": "ahead", "trait": "off", "value": ["0.attention:0"]}
        switch.dispatch_event("click")
        bridge.settle()
        agrees(page, of_blocks(explorer), 11)
        assert said[1]["data"]["state"] == {"off": ["0.attention:0"]}, "the kernel's own answer is not waited for"
        page.evaluate("(messages) => receive(messages)", kernel(asked))
        bridge.settle()
        assert explorer.off == []
        agrees(page, of_blocks(explorer.twin(off=["0.attention:0"])), 11)
        for event in ("pointerdown", "click"):
            switch.dispatch_event(event)
        late = kernel(said[2])
        explorer.change(words="dogs see a bird")
        page.evaluate("(messages) => receive(messages)", bridge._drain())
        page.evaluate("(messages) => receive(messages)", late)
        bridge.settle()
        agrees(page, of_blocks(explorer), 11)


def test_the_kernel_has_the_last_word_on_what_was_shown_ahead(bridge, page, monkeypatch):
    class Constant(BlockMachineExplorer):
        def sentence(self, state, result):
            return ["always the same"]

    explorer = bridge.show(Constant())
    said = page.locator(".attnlab .say")
    with monkeypatch.context() as wrong:
        wrong.setattr(explorer, "frame", lambda state: {"caption": {"sentence": [["wrong", ""]]}})
        part(page, "0.attention:0 switch").hover()
        bridge.settle()
    with silent(bridge, monkeypatch):
        page.mouse.down()
        page.mouse.up()
        bridge.settle()
        assert said.text_content() == "wrong"
    assert said.text_content() == "always the same", "though the kernel's sentence is what it was"


def test_what_was_asked_for_before_another_change_is_not_shown(bridge, page, monkeypatch):
    explorer = bridge.show(BlockMachineExplorer())
    part(page, "0.attention:0 switch").hover()
    bridge.settle()
    with silent(bridge, monkeypatch):
        explorer.change(words="dogs see a bird")
        page.evaluate("(messages) => receive(messages)", bridge._drain())
        page.mouse.down()
        page.mouse.up()
        bridge.settle()
        agrees(page, of_blocks(explorer), 11)
    assert explorer.off == ["0.attention:0"]
    agrees(page, of_blocks(explorer), 11)


def test_bars_are_cosines_on_both_sides_of_a_line(bridge, page):
    explorer = bridge.show(BlockMachineExplorer())
    drawn = marks(page)
    bars = [drawn[f"bar {i}"] for i in range(5)]
    zero = next(bar["x"] for bar, cosine in zip(bars, explorer.alike.tolist(), strict=True) if cosine > 0)
    for bar, cosine in zip(bars, explorer.alike.tolist(), strict=True):
        assert (bar["x"] < zero) == (cosine < 0)
    widths = [max(1, abs(cosine) * bars[4]["width"] / float(explorer.alike[4])) for cosine in explorer.alike.tolist()]
    assert [bar["width"] for bar in bars] == pytest.approx(widths, abs=1e-3)


def test_every_number_of_the_gpt_is_torchs(bridge, page):
    explorer = bridge.show(small_gpt())
    trace = of_gpt(explorer)
    agrees(page, trace, 11)
    drawn = marks(page)
    chances = trace.tensor("output/out")[0, -1].softmax(-1)
    shown = explorer.result.whole.shown
    most = int(chances[shown].argmax())
    assert drawn[f"chance {most}"]["text"] == f"{float(chances[shown[most]]):.2f}"
    own = trace.tensor("output/out")[0, -1]
    np.testing.assert_allclose(drawn["logits"]["table"], own[shown], atol=1e-4)
    box, low = part(page, "next/logits").bounding_box(), len(explorer.model.output.weight)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 2 + (box["height"] - 4) * (most + 0.5) / len(shown))
    bridge.settle()
    told = page.locator(".machine .line span").text_content()
    wanted = f"e to the power of {float(own[shown[most]]):.2f}, by the sum of all {low} of the row: "
    assert told.replace("−", "-").endswith(wanted + f"{float(chances[shown[most]]):.2f}")


@pytest.mark.parametrize("off", [[], ["blocks.0.attention:1"]])
def test_every_number_of_the_gpt_from_near_is_torchs(bridge, page, off):
    explorer = bridge.show(small_gpt(off=off))
    trace = of_gpt(explorer)
    for zoom, tables in (("blocks.0", 19), ("blocks.1", 19), ("blocks.1.attention:0", 7), ("blocks.0.attention:1", 7)):
        explorer.zoom = zoom
        bridge.settle()
        agrees(page, trace, tables, is_head=":" in zoom)


def test_a_row_of_weights_is_heard(bridge, page):
    """As a sighted learner reads it in the table."""
    explorer = bridge.show(BlockMachineExplorer())
    explorer.zoom = "0.attention:0"
    bridge.settle()
    rows = page.locator(".machine [role=radio]")
    assert rows.count() == len(explorer.words.split())
    page.get_by_role("radio", name="row of “cat”").click()
    bridge.settle()
    chosen = page.locator(".machine").get_by_role("radio", checked=True)
    assert chosen.count() == 1
    weights = next(mark for mark in marks(page).values() if mark.get("key", "").endswith("/weights:0"))["table"]
    told = re.findall(r"\d\.\d\d", chosen.get_attribute("aria-label"))
    size = rows.count()
    assert told == [f"{weight:.2f}" for weight in weights[size : 2 * size]]


def test_what_is_masked_is_heard_as_such(bridge, page):
    explorer = bridge.show(small_gpt())
    explorer.zoom = "blocks.0.attention:0"
    bridge.settle()
    rows = page.locator(".machine [role=radio]")
    told = [row.get_attribute("aria-label").count(" masked") for row in rows.all()]
    assert told == list(range(rows.count() - 1, -1, -1))


SEEN = {  # explorer and the states in which each zoom is looked at
    "blocks": (BlockMachineExplorer, [{"around": around} for around in AROUND]),
    "gpt": (lambda: small_gpt(heads=4), [{}, {"off": ["blocks.0.attention:0", "blocks.1.attention:1"], "token": 8}]),
}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 900, 1100, 1400])
@pytest.mark.parametrize("seen", SEEN)
def test_no_text_is_cut_or_covered(bridge, page, dark, width, seen):
    bridge.wear(dark, width)
    make, states = SEEN[seen]
    explorer = bridge.show(make())
    block = "blocks.1" if seen == "gpt" else "1"
    for state in states:
        for zoom in ("", block, f"{block}.attention:0"):
            explorer.change(**state, zoom=zoom)
            bridge.settle()
            assert page.evaluate(OVERLAPS) == [], (state, zoom)
