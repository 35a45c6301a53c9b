"""How a view's script comes to a page: once for all views, later if need be, and where anywidget gave the model up."""

import pytest
from each_kind import EACH_KIND, VIEWS
from explorers import Numbers, Plain
from ipywidgets import VBox

from lessons.lab import CHECKS
from widgets.base.instrument import library

pytestmark = pytest.mark.browser


def text(bridge):
    return bridge.page.locator(".attnlab").all_inner_texts()


def opened(bridge):
    """What the page was told of new widgets."""
    return [message for message in bridge.outbox if message["kind"] == "open"]


def test_a_script_comes_once_for_all_views(bridge):
    views = [Numbers(values=[float(i)]) for i in range(5)]
    sizes = [len(str(message["data"])) + sum(map(len, message["buffers"])) for message in opened(bridge)]
    assert len(views[0]._esm) < 2000
    assert len([message for message in opened(bridge) if "version" in message["data"]["state"]]) == 1
    assert max(sizes[3:]) < 4000
    ran = """() => { const own = URL.createObjectURL; window.ran = [];
        URL.createObjectURL = (blob) => { window.ran.push(blob.size); return own(blob); }; }"""
    bridge.page.evaluate(ran)
    bridge.show(VBox(views))
    assert text(bridge) == ["0.000", "1.000", "2.000", "3.000", "4.000"]
    assert len([size for size in bridge.page.evaluate("window.ran") if size != len(views[0]._esm.encode())]) == 1


def test_a_script_whose_widget_comes_late_is_waited_for(bridge):
    view = Numbers(values=[1.0])
    late = [m for m in bridge.outbox if "version" in m["data"].get("state", {})]
    bridge.outbox = [m for m in bridge.outbox if m not in late]
    bridge.page.evaluate("(messages) => receive(messages)", bridge._drain())
    bridge.page.evaluate("""() => {
      const get = models.get.bind(models);
      window.missed = 0;
      models.get = (id) => { missed += !models.has(id); return get(id); };
    }""")
    bridge.page.evaluate("(id) => { render(id, document.getElementById('stage')); }", view.model_id)
    bridge.page.wait_for_function("missed > 1")
    assert text(bridge) == [""]
    bridge.page.evaluate("(messages) => receive(messages)", late)
    bridge.page.get_by_text("1.000").wait_for()


def test_a_script_whose_widget_is_gone_is_asked_for(bridge):
    bridge.page.clock.install()
    view = Numbers(values=[1.0])
    bridge.outbox = [m for m in bridge.outbox if "version" not in m["data"].get("state", {})]
    bridge.page.evaluate("(messages) => receive(messages)", bridge._drain())
    bridge.page.evaluate("(id) => { render(id, document.getElementById('stage')); }", view.model_id)
    bridge.page.clock.run_for(4000)
    bridge.settle()
    bridge.page.clock.run_for(2000)
    bridge.page.get_by_text("1.000").wait_for()


def test_a_script_whose_widget_is_never_finished_is_asked_for(bridge):
    """Jupyter's promise of a widget that is being made may stay one."""
    bridge.page.clock.install()
    view = Numbers(values=[1.0])
    [never] = [m["id"] for m in bridge.outbox if "version" in m["data"].get("state", {})]
    bridge.page.evaluate("(messages) => receive(messages)", bridge._drain())
    bridge.page.evaluate(
        """(never) => {
      const get = models.get.bind(models);
      models.get = (id) => id === never ? new Promise(() => {}) : get(id);
    }""",
        never,
    )
    bridge.page.evaluate("(id) => { render(id, document.getElementById('stage')); }", view.model_id)
    for _ in range(6):
        bridge.page.clock.run_for(5000)
        bridge.settle()
    bridge.page.get_by_text("1.000").wait_for()


def test_a_view_that_waits_long_says_what_to_do(bridge):
    bridge.page.clock.install()
    view = Numbers(values=[1.0])
    library(Numbers.bundle).source = b"not gzip"
    bridge.page.evaluate("(messages) => receive(messages)", bridge._drain())
    bridge.page.evaluate("(id) => { render(id, document.getElementById('stage')); }", view.model_id)
    bridge.page.clock.run_for(10_000)
    bridge.page.get_by_text("This view is not here yet").wait_for()
    assert "run all cells again" in text(bridge)[0]


@pytest.mark.parametrize("make", [lambda: Numbers(values=[1.0]), Plain])
def test_a_model_that_anywidget_gave_up_hears_the_kernel(bridge, make):
    """And what was said to it before its script was there comes again."""
    bridge.page.evaluate("window.refusing = true")
    view = make()
    numbers = view.parts["numbers"] if isinstance(view, Plain) else view
    drop(bridge)
    bridge.show(view)
    bridge.page.get_by_text(shown(numbers)).wait_for()
    numbers.values = [5.0]
    bridge.settle()
    assert "5.000" in text(bridge)[0 if numbers is view else 1]


def drop(bridge):
    """What was said to our views after they were made."""
    ours = {m["id"] for m in opened(bridge) if m["data"]["state"]["_model_name"] == "AnyModel"}
    bridge.outbox = [m for m in bridge.outbox if m["kind"] == "open" or m["id"] not in ours]


def shown(numbers):
    return " ".join(f"{x:.3f}" for x in numbers.values)


def test_an_explorer_that_anywidget_gave_up_answers_the_hand(bridge):
    bridge.page.evaluate("window.refusing = true")
    explorer = Plain()
    drop(bridge)
    bridge.show(explorer)
    bridge.page.get_by_text(shown(explorer.parts["numbers"])).wait_for()
    bridge.page.get_by_role("combobox").select_option("down")
    bridge.page.get_by_text("6.000 4.000 2.000").wait_for()
    assert explorer.shape == "down"


def test_what_is_missing_is_seen(bridge):
    """What a lesson's test looks for finds each part of an explorer that has not got its picture."""
    explorer = Plain()
    explorer.parts["controls"].on_msg(explorer.page.receive, remove=True)  # nobody answers
    drop(bridge)
    bridge.show(explorer)
    found = bridge.page.evaluate(f"{CHECKS}\nchecks.notDrawn()")
    for part, fault in [
        ("controls", "it waits for a picture"),
        ("controls", "a slider without a value"),
        ("controls", "a text field without its text"),
        ("controls", "a stepper without a position"),
        ("caption", "no sentence"),
    ]:
        assert any(part in line and fault in line for line in found), (part, fault)
    explorer.parts["controls"].on_msg(explorer.page.receive)
    bridge.page.wait_for_function("checks.notDrawn().length === 0")


def test_a_bar_says_what_to_do_while_there_is_no_picture(bridge):
    bridge.page.clock.install()
    explorer = Plain()
    explorer.parts["controls"].on_msg(explorer.page.receive, remove=True)
    drop(bridge)
    bridge.page.evaluate("(messages) => receive(messages)", bridge._drain())
    bridge.page.evaluate("(id) => { render(id, document.getElementById('stage')); }", explorer.model_id)
    bridge.page.locator(".silence").wait_for(state="attached")
    bridge.page.clock.run_for(8000)
    assert bridge.page.locator(".silence").inner_text().startswith("No picture yet: the kernel is busy")


SCROLLED = ".attnlab-texts p, .attnlab-chart .table, .attnlab-tree .numbers"
HEARD = """() => {
    window.heard = [];
    document.addEventListener("keydown", ({ key, target }) => heard.push(`${key} ${target.outerHTML.slice(0, 60)}`));
}"""


@pytest.fixture
def each_kind(bridge):
    """A page with one small view of each kind, and a listener where a notebook listens."""
    there = {}
    exec(VIEWS, there)
    cells = [
        cell.partition("\n")[0].removeprefix("training = ") for cell in EACH_KIND[1:] if not cell.endswith(".run()")
    ]
    for i, cell in enumerate(cells):
        bridge.show(eval(compile(cell, f"cell {i}", "eval"), there))
    bridge.page.get_by_role("button", name="skip", exact=True).evaluate_all("(all) => all.forEach((el) => el.click())")
    bridge.settle()
    bridge.page.evaluate(HEARD)
    return bridge.page


def press(page, key, elements) -> int:
    """That key on each of these elements that Tab reaches, as a script: a hand takes a minute. How many they are."""
    return page.evaluate(
        """([key, elements]) => {
            const reached = (el) => el.tabIndex >= 0 && el.checkVisibility();
            const pressed = () => new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
            const stops = [...document.querySelectorAll(elements)].filter(reached);
            stops.forEach((el) => el.dispatchEvent(pressed()));
            return stops.length;
        }""",
        [key, elements],
    )


def test_letters_are_no_commands_of_the_notebook(each_kind):
    """D, D deletes a cell, X cuts it."""
    assert press(each_kind, "d", ".attnlab *") > 40
    assert press(each_kind, "x", ".attnlab *") > 40
    assert each_kind.evaluate("heard") == []


def test_arrows_scroll_a_box_and_do_not_lead_to_the_next_cell(each_kind):
    each_kind.evaluate("document.querySelectorAll('.attnlab-chart details').forEach((el) => { el.open = true; })")
    each_kind.evaluate("document.querySelectorAll('.attnlab-tree .numbers').forEach((el) => { el.hidden = false; })")
    assert press(each_kind, "ArrowDown", SCROLLED) >= 3
    assert press(each_kind, "ArrowDown", ".attnlab *") > 40  # buttons and tiles, too
    assert press(each_kind, "Enter", ".attnlab *") > 40
    assert each_kind.evaluate("heard") == []


# Elements that a frame has painted in the colours of a light page.
PALE = """() => { window.pale = []; let painted = []; const frame = () => {
    const wrong = (el) => el.innerText && el.dataset.dark !== "true";
    pale.push(...painted.filter(wrong).map((el) => `${el.className}: ${el.innerText}`));
    painted = [...document.querySelectorAll(".attnlab")]; requestAnimationFrame(frame); }; frame(); }"""


def test_no_view_is_painted_in_the_colours_of_another_page(bridge):
    there = {}
    exec(VIEWS, there)
    bridge.wear(dark=True)
    bridge.page.evaluate(PALE)
    bridge.show(there["Slid"]())
    bridge.settle()
    assert bridge.page.locator(".attnlab").count() > 12
    assert bridge.page.evaluate("pale") == []
