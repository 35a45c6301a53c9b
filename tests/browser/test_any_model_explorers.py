"""HeadsExplorer in a real browser: a model of another library, its heads chosen, switched off and changed by hand."""

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from attnlab import look_inside, override
from attnlab.inside import given_heads
from attnlab.tasks.text import Characters
from attnlab.training import seeded
from widgets.explorers.any_model.heads import HeadsExplorer

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

LETTERS = Characters("abcdefgh ")
TYPED = "a bad cabbage"
MAP = ".attnlab-headmap canvas.all"
SEEN = "() => document.querySelector('.matrix').attnlab.values()"


@pytest.fixture(scope="module")
def model():
    """It has learned nothing, but its weights are far from even."""
    with seeded(0), torch.no_grad():
        sizes = {"vocab_size": 9, "n_embd": 12, "n_layer": 2, "n_head": 3, "bos_token_id": 0, "eos_token_id": 0}
        model = GPT2LMHeadModel(GPT2Config(**sizes)).eval()
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter *= 10
    return model


@pytest.fixture
def explorer(bridge, model):
    return bridge.show(HeadsExplorer(model, LETTERS, TYPED))


def seen(page):
    """[queries, keys], as the page draws it."""
    values = page.evaluate(SEEN)
    return np.array(values["data"], np.float32).reshape(values["shape"])[0]


def said(page):
    return page.locator(".attnlab.caption .say").inner_text()


def weights_of(model, layer, head, text=TYPED):
    return look_inside(model, LETTERS, text).layers[layer].weights[head]


def test_a_head_is_chosen_in_the_map(bridge, page, explorer, model):
    np.testing.assert_allclose(seen(page), weights_of(model, 0, 0), atol=1e-6)
    x, y = page.evaluate("Object.values(document.querySelector('.attnlab-headmap').attnlab.middle(1, 2))")
    page.mouse.click(x, y)
    bridge.settle()
    assert explorer.chosen == [1, 2]
    np.testing.assert_allclose(seen(page), weights_of(model, 1, 2), atol=1e-6)
    assert "In layer 2, head 3," in said(page)


def test_a_head_is_off_and_on(bridge, page, explorer, model):
    before = said(page)
    page.locator(MAP).focus()
    page.keyboard.press("x")
    bridge.settle()
    layers = look_inside(model, LETTERS, TYPED).layers
    with override(model, given_heads(layers, off=[(0, 0)])):
        without = look_inside(model, LETTERS, TYPED).logits[-1].softmax(-1)
    torch.testing.assert_close(explorer.chances, without)
    assert not seen(page).any()
    assert "Layer 1, head 1 is off" in said(page)
    assert "with nothing changed it says" in said(page)
    page.keyboard.press("x")
    bridge.settle()
    assert said(page) == before


def test_a_weight_by_hand_reaches_the_answer(bridge, page, explorer, model):
    own, before = weights_of(model, 0, 0), explorer.chances
    page.locator(".matrix canvas").focus()
    page.keyboard.press("Control+Home")
    for _ in TYPED:
        page.keyboard.press("ArrowDown")
    bridge.settle()
    assert explorer.cell == [0, len(TYPED) - 1, 0]
    more = bool(own[-1, 0] < 0.5)
    for _ in range(6):
        page.keyboard.press("+" if more else "-")
        bridge.settle()
    changed = seen(page)[-1]
    assert changed[0] - own[-1, 0] == pytest.approx(0.3 if more else -0.3, abs=1e-3)
    assert changed.sum() == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(explorer.weights[-1], changed, atol=1e-6)
    assert not torch.allclose(explorer.chances, before, atol=1e-4)
    page.get_by_role("button", name="undo").click()
    bridge.settle()
    np.testing.assert_allclose(seen(page), own, atol=1e-6)
    torch.testing.assert_close(explorer.chances, before)


def test_another_text_and_one_that_cannot_be_read(bridge, page, explorer, model):
    field = page.get_by_role("textbox", name="text")
    field.fill("a bad egg")
    page.keyboard.press("Enter")
    bridge.settle()
    np.testing.assert_allclose(seen(page), weights_of(model, 0, 0, "a bad egg"), atol=1e-6)
    before = said(page)
    field.fill("a bad zoo")
    page.keyboard.press("Enter")
    bridge.settle()
    assert "never seen" in page.get_by_role("alert").inner_text()
    assert said(page) == before
    assert seen(page).shape == (9, 9)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 1400])
def test_nothing_is_cut(bridge, page, model, dark, width):
    page.set_viewport_size({"width": width + 60, "height": 900})
    bridge.wear(dark, width)
    bridge.show(HeadsExplorer(model, LETTERS, "a bad cabbage had a bag " * 2))
    assert bridge.outside(".matrix .figure, .attnlab-headmap, .caption, .controls") == []
