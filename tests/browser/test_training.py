"""Training in the page: buttons, curves, the handle that scrubs the film; and in a real kernel with its subshells."""

import math
import time
from itertools import count, pairwise

import numpy as np
import pytest
from bridge import Bridge, kernel
from playwright.sync_api import expect

from attnlab.training import Step
from widgets.instruments.training.training import Training

pytestmark = pytest.mark.browser

STEPS = 120
EXACT = "held-out sentences exact"  # as long as a name may be


class Learner:
    """A training without a model whose weights tell the step: the first cell is step / 1000."""

    def __init__(self, seconds=0.0, bad=None):
        self.seconds, self.bad, self.step = seconds, bad, 0

    def start(self):
        self.step = 0
        return self.steps()

    def steps(self):
        for self.step in count(1):
            time.sleep(self.seconds)
            metrics = {"exact": self.step / STEPS, "<b>right</b>": 0.25} if self.step % 20 == 0 else {}
            yield Step(self.step, math.nan if self.step == self.bad else 2.5 / self.step, metrics)

    def watch(self):
        return np.full((3, 5), self.step / 1000)


def trained(learner=None, steps=STEPS, **traits):
    learner = learner or Learner()
    labels = {"exact": EXACT}
    training = Training(learner.start, steps, learner.watch, film_every=10, metrics=labels, **traits)
    training.reveal()
    return training


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def handle(page):
    return page.get_by_role("slider", name="step shown")


def said(page):
    return handle(page).get_attribute("aria-valuetext")


def says(page, text):
    """Wait until the handle's reading begins like this."""
    page.wait_for_function(
        """(text) => document.querySelector('[aria-label="step shown"]')
        .getAttribute("aria-valuetext").startsWith(text)""",
        arg=text,
    )


def watch_films(page, matrix):
    """Note the first number of each film message to the Matrix in `films`; None where the kernel's own values show."""
    page.evaluate(
        """(id) => { window.films = []; models.get(id).on("msg:custom", (m) => { if (m.kind === "frame")
        films.push(m.state.values ? m.state.values.data.getFloat32(0, true) : null); }); }""",
        matrix.model_id,
    )


def test_start_pause_step_and_reset(bridge):
    page, standing = bridge.page, bridge.page.locator(".standing")
    training = bridge.show(trained(Learner(seconds=0.03), 1_000_000, seconds=2))  # never done, however slow the hand
    assert standing.inner_text() == "1000000 steps, about 2 s"
    press(page, "Start")
    settle_until(bridge, lambda: training.step > 0)
    press(page, "Pause")
    bridge.settle()
    assert training.state == "paused"
    step = training.step
    assert standing.inner_text() == f"paused at step {step} of 1000000"
    press(page, "Step")
    settle_until(bridge, lambda: training.step > step)
    assert (training.state, training.step) == ("paused", step + 1)
    press(page, "Reset")
    bridge.settle()
    assert (training.state, training.step) == ("ready", 0)
    says(page, "step 0 of 1000000")
    assert page.locator("path.loss").count() == 0


def test_a_press_that_the_kernel_does_not_hear_yet_is_not_silent(bridge):
    page, standing = bridge.page, bridge.page.locator(".standing")
    training = bridge.show(trained(seconds=2))
    page.evaluate("""() => {
        const [hears, held] = [window.kernel, []];
        window.kernel = (...said) => new Promise((heard) => held.push(() => heard(hears(...said))));
        window.goOn = () => { window.kernel = hears; for (const go of held) go(); };
    }""")
    press(page, "Start")
    expect(standing).to_have_text("the kernel is busy: this comes next")
    page.evaluate("goOn()")
    settle_until(bridge, lambda: training.state == "done")
    bridge.settle()
    assert standing.inner_text() == "done: 120 steps"


def settle_until(bridge, holds):
    while not holds():
        bridge.settle(10)


def test_after_a_run_the_page_shows_everything(bridge):
    page = bridge.page
    training = bridge.show(trained())
    training.run()
    bridge.settle()
    says(page, f"step 120 of 120, loss 0.02, {EXACT} 100\u202f%, <b>right</b> 25\u202f%")
    assert page.locator(".standing").inner_text() == "done: 120 steps"
    assert page.locator(".metric path").count() == 2
    assert page.locator(".plot text").filter(has_text="loss 0.02").count() == 1, "the number beside the curve"
    assert page.locator(".training b").count() == 0
    points = page.locator("path.loss").get_attribute("d").count("L") + 1
    assert points == 120
    assert page.get_by_role("button", name="Start", exact=True).get_attribute("aria-disabled") == "true"
    assert "done: 120 steps: loss 0.02" in page.get_by_role("status").first.inner_text()


def test_what_it_came_to_stands_below_the_curves_once_it_is_done(bridge):
    """Its place is kept free before, so that nothing below moves."""
    page, said = bridge.page, bridge.page.locator(".attnlab.training .summary")
    training = bridge.show(trained(summary=lambda found: f"Exact: {found['exact']:.1f}."))
    assert said.inner_text() == ""
    before = page.locator(".attnlab.training").bounding_box()["height"]
    training.run()
    bridge.settle()
    assert said.inner_text() == "Exact: 1.0."
    assert page.locator(".attnlab.training").bounding_box()["height"] == before
    press(page, "Reset")
    bridge.settle()
    assert said.inner_text() == ""


def test_keys_scrub_the_film_without_the_kernel(bridge):
    page = bridge.page
    training = bridge.show(trained())
    training.run()
    bridge.settle()
    watch_films(page, training.matrix)
    page.evaluate("""() => { window.calls = 0; const kernel = window.kernel;
        window.kernel = (message) => { window.calls += 1; return kernel(message); }; }""")
    handle(page).focus()
    keys = {"Home": 0, "ArrowRight": 10, "ArrowUp": 20, "PageUp": 120, "PageDown": 20, "ArrowLeft": 10}
    for key, step in keys.items():
        page.keyboard.press(key)
        bridge.settle()
        says(page, f"step {step} of 120")
        expected = None if step == 120 else pytest.approx(step / 1000)
        assert page.evaluate("films.at(-1)") == expected
    page.keyboard.press("End")
    bridge.settle()
    assert page.evaluate("films.at(-1)") is None
    assert page.evaluate("calls") == 0


def test_the_mouse_scrubs_and_snaps_to_frames(bridge):
    page = bridge.page
    training = bridge.show(trained())
    training.run()
    bridge.settle()
    watch_films(page, training.matrix)
    box = page.locator(".plot").bounding_box()
    knob = page.locator(".handle circle").last.bounding_box()
    assert knob["width"] >= 28
    y, right = knob["y"] + knob["height"] / 2, knob["x"] + knob["width"] / 2
    left = box["x"] + 84
    page.mouse.move(right + 9, y + 9)  # on the target, beside the drawn handle
    page.mouse.down()
    for share in (0.9, 0.6, 0.34):
        page.mouse.move(left + share * (right - left), y)
    page.mouse.up()
    bridge.settle()
    says(page, "step 40 of 120")
    assert page.evaluate("films.at(-1)") == pytest.approx(0.04)
    page.mouse.move(left, y)  # let go: nothing moves any more
    bridge.settle()
    says(page, "step 40 of 120")


def test_the_handle_follows_until_it_is_moved_and_again_from_the_end(bridge):
    page = bridge.page
    training = bridge.show(trained())
    training.run(30)
    bridge.settle()
    says(page, "step 30 of")
    handle(page).focus()
    page.keyboard.press("Home")
    training.run(30)
    bridge.settle()
    says(page, "step 0 of")
    page.keyboard.press("End")
    training.run(30)
    bridge.settle()
    says(page, "step 90 of")


def test_after_a_reset_the_film_follows_again(bridge):
    page = bridge.page
    training = bridge.show(trained())
    training.run(30)
    bridge.settle()
    handle(page).focus()
    page.keyboard.press("Home")
    training.reset()
    training.reveal()
    bridge.settle()
    training.run()
    bridge.settle()
    says(page, "step 120 of")
    assert page.locator(".matrix").evaluate("el => el.attnlab.values().data[0]") == pytest.approx(0.12)


def test_two_views_share_one_handle_as_they_share_one_film(bridge):
    page = bridge.page
    training = bridge.show(trained())
    training.run()
    bridge.show(training)
    handle(page).first.focus()
    page.keyboard.press("Home")
    bridge.settle()
    assert [one.get_attribute("aria-valuenow") for one in handle(page).all()] == ["0", "0"]
    handle(page).last.focus()
    page.keyboard.press("End")
    bridge.settle()
    assert [one.get_attribute("aria-valuenow") for one in handle(page).all()] == ["120", "120"]
    films = page.locator(".matrix").evaluate_all("views => views.map((el) => el.attnlab.values().data[0])")
    assert films == pytest.approx([0.12, 0.12])


def test_of_two_views_one_tells_what_is_new(bridge):
    """That whose button was pressed; the other one where that one is not seen."""
    page = bridge.page
    training = bridge.show(trained())
    bridge.show(training)
    page.evaluate("""() => {
        window.told = [];
        document.querySelectorAll(".training [role=status]").forEach((region, view) =>
            new MutationObserver(() => told.push(view)).observe(region, { childList: true }));
    }""")
    for view in (1, 0):
        page.get_by_role("button", name="Step", exact=True).nth(view).click()
        bridge.settle()
        assert set(page.evaluate("told.splice(0)")) == {view}
    page.locator(".training").first.evaluate("(el) => { el.style.display = 'none'; }")
    training.run()
    bridge.settle()
    assert set(page.evaluate("told")) == {1}


def test_a_resting_button_has_a_whole_ring(bridge):
    """Dimmed, its ring would have less than 3 : 1."""
    page = bridge.page
    bridge.show(trained())
    reset = page.get_by_role("button", name="Reset")
    assert reset.evaluate("(el) => getComputedStyle(el).opacity") == "0.6"
    page.get_by_role("button", name="Step").focus()
    page.keyboard.press("Tab")
    while not reset.evaluate("(el) => el === document.activeElement"):
        page.keyboard.press("Tab")
    assert reset.evaluate("(el) => getComputedStyle(el).opacity") == "1"


def test_axes_do_not_move_while_it_trains(bridge):
    page = bridge.page
    training = bridge.show(trained())
    ticks = page.locator(".plot text.middle").all_text_contents()
    assert ticks == ["0", "20", "40", "60", "80", "100", "120"]
    height = page.locator(".plot").bounding_box()["height"]
    seen = []
    for _ in range(4):
        training.run(30)
        bridge.settle()
        seen.append(page.locator("path.loss").get_attribute("d").split("L")[:3])
        assert page.locator(".plot text.middle").all_text_contents() == ticks
        assert page.locator(".plot").bounding_box()["height"] == height
    assert all(first == seen[0] for first in seen)


def test_a_name_stands_beside_a_piece_of_its_curve_and_lights_it(bridge):
    def steps():
        yield Step(1, 1.0, {name: 1.0 for name in "abcdefgh"}, last=True)

    training = Training(steps, 1, metrics={name: name for name in "abcdefgh"})
    training.reveal()
    bridge.show(training)
    page = bridge.page
    looks = page.locator(".metric").evaluate_all(
        """(all) => all.map((one) => [...one.querySelectorAll("path, line")].map((part) =>
        `${part.getAttribute("stroke")} ${part.getAttribute("stroke-dasharray")}`))"""
    )
    assert len({curve for curve, _ in looks}) == 8
    assert all(curve == key for curve, key in looks)
    page.locator(".metric text", has_text="c").hover()
    clear = page.locator(".metric").evaluate_all("(all) => all.map((one) => getComputedStyle(one).opacity === '1')")
    assert clear == [name == "c" for name in "abcdefgh"]


def test_a_failed_training_shows_why_and_keeps_its_curves(bridge):
    page = bridge.page
    training = bridge.show(trained(Learner(bad=31)))
    with pytest.raises(ValueError, match="step 31"):
        training.run()
    bridge.settle()
    assert "the loss is NaN at step 31" in page.get_by_role("alert").inner_text()
    assert page.locator(".standing").inner_text() == "stopped at step 30 of 120"
    says(page, "step 30 of 120, loss 0.08")


def test_a_second_view_and_a_late_one_show_the_same(bridge):
    page = bridge.page
    training = bridge.show(trained())
    training.run(50)
    bridge.show(training)
    assert [h.get_attribute("aria-valuetext") for h in handle(page).all()] == [said_at(50)] * 2
    training.run(10)
    bridge.settle()
    assert [h.get_attribute("aria-valuetext") for h in handle(page).all()] == [said_at(60)] * 2


def said_at(step):
    exact = 100 * (step // 20 * 20) / STEPS
    return f"step {step} of 120, loss {2.5 / step:.2f}, {EXACT} {exact:.0f}\u202f%, <b>right</b> 25\u202f%"


def test_every_control_is_reached_by_the_keyboard_and_has_a_name(bridge):
    page = bridge.page
    bridge.show(trained()).run(5)
    bridge.settle()
    page.locator("body").click(position={"x": 1, "y": 1})
    names = []
    for _ in range(4):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent"))
    assert names == ["Go on", "Step", "Reset", "step shown"]


@pytest.mark.parametrize(
    ("dark", "width", "keys"), [(True, 584, 17), (False, 660, 5), (True, 1000, 5), (False, 1400, 5)]
)
def test_nothing_lies_outside_or_over_another(page, dark, width, keys):
    learner = Learner()
    learner.watch = lambda: np.full((3, keys), 1 / keys)  # with 17 keys the matrix takes all of a narrow page
    with kernel():
        page.set_viewport_size({"width": width + 60, "height": 700})
        bridge = Bridge(page, dark=dark, width=width)
        bridge.show(trained(learner)).run(100)
        bridge.settle()
        says(page, "step 100")
        boxes = page.locator(".plot text").evaluate_all("(all) => all.map((e) => e.getBoundingClientRect().toJSON())")
        assert all(b["x"] >= 24 and b["x"] + b["width"] <= 24 + width for b in boxes)
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                apart = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
                assert apart or a["y"] + a["height"] <= b["y"] + 3 or b["y"] + b["height"] <= a["y"] + 3


CELL = """
import threading, time
from types import SimpleNamespace
import numpy as np
from widgets.instruments.training.training import Training
threads = set()
def start():
    for step in range(1, 1_000_001):  # never done, however slow the hand
        threads.add(threading.current_thread().name)
        time.sleep(0.01)
        yield SimpleNamespace(step=step, loss=1 / step, metrics={} if step % 20 else {"right": 0.5})
training = Training(start, 1_000_000, lambda: np.full((10, 17), 0.1), film_every=20, name="try")
training
"""
OTHER = """
import ipywidgets
moves = []
slider = ipywidgets.IntSlider(0, 0, 100)
def moved(change):
    with training.lock:
        moves.append((threading.current_thread().name, change.new, training.state))
        if training.state == "paused":
            training.play()
slider.observe(moved, "value")
slider
"""


def test_in_jupyterlab_it_trains_while_another_slider_is_dragged_and_survives_all_that_happens(lab, browser):
    """One kernel for all of it, since it takes seconds to start: buttons, drag, reload, cell run again, restart."""
    lab.write("train.ipynb", [CELL, OTHER])
    with lab.open(browser, "train.ipynb") as notebook:
        page = notebook.page
        notebook.run_all()
        notebook.ask("0")  # connects; a new client reads until the kernel is silent, and one that trains is not
        press(page, "Start")
        until(notebook, "training.step > 0")

        drag(notebook, page.locator(".noUi-handle"))
        assert notebook.ask("training.state") == "running"
        moves = notebook.ask("moves")
        assert len(moves) >= 10
        assert moves[-1][1] == notebook.ask("slider.value") > 50
        assert any(name.startswith("subshell") for name, _, _ in moves)
        assert {state for _, _, state in moves} == {"running"}

        page.locator(".training").scroll_into_view_if_needed()
        press(page, "Pause")
        until(notebook, "training.state == 'paused'")
        step = notebook.ask("training.step")
        press(page, "Step")
        until(notebook, f"training.step > {step} and training.state == 'paused'")
        assert notebook.ask("[training.step, len(training.history)]") == [step + 1, step + 1]
        press(page, "Go on")
        until(notebook, f"training.step > {step + 1}")
        press(page, "Pause")
        until(notebook, "training.state == 'paused'")
        page.locator(".noUi-handle").press("ArrowLeft")  # heard in the subshell, which lets the training go on
        until(notebook, "training.state == 'running'")
        step = notebook.ask("training.step")
        until(notebook, f"training.step > {step}")
        assert notebook.ask("moves[-1][0]").startswith("subshell")
        assert notebook.ask("sorted(threads)") == ["MainThread"]

        notebook.command("docmanager:save")
        page.reload()
        notebook.wait_for_kernel()
        page.locator(".training").scroll_into_view_if_needed()
        press(page, "Pause")
        until(notebook, "training.state == 'paused'")
        step = notebook.ask("training.step")
        assert step > 0
        says(page, f"step {step} of 1000000, loss ")
        press(page, "Reset")
        until(notebook, "[training.step, training.state] == [0, 'ready']")
        press(page, "Start")
        until(notebook, "training.step > 0")

        notebook.execute("first = training")
        notebook.run_all()
        assert notebook.ask("[first.state, first.comm is None, training.state]") == ["paused", True, "ready"]
        press(page, "Start")
        until(notebook, "training.step > 0")
        assert not notebook.complaints()

        page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
        page.locator(".standing", has_text="the kernel was restarted: run all cells again to train").wait_for()
        handle(page).focus()
        page.keyboard.press("Home")
        says(page, "step 0 of 1000000")


def until(notebook, expression):
    notebook.wait_until(lambda: notebook.ask(expression), f"not so: {expression}")


def grasp(notebook, knob):
    """Press the mouse on the knob; returns where. A page that grows above it may move it away under the pointer."""
    place = []

    def held() -> bool:
        notebook.page.mouse.up()
        knob.hover()  # waits until it stands still
        box = knob.bounding_box()
        place[:] = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        notebook.page.mouse.down()
        return "noUi-active" in knob.get_attribute("class")

    notebook.wait_until(held, "the slider was not grasped")
    return place


def drag(notebook, knob):
    """Pull a slider's knob to the right, each time as soon as the kernel has heard of the last pull."""
    x, y = grasp(notebook, knob)
    for pull in range(1, 13):
        heard = notebook.ask("len(moves)")
        notebook.page.mouse.move(x + 12 * pull, y)
        until(notebook, f"len(moves) > {heard}")
    notebook.page.mouse.up()


RUN_ALL = [
    """
from types import SimpleNamespace
from widgets import Predict, Training
def steps():
    for step in range(1, 41):
        yield SimpleNamespace(step=step, loss=1 / step, metrics={"right": 0.5})
asked, loose = Training(steps, 40, name="asked"), Training(steps, 40, name="loose")
Predict("What will it come to?", {"a half": "It is so.", "nothing": "It is more."}, 0, then=asked)
""",
    "loose",
    "asked.run(); loose.run(); [asked.step, loose.step]",
]


def test_who_runs_all_cells_still_guesses_before_the_result(lab, browser):
    lab.write("all.ipynb", RUN_ALL)
    with lab.open(browser, "all.ipynb") as notebook:
        page = notebook.page
        notebook.run_all()
        notebook.wait_until_drawn()
        assert notebook.ask("[asked.state, loose.state]") == ["done", "done"], "the next cells need it"
        views = page.locator(".attnlab.training")
        asked, loose = views.nth(0), views.nth(1)
        assert not asked.is_visible(), "the guess is not made"
        assert loose.locator(".standing").inner_text() == "40 steps, run by a cell: press Start to see them"
        assert loose.locator("path.loss, .metric path").count() == 0
        expect(loose.get_by_role("button", name="Step", exact=True)).to_have_attribute("aria-disabled", "true")
        press(page, "skip")
        asked.wait_for()
        assert asked.locator("path.loss, .metric path").count() == 0
        notebook.reveal_trainings()
        for view in (asked, loose):
            assert view.locator(".standing").inner_text() == "done: 40 steps"
            view.locator("path.loss").wait_for()
        assert not notebook.complaints()


@pytest.mark.parametrize("width", [300, 420, 900])
def test_numbers_stand_below_curves_that_would_have_no_room_beside_them(bridge, page, width):
    bridge.wear(width=width)
    training = bridge.show(trained())
    training.run()
    bridge.settle()
    curves, reading = page.locator(".training .loss").bounding_box(), page.locator(".training .b").first.bounding_box()
    assert curves["width"] >= 180
    assert (reading["x"] > curves["x"] + curves["width"]) == (width > 420)
    assert (reading["y"] > curves["y"] + curves["height"]) == (width <= 420)


@pytest.mark.parametrize("steps", [120, 700, 2000])
def test_on_a_phone_the_steps_below_the_curves_can_be_told_apart(bridge, page, steps):
    bridge.wear(width=356)
    bridge.show(trained(steps=steps))
    boxes = [one.bounding_box() for one in page.locator(".training .plot .middle").all()]
    assert len(boxes) > 1
    assert all(left["x"] + left["width"] + 3 < right["x"] for left, right in pairwise(boxes))
