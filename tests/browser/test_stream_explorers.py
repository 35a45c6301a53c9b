"""The explorers whose machine is a stream, in a real browser: the page's numbers are torch's, the hand changes them."""

import numpy as np
import pytest
import torch
from machines import OVERLAPS, marks, part, small_gpt

from attnlab import record
from attnlab.analysis import without
from attnlab.tasks import word_vectors
from widgets.explorers.l09_block.block_machine import DIM, BlockMachineExplorer, fresh_blocks

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]


def of_blocks(explorer, off):
    blocks = fresh_blocks(2, "layer", "pre_norm", 1.0)
    with torch.no_grad(), without(blocks, off), record(blocks) as trace:
        blocks(word_vectors(explorer.words.split(), DIM)[None])
    return trace


def agrees(page, trace, names):
    """names: {key of a mark: (name of its tensor, head or None)}."""
    drawn = marks(page)
    for key, (name, head) in names.items():
        wanted = trace.tensor(name)[0]
        wanted = wanted if head is None else wanted[head]
        np.testing.assert_allclose(drawn[key]["table"], wanted.flatten(), atol=1e-4, err_msg=key)


WHOLE = {
    "0/in station": ("0/in", None),
    "0/out station": ("0/out", None),
    "1/out station": ("1/out", None),
    "0.attention:0 weights": ("0.attention/weights", 0),
    "1.attention:1 weights": ("1.attention/weights", 1),
}
NEAR = {
    f"0.attention/{suffix}:{head}": (f"0.attention/{suffix}", head)
    for suffix in ("q", "k", "v", "weights", "context", "adds")
    for head in (0, 1)
}


def test_every_number_of_blocks_is_torchs(bridge, page):
    explorer = bridge.show(BlockMachineExplorer())
    agrees(page, of_blocks(explorer, []), WHOLE)
    part(page, "0.attention:0 switch").click()
    bridge.settle()
    assert explorer.off == ["0.attention:0"]
    agrees(page, of_blocks(explorer, [("0.attention", 0)]), WHOLE)
    part(page, "0 zone").click(position={"x": 8, "y": 8})
    bridge.settle()
    assert explorer.zoom == "0"
    agrees(page, of_blocks(explorer, [("0.attention", 0)]), NEAR)


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
    with torch.no_grad(), record(explorer.model) as trace:
        chances = explorer.model(torch.tensor([explorer.result.ids]))[0, -1].softmax(-1)
    own = {key: place for key, place in WHOLE.items() if "/in" not in key}
    agrees(page, trace, {f"blocks.{key}": (f"blocks.{name}", head) for key, (name, head) in own.items()})
    drawn = marks(page)
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


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 900, 1100, 1400])
def test_no_text_is_cut_or_covered(bridge, page, dark, width):
    bridge.wear(dark, width)
    explorer = bridge.show(BlockMachineExplorer())
    for around in ("no residual", "pre-norm", "post-norm"):
        explorer.around = around
        for zoom in ("", "1", "1.attention:0"):
            explorer.zoom = zoom
            bridge.settle()
            assert page.evaluate(OVERLAPS) == [], (around, zoom)
