"""Explorers as a hand sees them: controls by mouse and keyboard, films over a slow line, errors, two displays."""

import json
import re
from itertools import pairwise
from math import inf

import pytest
from bridge import Bridge
from explorers import Plain

from widgets.controls import stepper
from widgets.temperature import TemperatureExplorer

pytestmark = pytest.mark.browser

SLOW_LINE = """() => {
  const kernel = window.kernel;
  window.sent = [];
  const rest = (ms) => new Promise((done) => setTimeout(done, ms));
  window.kernel = async (message) => {
    window.sent.push(message.data.content?.kind);
    await rest(150);
    const answer = await kernel(message);
    await rest(150);
    return answer;
  };
}"""


@pytest.fixture(autouse=True)
def impatient(page):
    page.set_default_timeout(5000)


def numbers(page):
    """The values that the page shows."""
    shown = page.locator(".attnlab:not(.controls):not(.caption)").first.inner_text()
    return [float(x.replace("−", "-")) for x in shown.split()]


def grab(page, slider):
    """The handle of a slider: its box, and where it stands."""
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    return box


def drag(page, box, *shares):
    for share in shares:
        page.mouse.move(box["x"] + 8 + share * (box["width"] - 16), box["y"] + box["height"] / 2)
        page.wait_for_timeout(20)


# ---- controls


def test_every_control_has_a_name(bridge):
    bridge.show(Plain())
    page = bridge.page
    page.get_by_role("button", name="more").click()
    for role, name in [("slider", "size"), ("slider", "count"), ("switch", "with a sign"), ("combobox", "shape"),
                       ("textbox", "word"), ("group", "position"), ("button", "to the first position"),
                       ("button", "one position back"), ("button", "play"), ("button", "one position forward"),
                       ("button", "another"), ("button", "reset")]:
        assert page.get_by_role(role, name=name, exact=True).is_visible(), (role, name)


@pytest.mark.parametrize("lost", [["numbers", "caption", "controls"], ["numbers"]])
def test_a_first_picture_that_is_lost_on_the_way_is_asked_for(bridge, lost):
    explorer = Plain()
    parts = {explorer.parts[name].model_id for name in lost}
    bridge.outbox = [message for message in bridge.outbox if message["kind"] == "open" or message["id"] not in parts]
    bridge.show(explorer)
    assert bridge.page.get_by_text("nothing", exact=True).count() == 1
    bridge.page.wait_for_timeout(1000)
    bridge.settle()
    assert bridge.page.get_by_role("slider", name="size").get_attribute("aria-valuetext") == "2.0"
    assert numbers(bridge.page) == [2, 4, 6]


def test_a_picture_that_cannot_be_shown_does_not_stop_the_next(bridge):
    explorer = bridge.show(Plain())
    bridge.page.evaluate("""(id) => models.get(id).trigger("msg:custom",
      { kind: "picture", table: [], frames: [[0, { "nobody": {} }]] }, [new DataView(new ArrayBuffer(0))])""",
                         explorer.parts["controls"].model_id)
    bridge.page.get_by_role("combobox").select_option("down")
    bridge.settle()
    assert numbers(bridge.page) == [6, 4, 2]


def test_controls_by_mouse(bridge):
    explorer = bridge.show(Plain())
    page = bridge.page
    page.get_by_role("switch").click()
    page.get_by_role("combobox").select_option("down")
    bridge.settle()
    assert (explorer.signed, explorer.shape) == (True, "down")
    assert numbers(page) == [6, -4, 2]
    page.get_by_role("button", name="more").click()
    page.get_by_role("button", name="another").click()
    bridge.settle()
    assert explorer.again == 1
    page.get_by_role("button", name="reset").click()
    bridge.settle()
    assert repr(explorer.state) == repr(Plain().state)
    assert not page.get_by_role("switch").is_checked()
    assert numbers(page) == [2, 4, 6]


def test_slider_by_keyboard(bridge):
    explorer = bridge.show(Plain())
    size = bridge.page.get_by_role("slider", name="size")
    size.focus()
    keys = {"ArrowRight": 2.1, "ArrowUp": 2.2, "ArrowLeft": 2.1, "ArrowDown": 2.0, "Home": 0.0, "PageUp": 0.5,
            "End": 5.0, "PageDown": 4.5}
    for key, value in keys.items():
        bridge.page.keyboard.press(key)
        bridge.page.wait_for_timeout(200)
        bridge.settle()
        assert explorer.size == pytest.approx(value)
        assert size.get_attribute("aria-valuetext") == f"{value:.1f}"


# When the handle and the numbers changed: [what, ms, the frame's own time].
WATCH_HANDLE = """() => {
  window.drawn = [];
  const note = (what) => () => drawn.push([what, performance.now(), document.timeline.currentTime]);
  const watch = (el, what, options) => new MutationObserver(note(what)).observe(el, options);
  watch(document.querySelector("[type=range]"), "handle", { attributeFilter: ["aria-valuetext"] });
  watch(document.querySelector(".attnlab:not(.controls):not(.caption)"), "numbers",
        { childList: true, subtree: true, characterData: true });
}"""


def without_film(bridge, monkeypatch):
    """The page of a Plain explorer whose slider "size" has the focus, no film, and its handle watched."""
    monkeypatch.setattr("widgets.film.SLOW", 0.0)
    bridge.show(Plain())
    bridge.page.get_by_role("slider", name="size").focus()
    bridge.page.evaluate(WATCH_HANDLE)
    return bridge.page


def test_a_key_s_handle_waits_for_its_picture(bridge, monkeypatch):
    page = without_film(bridge, monkeypatch)
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(100)
    bridge.settle()
    drawn = page.evaluate("drawn")
    frames = {what: {frame for seen, _, frame in drawn if seen == what} for what in ("handle", "numbers")}
    assert len(frames["numbers"]) == 8
    assert len(frames["handle"] & frames["numbers"]) >= 4  # not all: another process may be in the way


def test_a_key_s_handle_does_not_wait_long(bridge, monkeypatch):
    page = without_film(bridge, monkeypatch)
    page.evaluate("""() => {
      window.sent = [];
      window.kernel = ({ data }) => { sent.push(data.content?.values?.size); return new Promise(() => {}); };
    }""")
    for _ in range(12):
        page.evaluate("""() => {
          window.pressed ??= performance.now();
          const press = new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true });
          document.querySelector("[type=range]").dispatchEvent(press);
        }""")
        page.wait_for_timeout(10)
    page.wait_for_timeout(100)
    moved = [ms for what, ms, _ in page.evaluate("drawn") if what == "handle"]
    assert moved[0] - page.evaluate("pressed") > 25
    assert len(moved) > 1  # also while keys follow each other
    assert page.get_by_role("slider", name="size").input_value() == "3.2"
    assert [size for size in page.evaluate("sent") if size] == [2.1, 2.2]  # two under way are enough


def test_keys_do_not_reach_the_notebook(bridge):
    bridge.show(Plain())
    page = bridge.page
    page.evaluate("""() => document.addEventListener("keydown", (e) => {
      (window.heard ??= []).push(e.key); e.preventDefault();
    }, true)""")
    size = page.get_by_role("slider", name="size")
    size.focus()
    for key in ["ArrowRight", "PageUp", "d", "d", "Escape"]:
        page.keyboard.press(key)
    page.wait_for_timeout(100)
    assert size.input_value() == "2.6"
    page.get_by_role("textbox").focus()
    page.keyboard.type("x y")
    assert page.get_by_role("textbox").input_value() == "fivex y"
    assert page.evaluate("window.heard") is None
    page.keyboard.press("Control+s")
    assert page.evaluate("window.heard").pop() == "s"


def test_all_controls_by_tab(bridge):
    bridge.show(Plain())
    page = bridge.page
    names = []
    for _ in range(8):
        page.keyboard.press("Tab")
        names.append(page.evaluate(
            "document.activeElement.labels?.[0]?.textContent || document.activeElement.textContent"))
    assert names == ["size", "count", "with a sign", "shape", "word", "more", "reset", "the code of this picture"]


def test_switch_and_more_by_keyboard(bridge):
    explorer = bridge.show(Plain())
    page = bridge.page
    page.get_by_role("switch").focus()
    page.keyboard.press("Space")
    bridge.settle()
    assert explorer.signed
    more = page.get_by_role("button", name="more")
    more.focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("button", name="less").get_attribute("aria-expanded") == "true"


def test_controls_follow_python(bridge):
    explorer = bridge.show(Plain())
    explorer.size = 1.23
    explorer.word = "six"
    explorer.count = 7
    bridge.settle()
    page = bridge.page
    assert page.locator(".number").first.inner_text() == "1.230"
    assert page.get_by_role("textbox").input_value() == "six"
    assert len(numbers(page)) == 7


# ---- text


def test_text_is_sent_on_enter_on_leaving_and_after_a_pause(bridge):
    explorer = bridge.show(Plain())
    page, word = bridge.page, bridge.page.get_by_role("textbox")
    word.fill("six")
    page.keyboard.press("Enter")
    bridge.settle()
    assert explorer.word == "six"
    word.fill("seven")
    word.blur()
    bridge.settle()
    assert explorer.word == "seven"
    word.fill("eight")
    page.wait_for_timeout(200)
    assert explorer.word == "seven"
    page.wait_for_timeout(600)
    bridge.settle()
    assert explorer.word == "eight"


def test_text_stays_with_its_error(bridge):
    explorer = bridge.show(Plain())
    page, word = bridge.page, bridge.page.get_by_role("textbox")
    word.fill("s1x")
    word.press("Enter")
    bridge.settle()
    assert page.get_by_role("alert").inner_text() == "expected a word of letters, got 's1x'"
    assert word.input_value() == "s1x"
    assert numbers(page) == [2, 4, 6]
    assert explorer.word == "s1x"
    word.fill("six")
    word.press("Enter")
    bridge.settle()
    assert not page.get_by_role("alert").is_visible()


def test_typing_on_is_not_overwritten_by_an_answer(bridge):
    bridge.show(Plain())
    page, word = bridge.page, bridge.page.get_by_role("textbox")
    page.evaluate(SLOW_LINE)
    word.fill("six")
    word.press("Enter")
    page.keyboard.type("teen")
    page.wait_for_timeout(500)
    assert word.input_value() == "sixteen"


@pytest.mark.parametrize("word", ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "🙂 مرحبا"])
def test_nothing_is_read_as_markup(bridge, word):
    bridge.page.on("dialog", lambda dialog: pytest.fail("executed"))
    explorer = bridge.show(Plain(word=word))
    bridge.page.wait_for_timeout(100)
    assert word in bridge.page.get_by_role("alert").inner_text()
    assert bridge.page.locator("img").count() == 0
    assert explorer.word == word


# ---- films


def waits_in_a_drag(page, box, shares) -> list[float]:
    """Milliseconds from each movement of the handle, always to the right, until its picture or a later one is there.

    Not until its very picture: of two movements within one frame of the display the page draws the second.
    """
    page.evaluate("window.painted = []; window.moved = []")
    drag(page, box, *shares)
    painted = [(when, float(content.split()[0])) for when, content in page.evaluate("painted")]
    return [min((t for t, value in painted if t >= when and value >= float(size) - 1e-3), default=inf) - when
            for when, size in page.evaluate("moved")]


def test_drag_over_a_slow_line_plays_at_the_page_s_speed(bridge):
    explorer = bridge.show(Plain())
    page = bridge.page
    page.evaluate(SLOW_LINE)
    slider = page.get_by_role("slider", name="size")
    slider.evaluate("el => el.addEventListener('input', () => moved.push([performance.now(), el.value]))")
    page.evaluate("window.moved = []")
    box = grab(page, slider)
    page.wait_for_timeout(500)  # the film arrives once
    sent = page.evaluate("sent.length")
    for _ in range(3):  # for one of them another process may have taken the processor
        drag(page, box, 0.05)
        waits = waits_in_a_drag(page, box, [0.1 + 0.02 * i for i in range(40)])
        assert len(waits) > 20
        late = sorted(waits)[int(0.95 * len(waits))]
        if late < 100:  # a round trip takes 300
            break
    assert late < 100
    assert page.evaluate("sent.length") - sent <= 3  # not one message a move
    page.mouse.up()
    page.wait_for_timeout(700)
    bridge.settle()
    assert numbers(page) == pytest.approx([explorer.size, 2 * explorer.size, 3 * explorer.size], abs=1e-3)
    assert slider.input_value() == f"{explorer.size:g}"
    assert explorer.size == pytest.approx(0.88 * 5, abs=0.2)


def test_older_answers_do_not_disturb_a_film(bridge):
    """The first moves went to the kernel before the film was there; their answers come while it plays."""
    explorer = bridge.show(Plain())
    page = bridge.page
    page.evaluate(SLOW_LINE)
    box = grab(page, page.get_by_role("slider", name="size"))
    page.evaluate("window.painted = []")
    drag(page, box, *[0.4 + 0.005 * i for i in range(80)])
    page.mouse.up()
    page.wait_for_timeout(900)
    bridge.settle()
    painted = [float(content.split()[0]) for _, content in page.evaluate("painted")]
    backwards = [(a, b) for a, b in pairwise(painted) if b < a - 1e-6]
    assert backwards[1:] == []  # one at most: when the pointer first takes the handle
    assert painted[-1] == pytest.approx(explorer.size)


def test_live_path_before_the_film_and_without_one(bridge, monkeypatch):
    monkeypatch.setattr("widgets.film.SLOW", 0.0)
    explorer = bridge.show(Plain())
    page = bridge.page
    size = page.get_by_role("slider", name="size")
    size.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    bridge.settle()
    assert explorer.size == pytest.approx(2.3)
    assert numbers(page)[0] == pytest.approx(2.3)


def test_film_is_asked_for_again_when_something_else_has_changed(bridge):
    explorer = bridge.show(Plain())
    page = bridge.page
    page.evaluate(SLOW_LINE.replace("150", "10"))
    asked = lambda: page.evaluate("sent.filter((kind) => kind === 'film').length")  # noqa: E731
    size, count = page.get_by_role("slider", name="size"), page.get_by_role("slider", name="count")
    size.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    bridge.settle()
    first = asked()
    count.focus()
    page.keyboard.press("End")
    page.wait_for_timeout(300)
    size.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    bridge.settle()
    assert asked() > first + 1
    assert (explorer.size, explorer.count) == (0.1, 7)
    assert numbers(page) == pytest.approx([0.1 * i for i in range(1, 8)], abs=1e-3)


def with_film(bridge):
    """A Plain explorer and its slider "size", whose film has arrived."""
    explorer = bridge.show(Plain())
    size = bridge.page.get_by_role("slider", name="size")
    size.focus()
    bridge.page.wait_for_timeout(200)
    bridge.settle()
    return explorer, size


def test_film_over_positions_without_a_picture(bridge):
    (explorer, _), page = with_film(bridge), bridge.page
    page.keyboard.press("End")
    page.wait_for_timeout(50)
    assert explorer.size == 2.0  # the film told it first
    assert page.get_by_role("alert").inner_text() == "expected a size up to 4.5, got 5.0"
    assert numbers(page) == [2, 4, 6]
    page.keyboard.press("Home")
    page.wait_for_timeout(50)
    assert not page.get_by_role("alert").is_visible()
    assert numbers(page) == [0, 0, 0]
    page.wait_for_timeout(300)
    bridge.settle()
    assert explorer.size == 0


def test_python_ends_a_film(bridge):
    (explorer, size), page = with_film(bridge), bridge.page
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    bridge.settle()
    explorer.size = 4.0
    bridge.settle()
    assert numbers(page) == [4, 8, 12]
    assert size.input_value() == "4"


def test_a_model_that_learns_is_not_asked_for_films_all_the_time(bridge):
    explorer = bridge.show(Plain())
    page = bridge.page
    page.evaluate(SLOW_LINE.replace("150", "5"))
    size = page.get_by_role("slider", name="size")
    size.focus()
    for _ in range(10):
        explorer.refresh()
        bridge.settle(20)
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    bridge.settle()
    asked = page.evaluate("sent.filter((kind) => kind === 'film').length")
    assert asked < 6
    assert explorer.size == pytest.approx(3.0)
    assert numbers(page)[0] == pytest.approx(3.0)


def test_a_kernel_that_does_not_answer(bridge):
    bridge.show(Plain())
    page = bridge.page
    page.evaluate("() => { window.kernel = () => new Promise(() => {}); }")
    page.get_by_role("slider", name="size").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".silence").inner_text() == ""
    page.wait_for_timeout(4300)
    assert "run this cell again" in page.locator(".silence").inner_text()


def test_a_kernel_that_is_gone(bridge):
    bridge.show(Plain())
    page, size = bridge.page, bridge.page.get_by_role("slider", name="size")
    page.evaluate("() => { Model.prototype.send = () => { throw new Error('Cannot send'); }; }")
    size.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(100)
    assert size.get_attribute("aria-valuetext") != "2.0"
    assert bridge.errors == []  # nor is anything thrown into the page
    page.wait_for_timeout(4200)
    assert "run this cell again" in page.locator(".silence").inner_text()


# ---- stepper


class Steps(Plain):
    position = stepper(1, 1, None, help="the position told")

    def picture(self, state, result):
        return {"numbers": {"values": result[: state.position]}, "controls": {"position": {"max": state.count}}}

    def sentence(self, state, result):
        return super().sentence(state, result)


class Stepping(Steps):
    """The stepper first, so that it is visible."""

    @staticmethod
    def _spec(states):
        return Steps._spec({name: states[name] for name in ("position", "size", "count")})


def test_a_step_to_the_end_leaves_the_focus_where_it_was(bridge):
    explorer = bridge.show(Stepping())
    page = bridge.page
    for name, end in ("one position forward", 3), ("one position back", 1), ("one position forward", 3):
        page.get_by_role("button", name=name).focus()
        for _ in range(4):
            page.keyboard.press("Enter")
            page.wait_for_timeout(100)
        bridge.settle()
        assert explorer.position == end
        assert page.evaluate("document.activeElement.ariaLabel") == name
        assert page.get_by_role("button", name=name).is_disabled()


def test_stepper(bridge):
    explorer = bridge.show(Stepping())
    page = bridge.page
    press = lambda name: (page.get_by_role("button", name=name).click(), page.wait_for_timeout(250), bridge.settle())  # noqa: E731
    assert page.locator(".at").inner_text() == "position 1 of 3"
    assert page.get_by_role("button", name="one position back").is_disabled()
    press("one position forward")
    assert explorer.position == 2
    assert len(numbers(page)) == 2
    page.get_by_role("button", name="one position forward").focus()
    page.keyboard.press("End")
    page.wait_for_timeout(250)
    bridge.settle()
    assert explorer.position == 3
    press("to the first position")
    assert explorer.position == 1
    explorer.count = 5
    bridge.settle()
    assert page.locator(".at").inner_text() == "position 1 of 5"
    explorer.change(position=99, word="n0")
    bridge.settle()
    assert page.get_by_role("alert").is_visible()
    assert page.locator(".at").inner_text() == "position 5 of 5"


def test_play_is_one_position_a_beat(bridge):
    explorer = bridge.show(Stepping(count=7))
    page, at = bridge.page, bridge.page.locator(".at")
    at.evaluate("""(el) => {
      window.beats = [];
      new MutationObserver(() => beats.push([performance.now(), el.textContent])).observe(el, { childList: true });
    }""")
    page.get_by_role("button", name="play").click()
    page.wait_for_timeout(1800)
    page.get_by_role("button", name="pause").click()
    stopped = at.inner_text()
    page.wait_for_timeout(700)
    bridge.settle()
    assert at.inner_text() == stopped
    assert stopped == f"position {explorer.position} of 7"
    beats = page.evaluate("beats")
    told = list(dict.fromkeys(text for _, text in beats))
    assert told == [f"position {i} of 7" for i in range(1 + (told[0][9] != "1"), explorer.position + 1)]
    first, last = beats[0][0], beats[-1][0]
    assert last - first > 450 * (len(told) - 2)
    page.get_by_role("button", name="play").click()
    page.get_by_role("button", name="play").wait_for()  # it ends by itself
    bridge.settle()
    assert explorer.position == 7


def test_play_without_motion(bridge):
    bridge.page.emulate_media(reduced_motion="reduce")
    explorer = bridge.show(Stepping(count=3))
    bridge.page.get_by_role("button", name="play").click()
    bridge.page.wait_for_timeout(200)
    bridge.settle()
    assert explorer.position == 3


# ---- caption


def test_code_follows_and_can_be_copied(bridge):
    explorer = bridge.show(Plain())
    page = bridge.page
    page.get_by_text("the code of this picture").first.click()
    assert page.locator("pre").inner_text() == explorer.parts["caption"].code
    explorer.size = 3.5
    bridge.settle()
    assert "values = 3.5 *" in page.locator("pre").inner_text()
    page.evaluate("document.execCommand = (what) => { window.copied = document.activeElement.value; return true; }")
    page.get_by_role("button", name="copy").click()
    page.wait_for_timeout(100)
    assert page.get_by_role("button", name="copied").is_visible()
    assert page.evaluate("window.copied") == explorer.parts["caption"].code


def test_sentence_is_spoken_when_the_hand_rests(bridge):
    explorer = bridge.show(Plain())
    page = bridge.page
    spoken = page.locator("[aria-live=polite]")
    assert spoken.inner_text() == ""
    explorer.size = 3.0
    bridge.settle()
    assert spoken.inner_text() == ""
    page.wait_for_timeout(900)
    assert spoken.inner_text() == "five at 1 is 3.00"


# ---- twice, again, gone


def test_shown_twice(bridge):
    explorer = bridge.show(Plain())
    bridge.show(explorer)
    page = bridge.page
    sizes = page.get_by_role("slider", name="size")
    assert sizes.count() == 2
    sizes.nth(1).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    bridge.settle()
    assert sizes.nth(0).input_value() == sizes.nth(1).input_value() == "2.1"
    assert page.get_by_text("five at 1 is 2.10").count() == 2


def test_page_reload_shows_today_s_state(bridge, browser):
    explorer = bridge.show(Plain())
    size = bridge.page.get_by_role("slider", name="size")
    size.focus()
    bridge.page.keyboard.press("End")
    bridge.page.keyboard.press("PageDown")
    bridge.page.wait_for_timeout(300)
    bridge.settle()
    assert explorer.size == 4.5
    fresh = browser.new_page()
    reloaded = Bridge(fresh)
    for widget in [explorer, explorer.layout, *[x for part in explorer.children for x in (part.layout, part)]]:
        state, paths, buffers = open_message(widget)
        reloaded.outbox.append({"id": widget.model_id, "kind": "open", "data": {"state": state, "buffer_paths": paths},
                                "buffers": buffers})
    reloaded.show(explorer)
    assert numbers(fresh) == [4.5, 9, 13.5]
    fresh.get_by_role("slider", name="size").focus()
    fresh.keyboard.press("ArrowLeft")
    fresh.wait_for_timeout(300)
    reloaded.settle()
    assert explorer.size == 4.4
    assert numbers(fresh)[0] == 4.4
    fresh.close()


def open_message(widget):
    """What a kernel tells a page that asks for a widget's state."""
    from base64 import b64encode

    from ipywidgets.widgets.widget import _remove_buffers

    state, paths, buffers = _remove_buffers(widget.get_state())
    return json.loads(json.dumps(state, default=str)), paths, [b64encode(bytes(b)).decode() for b in buffers]


def test_closed_while_a_film_is_on_its_way(bridge):
    explorer = bridge.show(Plain())
    page = bridge.page
    page.get_by_role("slider", name="size").focus()
    explorer.close()
    bridge.settle()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(100)
    assert not [error for error in bridge.errors if "Uncaught" in error]


# ---- look


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 1000, 1400])
def test_bar_ends_with_the_picture(browser, width, dark):
    from bridge import kernel

    page = browser.new_page(viewport={"width": width + 60, "height": 640})
    with kernel():
        bridge = Bridge(page, dark=dark, width=width)
        bridge.show(TemperatureExplorer())
        bar, matrix = page.locator(".controls"), page.locator("canvas").first
        ends = bar.bounding_box()["x"] + bar.bounding_box()["width"]
        assert ends <= 24 + width
        picture = matrix.evaluate(
            "el => parseFloat(getComputedStyle(el.closest('.attnlab')).getPropertyValue('--picw'))")
        assert bar.bounding_box()["width"] == pytest.approx(min(picture, width), abs=1)
        assert bar.bounding_box()["height"] < 40
        heights = page.locator(".controls button, .controls input, .controls select").evaluate_all(
            "all => all.map((el) => el.getBoundingClientRect().height)")
        assert set(heights) == {28}
    page.close()


def test_temperature_by_hand(bridge):
    explorer = bridge.show(TemperatureExplorer())
    page = bridge.page
    page.get_by_role("slider", name="temperature").focus()
    page.wait_for_timeout(200)
    bridge.settle()
    page.keyboard.press("Home")
    page.wait_for_timeout(300)
    bridge.settle()
    assert explorer.temperature == 0.1
    assert re.search("so cold, softmax is a choice", page.locator(".say").inner_text())
    page.keyboard.press("End")
    page.wait_for_timeout(300)
    bridge.settle()
    assert "so hot, softmax is nearly an average" in page.locator(".say").inner_text()


# ---- in Jupyter itself

CELLS = ["from widgets import TemperatureExplorer\nexplorer = TemperatureExplorer()\nexplorer"]
LIVING = "len(__import__('ipywidgets').widgets.widget._instances)"


def pressed(notebook, key):
    """Press a key on the first slider, wait for the kernel; what page and kernel then say."""
    slider = notebook.page.get_by_role("slider", name="temperature")
    slider.wait_for()
    notebook.page.wait_for_timeout(1000)
    slider.focus()
    notebook.page.wait_for_timeout(500)
    notebook.page.keyboard.press(key)
    notebook.page.wait_for_timeout(1000)
    said = notebook.page.locator(".say").inner_text()
    assert notebook.ask("repr(explorer)").endswith(said)
    return float(slider.input_value()), notebook.ask("explorer.temperature")


def test_in_jupyterlab_run_again_and_reloaded(browser, lab):
    lab.write("explorer.ipynb", CELLS)
    with lab.open(browser, "explorer.ipynb") as notebook:
        notebook.run_all()
        assert pressed(notebook, "ArrowRight") == (1.1, 1.1)
        living = notebook.ask(LIVING)
        notebook.run_all()
        assert pressed(notebook, "End") == (4.0, 4.0)
        assert notebook.ask(LIVING) == living
        assert notebook.page.locator(".controls").count() == 1
        notebook.command("docmanager:save")
        notebook.page.reload()
        notebook.wait_for_kernel()
        assert pressed(notebook, "ArrowLeft") == (3.9, 3.9)
        assert not notebook.complaints()


def test_in_jupyterlab_a_box_run_again_and_reloaded(browser, lab):
    """A box that held a closed explorer would be in the way of all views of the page."""
    lab.write("boxes.ipynb", ["""\
from ipywidgets import Tab
from widgets import Predict, TemperatureExplorer

explorer = TemperatureExplorer()
Tab([explorer, Predict("Which?", {"a": "yes", "b": "no"}, answer="a", then=TemperatureExplorer())])"""])
    with lab.open(browser, "boxes.ipynb") as notebook:
        slider = notebook.page.get_by_role("slider", name="temperature")
        notebook.run_all()
        slider.wait_for()
        notebook.run_all()
        slider.wait_for()
        notebook.command("docmanager:save")
        notebook.page.reload()
        notebook.wait_for_kernel()
        slider.wait_for()
        assert not notebook.complaints()


def test_only_the_cursor_that_is_seen_blinks(browser, lab):
    lab.write("cursor.ipynb", CELLS)
    with lab.open(browser, "cursor.ipynb") as notebook:
        notebook.run_all()
        notebook.page.get_by_role("slider", name="temperature").wait_for()
        cell = notebook.page.locator(".jp-CodeCell").first
        blinks = "el => [el.style.animationName, getComputedStyle(el).animationName]"
        cell.locator(".cm-content").click()
        cell.locator(".cm-focused").wait_for()
        own, shown = cell.locator(".cm-cursorLayer").evaluate(blinks)
        assert own.startswith("cm-blink")
        assert shown == own
        notebook.page.keyboard.press("Escape")
        cell.locator(".cm-editor:not(.cm-focused)").wait_for()
        own, shown = cell.locator(".cm-cursorLayer").evaluate(blinks)
        assert own.startswith("cm-blink")
        assert shown == "none"


def test_arrow_keys_in_notebook_7(browser, lab):
    lab.write("explorer7.ipynb", CELLS)
    with lab.page(browser, "explorer7.ipynb") as notebook:
        notebook.go("notebooks/explorer7.ipynb")
        notebook.wait_for_kernel()
        notebook.run_all()
        assert pressed(notebook, "ArrowRight") == (1.1, 1.1)
