"""The explorers of lesson 17 in a real browser: the page's numbers are the runs' own, the hand changes them."""

import numpy as np
import pytest
import torch
from shaken import shaken

from attnlab import override, trained
from attnlab.analysis import copy_study, row_difference, sink_runs
from attnlab.pooling import PooledReader, TwoWay
from attnlab.tasks.reviews import VOCABULARY, film_reviews, reviews
from attnlab.training import seeded
from attnlab.transformer import gpt
from widgets.explorers.l17_real_models.copying_heads import CopyingHeadsExplorer
from widgets.explorers.l17_real_models.score_sources import ScoreSourcesExplorer
from widgets.explorers.l17_real_models.sink import SinkExplorer
from widgets.explorers.l17_real_models.swapped_row import SwappedRowExplorer, verdict

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

DRAWN = "() => [...document.querySelectorAll('.plot')].at(-1)._fullData.map((trace) => Array.from(trace.y))"


def drawn(model):
    """A model whose weights are far from even, though it has learned nothing."""
    with seeded(0):
        return shaken(model, 0.4)


def sinks():
    model = drawn(gpt(11, dim=8, heads=2, layers=3, longest=16))
    texts = {"pi": [3, 1, 4, 1, 5, 9, 2], "e": [2, 7, 1, 8, 2]}
    return {name: sink_runs(model, torch.tensor([ids]), [f" {i}" for i in ids]) for name, ids in texts.items()}


def copies():
    words = [" a", " b", " c", " d"]
    tokens = torch.tensor([[10, 1, 4, 6, 2, 1, 4, 6, 2]])
    model = drawn(gpt(11, dim=16, heads=4, layers=4, longest=16))
    return copy_study(model, tokens, ["<start>", *words, *words], most=8, draws=2)


def readers():
    tasks = {"the film": film_reviews, "any thing": reviews}
    return {
        name: (drawn(PooledReader(len(VOCABULARY), 8, TwoWay(8))), task(5, torch.Generator().manual_seed(1)))
        for name, task in tasks.items()
    }


MAKE = {
    "sink": lambda: SinkExplorer(sinks()),
    "copying": lambda: CopyingHeadsExplorer(copies()),
    "swapped": lambda: SwappedRowExplorer(readers()),
}


def test_a_token_is_hidden(bridge, page):
    explorer = bridge.show(MAKE["sink"]())
    explorer.hide = "from all but the next"
    bridge.settle()
    found = explorer.runs["pi"].but_next[0]
    assert (explorer.weights == found.weights).all()
    np.testing.assert_allclose(page.evaluate(DRAWN)[1], found.losses, atol=5e-4)
    np.testing.assert_allclose(page.evaluate(DRAWN)[0], explorer.runs["pi"].whole.losses, atol=5e-4)
    assert f"to {float(found.losses[1:].mean()):.2f}" in page.locator(".caption").inner_text()


def test_heads_are_switched_off(bridge, page):
    explorer = bridge.show(MAKE["copying"]())
    page.locator("input[type=range]").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    bridge.settle()
    assert explorer.off == 3
    np.testing.assert_allclose(page.evaluate(DRAWN)[2], [one.loss for one in explorer.study.off], atol=5e-4)
    assert f"{explorer.study.off[3].loss:.1f} nats" in page.locator(".caption").inner_text()


def test_another_row_with_the_same_answer(bridge, page):
    explorer = bridge.show(MAKE["swapped"]())
    own = explorer.result
    page.get_by_role("button", name="very different row, same answer").click()
    bridge.settle()
    now = explorer.result
    assert now.now == pytest.approx(own.now, abs=0.011)
    assert float(row_difference(now.weights, own.weights)) > 0.5
    assert "the same answer" in page.locator(".caption").inner_text()
    reader, batch = explorer.readers["the film"]
    (row,) = explorer.parts["matrix"].edits.values()
    with torch.no_grad(), override(reader, {"attention": torch.tensor(row)}):
        answer = reader(batch.tokens[:1], batch.asked[:1])
    assert verdict(float(answer.sigmoid())) in page.locator(".caption").inner_text()
    np.testing.assert_allclose(page.evaluate(DRAWN)[0], now.votes.sigmoid(), atol=5e-4)
    page.get_by_role("button", name="the model's row").click()
    bridge.settle()
    assert torch.equal(explorer.weights, own.weights)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 1400])
def test_nothing_is_cut(bridge, page, dark, width):
    page.set_viewport_size({"width": width + 60, "height": 900})
    bridge.wear(dark, width)
    for make in MAKE.values():
        assert bridge.show(make()).parts["caption"].error == ""
    bridge.settle()
    assert bridge.outside(".matrix, .attnlab-chart, .caption, .controls") == []


def said(page):
    return page.locator(".attnlab.caption .say").inner_text()


def test_a_part_is_chosen_and_cut_by_hand(bridge):
    """By the pointer and by keys: the weight falls with one part of its score, and stands without another."""
    explorer = bridge.show(ScoreSourcesExplorer(trained.induction().model, trained.LETTERS))
    page = bridge.page
    assert "the largest part, 3.7, is made by the query's token with the key's head 1.1." in said(page)
    page.get_by_role("switch", name="cut the chosen part").click()
    bridge.settle()
    assert "on “a” (letter 10), not 79" in said(page)
    page.locator("canvas").last.focus()
    page.keyboard.press("ArrowDown")  # the query's position, in place of its token
    bridge.settle()
    assert explorer.part == [0, 1, 2]
    assert "Without the query's position with the key's head 1.1" in said(page)
    page.get_by_role("textbox", name="text").fill("potter harry po")
    page.keyboard.press("Enter")
    bridge.settle()
    assert explorer.text == "potter harry po"
    assert "“o” (letter 15)" in said(page)


def test_a_text_that_cannot_be_read_says_why(bridge):
    explorer = bridge.show(ScoreSourcesExplorer(trained.induction().model, trained.LETTERS))
    before = said(bridge.page)
    bridge.page.get_by_role("textbox", name="text").fill("mozart 1756")
    bridge.page.keyboard.press("Enter")
    bridge.settle()
    assert bridge.page.get_by_role("alert").inner_text() == (
        "expected letters from a to z and blanks, as in training, got “1”"
    )
    assert said(bridge.page) == before
    assert explorer.text == "mozart 1756"
