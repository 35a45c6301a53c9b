"""BertViz's views in a real browser: drawn without a request, answering to the mouse, and no token is executed."""

import pytest
import torch
from bridge import Bridge, kernel

from widgets.instruments.bertviz.bertviz import Bertviz

pytestmark = pytest.mark.browser

# Without blanks, which are shown as signs.
HOSTILE = ["</script><script>alert(1)</script>", "<img/src=x/onerror=alert(1)>", "<!--<script>alert(1)"]
TOKENS = [*HOSTILE, " ", "the", "cat"]


def weights():
    chance = torch.Generator().manual_seed(0)
    return [torch.randn(1, 4, 6, 6, generator=chance).mul(2).softmax(-1) for _ in range(2)]


@pytest.fixture
def heard(page):
    """Requests that leave the page, and dialogs."""
    found = []
    page.on("request", lambda request: found.append(request.url) if request.url.startswith(("http", "ws")) else None)
    page.on("dialog", lambda dialog: (found.append(dialog.message), dialog.dismiss()))
    return found


# By how much the view is too wide, and the room below it, once the frame has been told its height.
FITTED = """async () => {
    const rest = () => innerHeight - document.getElementById("bertviz").getBoundingClientRect().bottom;
    const fits = () => rest() >= 0 && rest() <= 20;
    for (let frames = 0; frames < 600 && !fits(); frames += 1) await new Promise(requestAnimationFrame);
    return [document.documentElement.scrollWidth - innerWidth, rest()];
}"""


def frame(page):
    """The view's own page, once its frame has the height that it asked for: until then, clicks miss."""
    page.wait_for_function("() => document.querySelector('.attnlab-bertviz iframe').srcdoc")
    inner = page.frame_locator(".attnlab-bertviz iframe")
    inner.locator("#vis svg").wait_for()
    page.frames[-1].evaluate(FITTED)
    return inner


@pytest.mark.parametrize("view", ["head", "model"])
def test_tokens_are_text_and_nothing_is_asked(bridge, page, heard, view):
    bridge.show(Bertviz(weights(), TOKENS, view=view))
    inner = frame(page)
    if view == "model":
        inner.locator("rect[style*='opacity: 0;']").nth(5).click()
    inner.get_by_text(HOSTILE[0], exact=True).first.wait_for()
    shown = inner.locator("#vis text").all_text_contents()
    assert all(token in shown for token in [*HOSTILE, "␣", "the", "cat"])
    assert inner.locator("img").count() == 0
    page.frames[-1].wait_for_load_state()
    bridge.settle()
    assert heard == []
    assert bridge.errors == []


def test_the_frame_may_run_scripts_and_nothing_else(bridge, page, heard):
    bridge.show(Bertviz(weights(), TOKENS))
    frame(page)
    assert page.locator("iframe").get_attribute("sandbox") == "allow-scripts"
    inner = page.frames[-1]
    assert inner.evaluate("origin") == "null"
    assert inner.evaluate("fetch('https://example.org/').then(() => 'answered', () => 'refused')") == "refused"
    assert page.locator("iframe").get_attribute("title") == "BertViz, head view: 2 layers of 4 heads, 6 tokens"


def test_the_weights_are_the_lines(bridge, page):
    bridge.show(Bertviz(weights(), TOKENS))
    lines = frame(page).locator("#attention line")
    drawn = torch.tensor(lines.evaluate_all("all => all.map(line => Number(line.getAttribute('stroke-opacity')))"))
    torch.testing.assert_close(drawn.reshape(4, 6, 6), weights()[0][0] / 4, atol=1e-4, rtol=0)


def test_a_token_under_the_mouse_shows_its_lines_alone(bridge, page):
    bridge.show(Bertviz(weights(), TOKENS))
    inner = frame(page)
    inner.locator("#left").get_by_text("cat").hover()
    visible = inner.locator("#attention line[visibility=visible]")
    assert visible.evaluate_all("all => all.map(line => line.getAttribute('left-token-index'))") == ["5"] * 24


def test_another_layer_by_keyboard(bridge, page):
    bridge.show(Bertviz(weights(), TOKENS))
    inner = frame(page)
    inner.locator("#layer").select_option("1")
    drawn = inner.locator("#attention line").first.get_attribute("stroke-opacity")
    assert float(drawn) == pytest.approx(float(weights()[1][0, 0, 0, 0]) / 4, abs=1e-4)


@pytest.mark.parametrize("view", ["head", "model"])
@pytest.mark.parametrize("width", [700, 1000, 1400])
def test_it_fits_its_place(page, view, width):
    page.set_viewport_size({"width": width + 60, "height": 900})
    with kernel():
        bridge = Bridge(page, width=width)
        bridge.show(Bertviz(weights(), TOKENS, view=view))
        frame(page)
        wide, rest = page.frames[-1].evaluate(FITTED)
        assert wide <= 1
        assert 0 <= rest <= 20


@pytest.mark.parametrize("view", ["head", "model"])
def test_dark(page, view):
    with kernel():
        bridge = Bridge(page, dark=True)
        bridge.show(Bertviz(weights(), TOKENS, view=view))
        inner = frame(page)
        ink = page.locator(".attnlab").first.evaluate("el => getComputedStyle(el).color")
        assert inner.locator("#vis text").first.evaluate("el => getComputedStyle(el).fill") == ink
        assert ink.startswith("rgba(255, 255, 255"), "words are light on a dark page"
        if view == "model":
            small = inner.locator(".attn_background").first
            assert small.evaluate("el => getComputedStyle(el).fill") == "rgb(33, 33, 33)"
