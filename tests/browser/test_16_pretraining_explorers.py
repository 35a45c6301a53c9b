"""The explorers of lesson 16 in a real browser: the page's numbers are the models', the hand hides the words."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from shaken import shaken

from attnlab.analysis import guess_from_both_sides, guess_from_the_left
from attnlab.tasks.python_topics import PythonTopics
from attnlab.trained import pretraining_runs
from attnlab.training import seeded
from attnlab.transformer import masked_encoder
from widgets.explorers.l16_pretraining.few_labels import EACH, FewLabelsExplorer
from widgets.explorers.l16_pretraining.hidden_words import HiddenWordsExplorer
from widgets.explorers.l16_pretraining.mixture import MixtureExplorer
from widgets.explorers.l16_pretraining.published_scores import PublishedScoresExplorer

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

TASK = PythonTopics()
DRAWN = "() => [...document.querySelectorAll('.plot')].map((plot) => Array.from(plot._fullData[0].y))"
CUT = """() => {
    const stage = document.getElementById("stage").getBoundingClientRect();
    const boxes = [...document.querySelectorAll(".attnlab-tiles .tile, .attnlab-chart, .caption, .controls")];
    return boxes.map((el) => el.getBoundingClientRect()).filter((box) => box.right > stage.right + 1).length;
}"""


def drawn_model(seed):
    with seeded(seed):
        return shaken(masked_encoder(len(TASK.vocabulary), 8, 2, 1, 65), 0.5)


MODELS = SimpleNamespace(masked=drawn_model(0), left_to_right=drawn_model(1))
MAKE = {
    "hidden words": lambda: HiddenWordsExplorer(MODELS, TASK),
    "mixture": lambda: MixtureExplorer(TASK),
    "few labels": FewLabelsExplorer,
    "published scores": PublishedScoresExplorer,
}


def test_a_press_hides_and_both_charts_follow(bridge, page):
    explorer = bridge.show(MAKE["hidden words"]())
    page.locator(".attnlab-tiles button").nth(2).click()
    bridge.settle()
    assert explorer.hidden == [5, 2]
    tokens = TASK.encode(explorer.text)
    both = guess_from_both_sides(MODELS.masked, tokens, [5, 2])[1].topk(5).values
    left = guess_from_the_left(MODELS.left_to_right, tokens, [5, 2])[1].topk(5).values
    np.testing.assert_allclose(page.evaluate(DRAWN)[-2:], torch.stack([both, left]), atol=5e-4)
    assert "“attribute”" in page.locator(".caption").inner_text()
    page.locator(".attnlab-tiles button").nth(2).click()
    bridge.settle()
    assert explorer.hidden == [5]


def test_a_bad_text_is_told_and_nothing_is_lost(bridge, page):
    explorer = bridge.show(MAKE["hidden words"]())
    before = page.evaluate(DRAWN)
    explorer.text = "…" * 65
    bridge.settle()
    assert "expected a text of at most 64 words, got 65" in page.locator(".caption").inner_text()
    assert page.evaluate(DRAWN) == before


def test_the_slider_says_its_labels_and_moves_the_rings(bridge, page):
    explorer = bridge.show(MAKE["few labels"]())
    slider = page.get_by_role("slider", name="labels per topic")
    assert slider.get_attribute("aria-valuetext") == page.locator(".slider .number").inner_text() == "4"
    slider.press("End")
    bridge.settle()
    assert EACH[explorer.labels] == 32
    assert slider.get_attribute("aria-valuetext") == page.locator(".slider .number").inner_text() == "32"
    rings = page.evaluate("() => Array.from(document.querySelector('.plot')._fullData.at(-1).y)")
    means = [sum(runs["32"]) / 3 for runs in pretraining_runs()["few_labels"].values()]
    np.testing.assert_allclose(rings, means, atol=5e-4)
    assert "32 labels per topic" in page.locator(".caption").inner_text()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 1400])
def test_nothing_is_cut(bridge, page, dark, width):
    page.set_viewport_size({"width": width + 60, "height": 900})
    bridge.wear(dark, width)
    for make in MAKE.values():
        explorer = bridge.show(make())
        assert explorer.parts["caption"].error == ""
        bridge.settle()
    assert page.evaluate(CUT) == 0
