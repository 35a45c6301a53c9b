"""Explorers as a hand sees them: controls by mouse and keyboard, frames over a slow line, errors, two displays."""

import json
import re
from base64 import b64encode

import pytest
from bridge import Bridge, instances, kernel, without_kernel
from explorers import Plain
from ipywidgets.widgets.widget import _remove_buffers
from playwright.sync_api import expect

from lessons.lab import PATIENCE
from widgets.base.controls import choice, stepper
from widgets.explorers.l00_start_here.temperature import TemperatureExplorer

pytestmark = pytest.mark.browser

# Nothing that the page tells the kernel arrives before it is let go.
HOLD = """() => {
  window.held = [];
  window.answering = window.kernel;
  window.kernel = (message) => new Promise((done) => {
    held.push({ kind: message.data.content?.kind, go: () => answering(message).then(done) });
  });
}"""
LET_GO = "() => { window.kernel = answering; held.splice(0).forEach(({ go }) => go()); }"
LET_FRAMES_GO = """async () => {
  for (let one; (one = held.find(({ kind }) => kind === "frames")); await new Promise(nextFrame)) {
    held.splice(held.indexOf(one), 1);
    await one.go();
  }
}"""
NOTE = """() => {
  const kernel = window.kernel;
  window.sent = [];
  window.kernel = (message) => {
    sent.push(message.data.content);
    return kernel(message);
  };
}"""
SILENT = "() => { window.kernel = () => new Promise(() => {}); }"


# The page's timers and frames wait for `pass(ms)`: no time passes but there.
STOP = """() => {
  const timers = new Map(); // id -> { run, at, every }
  let [now, last] = [Math.ceil(performance.now()), 0];
  const add = (run, ms = 0, every = 0) => (timers.set(++last, { run, at: now + ms, every }), last);
  performance.now = () => now;
  window.setTimeout = (run, ms) => add(run, ms);
  window.setInterval = (run, ms) => add(run, ms, ms);
  window.requestAnimationFrame = (run) => add(() => run(now), 16 - (now % 16));
  window.clearTimeout = window.clearInterval = window.cancelAnimationFrame = (id) => timers.delete(id);
  window.pass = async (ms) => {
    const end = now + ms;
    const first = () => [...timers].sort(([, a], [, b]) => a.at - b.at).find(([, { at }]) => at <= end);
    for (let next; (next = first()); await new Promise(task)) {
      const [id, timer] = next;
      now = timer.at;
      if (timer.every) timer.at += timer.every;
      else timers.delete(id);
      timer.run();
    }
    now = end;
  };
  const task = (done) => { // what was promised is done before the next timer
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  };
}"""


def show_still(bridge, explorer):
    """Draw an explorer and stop the page's clock."""
    bridge.show(explorer)
    bridge.page.evaluate(STOP)
    return explorer


def run_for(page, ms):
    page.evaluate("(ms) => pass(ms)", ms)


def later(bridge, ms):
    """So many ms later (at least a frame) by the page's clock; what was said is answered, and the answer drawn."""
    run_for(bridge.page, ms - 20)
    bridge.settle()
    run_for(bridge.page, 20)
    bridge.settle()


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


def drag_to(page, box, share):
    page.mouse.move(box["x"] + 8 + share * (box["width"] - 16), box["y"] + box["height"] / 2)


# ---- controls


def test_every_control_has_a_name(bridge):
    bridge.show(Plain())
    page = bridge.page
    page.get_by_role("button", name="more").click()
    for role, name in [
        ("slider", "size"),
        ("slider", "count"),
        ("switch", "with a sign"),
        ("combobox", "shape"),
        ("textbox", "word"),
        ("group", "position"),
        ("button", "to the first position"),
        ("button", "one position back"),
        ("button", "play"),
        ("button", "one position forward"),
        ("button", "another"),
        ("button", "reset"),
    ]:
        assert page.get_by_role(role, name=name, exact=True).is_visible(), (role, name)


@pytest.mark.parametrize("lost", [["numbers", "caption", "controls"], ["numbers"]])
def test_a_first_picture_that_is_lost_on_the_way_is_asked_for(bridge, lost):
    bridge.page.evaluate(STOP)
    explorer = Plain()
    parts = {explorer.parts[name].model_id for name in lost}
    bridge.outbox = [message for message in bridge.outbox if message["kind"] == "open" or message["id"] not in parts]
    bridge.show(explorer)
    assert bridge.page.get_by_text("nothing", exact=True).count() == 1
    later(bridge, 1000)
    assert bridge.page.get_by_role("slider", name="size").get_attribute("aria-valuetext") == "2.0"
    assert numbers(bridge.page) == [2, 4, 6]


def test_a_picture_that_cannot_be_shown_does_not_stop_the_next(bridge):
    explorer = bridge.show(Plain())
    bridge.page.evaluate(
        """(id) => models.get(id).trigger("msg:custom",
      { kind: "picture", table: [], frames: [[0, { "nobody": {} }]] }, [new DataView(new ArrayBuffer(0))])""",
        explorer.parts["controls"].model_id,
    )
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
    keys = {
        "ArrowRight": 2.1,
        "ArrowUp": 2.2,
        "ArrowLeft": 2.1,
        "ArrowDown": 2.0,
        "Home": 0.0,
        "PageUp": 0.5,
        "End": 5.0,
        "PageDown": 4.5,
    }
    for key, value in keys.items():
        bridge.page.keyboard.press(key)
        bridge.settle()
        assert explorer.size == pytest.approx(value)
        assert size.get_attribute("aria-valuetext") == f"{value:.1f}"


# When the handle and the numbers changed: [what, ms].
WATCH_HANDLE = """() => {
  window.drawn = [];
  const note = (what) => () => drawn.push([what, performance.now()]);
  const watch = (el, what, options) => new MutationObserver(note(what)).observe(el, options);
  watch(document.querySelector("[type=range]"), "handle", { attributeFilter: ["aria-valuetext"] });
  watch(document.querySelector(".attnlab:not(.controls):not(.caption)"), "numbers",
        { childList: true, subtree: true, characterData: true });
}"""


def without_frames(bridge, monkeypatch):
    """The page of a Plain explorer whose slider "size" has the focus, no frames, and its handle watched."""
    monkeypatch.setattr("widgets.base.frames.SLOW", 0.0)
    show_still(bridge, Plain())
    bridge.page.get_by_role("slider", name="size").focus()
    bridge.settle()
    bridge.page.evaluate(WATCH_HANDLE)
    return bridge.page


def test_a_key_s_handle_waits_for_its_picture(bridge, monkeypatch):
    """Where the picture comes within its patience of 30 ms: both change in one frame of the display."""
    page = without_frames(bridge, monkeypatch)
    page.evaluate(HOLD)
    page.keyboard.press("ArrowRight")
    run_for(page, 20)
    assert page.evaluate("drawn") == []
    page.evaluate(LET_GO)
    bridge.settle()
    run_for(page, 20)
    drawn = page.evaluate("drawn")
    assert {what for what, _ in drawn} == {"handle", "numbers"}
    assert len({ms for _, ms in drawn}) == 1


def test_a_key_s_handle_does_not_wait_long(bridge, monkeypatch):
    page = without_frames(bridge, monkeypatch)
    page.evaluate(SILENT)
    page.evaluate(NOTE)
    pressed = page.evaluate("performance.now()")
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        run_for(page, 10)
    run_for(page, 50)
    size = page.get_by_role("slider", name="size")
    assert size.get_attribute("aria-valuetext") == size.input_value() == "3.2"
    moved = [ms for what, ms in page.evaluate("drawn") if what == "handle"]
    assert 30 <= moved[0] - pressed < 50
    assert len(moved) > 1  # also while keys follow each other
    sent = page.evaluate("sent.map((one) => one?.values?.size)")
    assert [size for size in sent if size] == [2.1, 2.2]  # two under way are enough


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
    bridge.settle()
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
        names.append(
            page.evaluate("document.activeElement.labels?.[0]?.textContent || document.activeElement.textContent")
        )
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


class Kinds(Plain):
    """One of a few, and a picture that changes its controls."""

    kind = choice(["one", "two", "three"], help="which")

    @staticmethod
    def _spec(states):
        return Plain._spec({name: states[name] for name in ("kind", "size", "count", "signed")})

    def picture(self, state, result):
        return {
            "numbers": {"values": result},
            "controls": {"size": {"max": 3.0 if state.signed else 4.0}, "count": {"disabled": state.signed}},
        }


def test_arrows_go_on_from_choice_to_choice(bridge):
    explorer = bridge.show(Kinds())
    bridge.page.get_by_role("radio", name="one").focus()
    for kind in ("two", "three", "one"):
        bridge.page.keyboard.press("ArrowRight")
        bridge.settle()
        assert explorer.kind == kind
        assert bridge.page.evaluate("document.activeElement.textContent") == kind


def test_a_picture_shortens_a_slider_and_takes_a_control_away(bridge):
    explorer = bridge.show(Kinds())
    size, count = (bridge.page.get_by_role("slider", name=name) for name in ("size", "count"))
    size.press("End")
    bridge.settle()
    assert (explorer.size, size.get_attribute("max")) == (4.0, "4")
    explorer.signed = True
    bridge.settle()
    assert (explorer.size, size.get_attribute("max"), size.input_value()) == (3.0, "3", "3")
    assert count.is_disabled()
    explorer.signed = False
    bridge.settle()
    assert count.is_enabled()


# ---- text


def test_text_is_sent_on_enter_on_leaving_and_after_a_pause(bridge):
    explorer = show_still(bridge, Plain())
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
    later(bridge, 550)
    assert explorer.word == "seven", "it waits for more"
    later(bridge, 100)
    assert explorer.word == "eight"


def test_text_stays_with_its_error(bridge):
    explorer = bridge.show(Plain())
    page, word = bridge.page, bridge.page.get_by_role("textbox")
    word.fill("s1x")
    word.press("Enter")
    bridge.settle()
    assert page.get_by_role("alert").inner_text() == "expected a word of letters, got 's1x'"
    assert page.locator(".say").get_attribute("class") == "say old"
    assert word.input_value() == "s1x"
    assert numbers(page) == [2, 4, 6]
    assert explorer.word == "s1x"
    word.fill("six")
    word.press("Enter")
    bridge.settle()
    assert not page.get_by_role("alert").is_visible()


def test_typing_on_is_not_overwritten_by_an_answer(bridge):
    explorer = show_still(bridge, Plain())
    page, word = bridge.page, bridge.page.get_by_role("textbox")
    page.evaluate(HOLD)
    word.fill("six")
    word.press("Enter")
    page.keyboard.type("teen")
    page.evaluate(LET_GO)
    later(bridge, 100)
    assert explorer.word == "six"
    assert word.input_value() == "sixteen"
    page.keyboard.type("s")
    explorer.word = "eight"
    later(bridge, 100)
    assert word.input_value() == "sixteens", "nor by what Python says"


@pytest.mark.parametrize("word", ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "🙂 مرحبا"])
def test_nothing_is_read_as_markup(bridge, word):
    bridge.page.on("dialog", lambda dialog: pytest.fail("executed"))
    explorer = bridge.show(Plain(word=word))
    assert word in bridge.page.get_by_role("alert").inner_text()
    assert bridge.page.locator("img").count() == 0
    assert explorer.word == word


# ---- frames


def test_a_drag_with_frames_needs_no_kernel(bridge):
    """The kernel says nothing while the hand moves, and every frame of the display has the picture of the handle."""
    explorer = bridge.show(Plain())
    page = bridge.page
    slider = page.get_by_role("slider", name="size")
    box = grab(page, slider)
    bridge.settle()  # the frames arrive once
    page.evaluate(HOLD)
    page.evaluate("window.painted = []")
    for share in (0.1 + 0.02 * i for i in range(40)):
        drag_to(page, box, share)
        page.wait_for_function("""() => {
          const shown = painted.at(-1)?.[1].split(" ")[0];
          return Math.abs(shown - document.querySelector("[type=range]").value) < 1e-3;
        }""")
    values = [float(content.split()[0]) for _, content in page.evaluate("painted")]
    assert len(values) > 20
    assert values == sorted(values)
    assert page.evaluate("held.length") < 20, "one message a move"
    page.mouse.up()
    page.wait_for_function("held.length > 0")
    page.evaluate(LET_GO)
    bridge.settle()
    assert numbers(page) == pytest.approx([explorer.size, 2 * explorer.size, 3 * explorer.size], abs=1e-3)
    assert slider.input_value() == f"{explorer.size:g}"
    assert explorer.size == pytest.approx(0.88 * 5, abs=0.2)


def test_older_answers_do_not_disturb_frames(bridge):
    """The first moves went to the kernel before the frames were there; their answers come while these play."""
    explorer = show_still(bridge, Plain())
    page = bridge.page
    page.evaluate(HOLD)
    box = grab(page, page.get_by_role("slider", name="size"))
    drag_to(page, box, 0.55)
    page.evaluate(LET_FRAMES_GO)
    assert page.evaluate("held.map(({ kind }) => kind)") == ["move", "move"]
    page.evaluate("window.painted = []")
    for i in range(14):
        drag_to(page, box, 0.6 + 0.02 * i)
        if i in (4, 9):
            page.evaluate("held.shift().go()")
        run_for(page, 20)
    painted = [float(content.split()[0]) for _, content in page.evaluate("painted")]
    assert len(set(painted)) > 10
    assert painted == sorted(painted)
    assert painted[0] == pytest.approx(0.6 * 5, abs=0.1)
    page.mouse.up()
    page.evaluate(LET_GO)
    later(bridge, 500)
    assert numbers(page)[0] == painted[-1] == pytest.approx(explorer.size)


def test_live_path_before_the_frames_and_without_any(bridge, monkeypatch):
    monkeypatch.setattr("widgets.base.frames.SLOW", 0.0)
    explorer = bridge.show(Plain())
    page = bridge.page
    size = page.get_by_role("slider", name="size")
    size.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    bridge.settle()
    assert explorer.size == pytest.approx(2.3)
    assert numbers(page)[0] == pytest.approx(2.3)


def test_frames_are_asked_for_again_when_something_else_has_changed(bridge):
    explorer = show_still(bridge, Plain())
    page = bridge.page
    page.evaluate(NOTE)
    size, count = page.get_by_role("slider", name="size"), page.get_by_role("slider", name="count")
    size.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        later(bridge, 500)
    assert page.evaluate(ASKED) == 1
    count.focus()
    page.keyboard.press("End")
    later(bridge, 500)
    size.focus()
    for key in ("Home", "ArrowRight"):
        page.keyboard.press(key)
        later(bridge, 500)
    assert page.evaluate(ASKED) == 2
    assert (explorer.size, explorer.count) == (0.1, 7)
    assert numbers(page) == pytest.approx([0.1 * i for i in range(1, 8)], abs=1e-3)


# How often the first of the slider's frames were asked for.
ASKED = """sent.filter((one) => one?.kind === "frames" && one.name === "size" && !one.have).length"""


def with_frames(bridge):
    """A Plain explorer and its slider "size", whose frames have arrived, on a clock that stands still."""
    explorer = show_still(bridge, Plain())
    size = bridge.page.get_by_role("slider", name="size")
    size.focus()
    bridge.settle()
    return explorer, size


def test_frames_over_positions_without_a_picture(bridge):
    (explorer, _), page = with_frames(bridge), bridge.page
    page.evaluate(HOLD)
    page.keyboard.press("End")
    run_for(page, 20)
    assert page.get_by_role("alert").inner_text() == "expected a size up to 4.5, got 5.0"
    assert explorer.size == 2.0  # the frames told it, not the kernel
    assert numbers(page) == [2, 4, 6]
    page.keyboard.press("Home")
    run_for(page, 20)
    assert page.get_by_role("alert").is_hidden()
    assert numbers(page) == [0, 0, 0]
    page.evaluate(LET_GO)
    page.keyboard.press("ArrowRight")
    later(bridge, 500)
    assert explorer.size == pytest.approx(0.1)


def test_python_ends_the_frames(bridge):
    (explorer, size), page = with_frames(bridge), bridge.page
    page.keyboard.press("ArrowRight")
    later(bridge, 500)
    explorer.size = 4.0
    later(bridge, 100)
    assert numbers(page) == [4, 8, 12]
    assert size.input_value() == "4"


def test_a_model_that_learns_is_not_asked_for_frames_all_the_time(bridge):
    """Once in 400 ms."""
    explorer = show_still(bridge, Plain())
    page = bridge.page
    page.evaluate(NOTE)
    page.get_by_role("slider", name="size").focus()
    for _ in range(10):
        explorer.refresh()
        later(bridge, 100)
        page.keyboard.press("ArrowRight")
    later(bridge, 500)
    assert page.evaluate(ASKED) == 3
    assert explorer.size == pytest.approx(3.0)
    assert numbers(page)[0] == pytest.approx(3.0)


def test_a_kernel_that_does_not_answer(bridge):
    show_still(bridge, Plain())
    page, silence = bridge.page, bridge.page.locator(".silence")
    page.evaluate(SILENT)
    page.get_by_role("slider", name="size").focus()
    page.keyboard.press("ArrowRight")
    run_for(page, 3900)
    assert silence.inner_text() == ""
    run_for(page, 200)
    assert "run all cells again" in silence.inner_text()


def test_a_kernel_that_is_gone(bridge):
    show_still(bridge, Plain())
    page, size = bridge.page, bridge.page.get_by_role("slider", name="size")
    page.evaluate("() => { Model.prototype.send = () => { throw new Error('Cannot send'); }; }")
    size.focus()
    page.keyboard.press("ArrowRight")
    later(bridge, 100)
    assert size.get_attribute("aria-valuetext") == "2.1"
    later(bridge, 4000)
    assert "run all cells again" in page.locator(".silence").inner_text()
    assert bridge.errors == []  # nor is anything thrown into the page


def test_a_page_without_a_kernel(bridge):
    page = bridge.page
    with without_kernel(page):
        show_still(bridge, Plain())
    assert page.locator(".silence").inner_text() == (
        "There is no kernel behind this page: the picture stays as it was saved."
    )
    inputs = page.locator(".controls").locator("input, select, button:not([aria-expanded])")
    assert inputs.count() > 5
    assert inputs.evaluate_all("all => all.every((input) => input.disabled)")
    assert page.get_by_role("slider", name="size").get_attribute("aria-valuetext") == "2.0"
    assert "five at 1 is 2.00" in page.locator(".caption").inner_text()
    later(bridge, 9000)
    assert "busy" not in page.locator("#stage").inner_text()
    assert bridge.errors == []


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
            bridge.settle()
        assert explorer.position == end
        assert page.evaluate("document.activeElement.ariaLabel") == name
        assert page.get_by_role("button", name=name).is_disabled()


def test_stepper(bridge):
    explorer = bridge.show(Stepping())
    page = bridge.page
    press = lambda name: (page.get_by_role("button", name=name).click(), bridge.settle())  # noqa: E731
    assert page.locator(".at").inner_text() == "position 1 of 3"
    assert page.get_by_role("button", name="one position back").is_disabled()
    press("one position forward")
    assert explorer.position == 2
    assert len(numbers(page)) == 2
    page.get_by_role("button", name="one position forward").focus()
    page.keyboard.press("End")
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
    explorer = show_still(bridge, Stepping(count=7))
    page, at = bridge.page, bridge.page.locator(".at")
    page.get_by_role("button", name="play").click()
    later(bridge, 50)
    for position in (1, 2, 3):
        later(bridge, 400)
        assert at.inner_text() == f"position {position} of 7"
        later(bridge, 100)
        assert at.inner_text() == f"position {position + 1} of 7"
    page.get_by_role("button", name="pause").click()
    later(bridge, 2000)
    assert at.inner_text() == "position 4 of 7"
    assert explorer.position == 4
    page.get_by_role("button", name="play").click()
    later(bridge, 2500)
    assert page.get_by_role("button", name="play").is_visible()  # it ends by itself
    assert explorer.position == 7
    page.get_by_role("button", name="play").click()
    later(bridge, 50)
    assert at.inner_text() == "position 1 of 7", "from the end it begins anew"


def test_play_without_motion(bridge):
    bridge.page.emulate_media(reduced_motion="reduce")
    explorer = bridge.show(Stepping(count=3))
    bridge.page.get_by_role("button", name="play").click()
    bridge.settle()
    assert explorer.position == 3


# ---- caption


def test_code_follows_and_can_be_copied(bridge):
    explorer = show_still(bridge, Plain())
    page = bridge.page
    page.get_by_text("the code of this picture").first.click()
    assert page.locator("pre").inner_text() == explorer.parts["caption"].code
    explorer.size = 3.5
    later(bridge, 100)
    assert "values = 3.5 *" in page.locator("pre").inner_text()
    page.evaluate("document.execCommand = (what) => { window.copied = document.activeElement.value; return true; }")
    page.get_by_role("button", name="copy").click()
    page.get_by_role("button", name="copied").wait_for()
    assert page.evaluate("window.copied") == explorer.parts["caption"].code
    assert page.evaluate("document.activeElement.textContent") == "copied", "the keyboard is where it was"
    later(bridge, 1500)
    assert page.get_by_role("button", name="copy", exact=True).is_visible()


def test_sentence_is_spoken_when_the_hand_rests(bridge):
    explorer = show_still(bridge, Plain())
    spoken = bridge.page.locator("[aria-live=polite]")
    assert spoken.inner_text() == ""
    explorer.size = 3.0
    later(bridge, 50)
    assert "five at 1 is 3.00" in bridge.page.locator(".say").inner_text()
    later(bridge, 600)
    assert spoken.inner_text() == ""
    later(bridge, 150)
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
    bridge.settle()
    assert sizes.nth(0).input_value() == sizes.nth(1).input_value() == "2.1"
    assert page.get_by_text("five at 1 is 2.10").count() == 2


def test_page_reload_shows_today_s_state(bridge, browser):
    explorer = bridge.show(Plain())
    size = bridge.page.get_by_role("slider", name="size")
    size.focus()
    bridge.page.keyboard.press("End")
    bridge.page.keyboard.press("PageDown")
    bridge.settle()
    assert explorer.size == 4.5
    fresh = browser.new_page()
    reloaded = Bridge(fresh)
    for widget in list(instances.values()):
        state, paths, buffers = open_message(widget)
        reloaded.outbox.append({
            "id": widget.model_id,
            "kind": "open",
            "data": {"state": state, "buffer_paths": paths},
            "buffers": buffers,
        })
    reloaded.show(explorer)
    assert numbers(fresh) == [4.5, 9, 13.5]
    fresh.get_by_role("slider", name="size").focus()
    fresh.keyboard.press("ArrowLeft")
    reloaded.settle()
    assert explorer.size == 4.4
    assert numbers(fresh)[0] == 4.4
    fresh.close()


def open_message(widget):
    """What a kernel tells a page that asks for a widget's state."""
    state, paths, buffers = _remove_buffers(widget.get_state())
    return json.loads(json.dumps(state, default=str)), paths, [b64encode(bytes(b)).decode() for b in buffers]


def test_closed_while_frames_are_on_their_way(bridge):
    """The page asks for it before it has heard that the explorer is gone, and once more after."""
    explorer = bridge.show(Plain())
    page = bridge.page
    page.get_by_role("slider", name="size").focus()
    explorer.close()
    page.keyboard.press("ArrowRight")
    bridge.settle()
    page.keyboard.press("ArrowRight")
    bridge.settle()
    assert bridge.errors == []


# ---- look


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 1000, 1400])
def test_bar_ends_with_the_picture(page, width, dark):
    page.set_viewport_size({"width": width + 60, "height": 640})
    with kernel():
        bridge = Bridge(page, dark=dark, width=width)
        bridge.show(TemperatureExplorer())
        bar, matrix = page.locator(".controls"), page.locator("canvas").first
        ends = bar.bounding_box()["x"] + bar.bounding_box()["width"]
        assert ends <= 24 + width
        picture = matrix.evaluate(
            "el => parseFloat(getComputedStyle(el.closest('.attnlab')).getPropertyValue('--picw'))"
        )
        assert bar.bounding_box()["width"] == pytest.approx(min(picture, width), abs=1)
        assert bar.bounding_box()["height"] < 40
        heights = page.locator(".controls button, .controls input, .controls select").evaluate_all(
            "all => all.map((el) => el.getBoundingClientRect().height)"
        )
        assert set(heights) == {28}


def test_temperature_by_hand(bridge):
    explorer = bridge.show(TemperatureExplorer())
    page = bridge.page
    page.get_by_role("slider", name="temperature").focus()
    bridge.settle()
    page.keyboard.press("Home")
    bridge.settle()
    assert explorer.temperature == 0.1
    assert re.search("so cold, softmax is a choice", page.locator(".say").inner_text())
    page.keyboard.press("End")
    bridge.settle()
    assert "so hot, softmax is nearly an average" in page.locator(".say").inner_text()


# ---- in Jupyter itself, together with a Matrix of no explorer: one notebook for all of it

MATRIX = """\
import numpy as np
from widgets import Matrix

matrix = Matrix(np.full((4, 5), 0.2), editing="mask", mask=np.ones((4, 5)))
matrix"""
CELL = "from widgets import TemperatureExplorer\nexplorer = TemperatureExplorer()\nexplorer"
BOX = """\
from ipywidgets import Tab
from widgets import Predict

boxed = TemperatureExplorer()
Tab([boxed, Predict("Which?", {"a": "yes", "b": "no"}, answer="a", then=TemperatureExplorer())])"""
LIVING = """[type(one).__name__ for one in __import__("ipywidgets").widgets.widget._instances.values()
             if type(one).__name__ in ("Controls", "Caption", "Matrix")]"""
WAIT = 1000 * PATIENCE


@pytest.fixture(scope="module")
def notebook(browser, lab):
    lab.write("explorer.ipynb", [MATRIX, CELL, BOX])
    with lab.open(browser, "explorer.ipynb", height=1800) as notebook:
        notebook.run_all()
        yield notebook


def pressed(notebook, start, key, explorer="explorer", nth=0) -> tuple[float, float]:
    """Press a key on a slider that stands at `start`, wait until page and kernel say the same; what that is."""
    slider = notebook.page.get_by_role("slider", name="temperature").nth(nth)
    expect(slider).to_have_value(f"{start:g}", timeout=WAIT)
    slider.focus()
    notebook.page.keyboard.press(key)
    expect(slider).not_to_have_value(f"{start:g}", timeout=WAIT)

    def agree() -> bool:
        said = notebook.page.locator(".say").nth(nth).inner_text()
        moved = notebook.ask(f"{explorer}.temperature") == float(slider.input_value())
        return moved and notebook.ask(f"repr({explorer})").endswith(said)

    notebook.wait_until(agree, "page and kernel say different things")
    return float(slider.input_value()), notebook.ask(f"{explorer}.temperature")


def test_only_the_cursor_that_is_seen_blinks(notebook):
    notebook.page.get_by_role("slider", name="temperature").first.wait_for()
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


def test_in_jupyterlab_the_hand_reaches_the_kernel(notebook):
    canvas = notebook.page.locator(".attnlab.matrix canvas").first
    place = canvas.evaluate("""(el) => {
      const cell = el.closest(".attnlab").attnlab.cell(0, 1, 2), box = el.getBoundingClientRect();
      return { x: cell.x - box.x, y: cell.y - box.y };
    }""")
    canvas.click(position=place)
    notebook.page.keyboard.press("ArrowDown")
    notebook.page.keyboard.press("Space")
    mask = [[1.0] * 5 for _ in range(4)]
    mask[1][2] = mask[2][2] = 0.0
    notebook.wait_until(
        lambda: notebook.ask("[matrix.selected, matrix.mask[0].tolist()]") == [[0, 2, 2], mask],
        "the kernel has not heard what was clicked and pressed",
    )
    assert not notebook.complaints()


def test_in_jupyterlab_run_again_and_reloaded(notebook):
    """On its own and in a box; a box that held a closed explorer would be in the way of all views of the page."""
    expect(notebook.page.locator(".controls:visible")).to_have_count(2, timeout=WAIT)
    assert pressed(notebook, 1, "ArrowRight") == (1.1, 1.1)
    assert pressed(notebook, 1, "ArrowLeft", "boxed", 1) == (0.9, 0.9)
    living = notebook.ask(LIVING)
    notebook.run_all()
    expect(notebook.page.get_by_role("slider", name="temperature").nth(1)).to_have_value("1", timeout=WAIT)
    assert pressed(notebook, 1, "End") == (4.0, 4.0)
    assert sorted(notebook.ask(LIVING)) == sorted([*living, "Matrix"]), "nobody closes a Matrix of no explorer"
    expect(notebook.page.locator(".controls:visible")).to_have_count(2, timeout=WAIT)
    notebook.command("docmanager:save")
    notebook.page.reload()
    notebook.wait_for_kernel()
    expect(notebook.page.locator(".controls:visible")).to_have_count(2, timeout=WAIT)
    assert pressed(notebook, 4, "ArrowLeft") == (3.9, 3.9)
    assert pressed(notebook, 1, "ArrowRight", "boxed", 1) == (1.1, 1.1)
    assert not notebook.complaints()


def test_arrow_keys_in_notebook_7(notebook):
    """The same notebook and kernel, opened there; run again, so that all of it is as it was at first."""
    notebook.go("notebooks/explorer.ipynb")
    notebook.wait_for_kernel()
    notebook.run_all()
    assert pressed(notebook, 1, "ArrowRight") == (1.1, 1.1)
    notebook.page.locator(".attnlab.matrix canvas").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        notebook.page.keyboard.press(key)
    notebook.wait_until(lambda: notebook.ask("matrix.selected") == [0, 1, 1], "the matrix has not heard the keys")


# ---- moments


def test_a_moment_goes_from_one_view_to_another_by_hand(bridge):
    """Copied by one click, pasted by keys alone; the bar then goes on as ever."""
    first, second = bridge.show(Plain(count=5, word="seven")), bridge.show(Plain())
    page = bridge.page
    page.get_by_role("button", name="share").first.click()
    page.get_by_role("button", name="copy this moment").click()
    bridge.settle()
    assert page.get_by_text(f"Copied, {len(first.moment)} letters").is_visible()
    page.get_by_role("button", name="share").last.focus()
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="open a moment").last.focus()
    page.keyboard.press("Control+V")
    page.keyboard.press("Enter")
    bridge.settle()
    assert page.get_by_text("Opened.").is_visible()
    assert repr(second) == repr(first)
    assert page.get_by_role("textbox", name="word").last.input_value() == "seven"
    page.get_by_role("slider", name="count").last.focus()
    page.keyboard.press("ArrowRight")
    bridge.settle()
    assert (first.count, second.count) == (5, 6)


def test_a_moment_that_was_changed_says_so_and_nothing_is_lost(bridge):
    explorer = bridge.show(Plain(count=5))
    page = bridge.page
    page.get_by_role("button", name="share").click()
    page.get_by_role("button", name="open").click()
    assert "First paste a moment" in page.locator(".moment .said").inner_text()
    wrong = Plain(count=2).moment[:-2] + "xx"
    page.get_by_role("textbox", name="open a moment").fill(wrong)
    page.get_by_role("button", name="open").click()
    bridge.settle()
    assert "letters were changed or lost on the way" in page.locator(".moment .said").inner_text()
    assert page.get_by_role("textbox", name="open a moment").input_value() == wrong
    assert explorer.count == 5
    assert numbers(page) == [2, 4, 6, 8, 10]
    size = page.get_by_role("slider", name="size")
    size.focus()
    page.keyboard.press("ArrowRight")
    bridge.settle()
    assert explorer.size == pytest.approx(2.1)
