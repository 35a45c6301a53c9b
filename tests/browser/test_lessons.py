"""Every lesson as a learner meets it: real Chromium, real JupyterLab, the network closed; each is run once.

The outputs of that run are compared with the committed ones here, by nbval's own rules. Without Chromium nbval runs
the lessons itself; see conftest.py at the root.
"""

from functools import partial
from itertools import compress
from pathlib import Path

import nbformat
import pytest
from alive import KERNEL, assert_matrices_agree, said_about_nothing
from outputs import differences

from lessons import build

pytestmark = [pytest.mark.browser, pytest.mark.timeout(3600)]  # a lesson takes a minute or two; ten on a busy machine

FOLDER = Path(__file__).resolve().parents[2] / "lessons"
LESSONS = sorted(path.name for path in FOLDER.glob("[0-9]*.ipynb"))


@pytest.fixture(scope="module")
def window(lab, browser):
    """JupyterLab, in which one lesson is opened after the other."""
    with lab.open(browser, lab.write("first.ipynb", [])) as window:
        yield window


@pytest.fixture(scope="module", params=LESSONS)
def lesson(request, window):
    """The lesson, every cell run."""
    window.turn_to(f"lessons/{request.param}")
    window.run_all()
    window.execute(KERNEL)
    skip_guesses(window)
    window.reveal_trainings()
    return window


def skip_guesses(lesson):
    """Some views appear once their question is answered or skipped."""
    questions = lesson.page.locator(".attnlab.predict")
    for i in range(questions.count()):
        questions.nth(i).get_by_role("button", name="skip", exact=True).click()


def first_sliders(lesson):
    """The first slider of each explorer that has one, scrolled to before it is used."""
    found = lesson.page.locator(".attnlab-explorer:has(input[type=range])")
    for i in range(found.count()):
        slider = found.nth(i).locator("input[type=range]").first
        slider.scroll_into_view_if_needed()
        yield slider


def controls(lesson) -> list[dict]:
    return lesson.ask("[dict(c.values) for c in _all('Controls')]")


def assert_moved(lesson, before, slider):
    """One explorer's state has changed in the kernel, to what the slider shows."""

    def moved():
        changes = [
            new[name]
            for old, new in zip(before, controls(lesson), strict=True)
            for name in new
            if old.get(name) != new[name] and isinstance(new[name], (int, float))
        ]
        return any(abs(value - float(slider.input_value())) < 1e-6 for value in changes)

    try:
        lesson.wait_until(moved, "the kernel did not follow the slider")
    except TimeoutError as error:
        error.add_note(f"the slider is at {slider.input_value()}, the kernel had {before} and has {controls(lesson)}")
        raise


def test_every_cell_runs(lesson):
    assert lesson.complaints() == []


def test_outputs_are_the_committed_ones(lesson, request):
    found = differences(request.session, FOLDER / Path(lesson.name).name, lesson.cells())
    assert not found, "\n\n".join(found)


def test_alt_texts_say_what_is_seen(lesson):
    """Of a view that a later cell has trained or moved, as it is then: when it is pictured."""
    committed = build.outputs(nbformat.read(FOLDER / Path(lesson.name).name, 4))
    alts = [output.metadata["image/png"]["alt"] for output in committed if "image/png" in output.get("data", {})]
    ran = lesson.notebook()
    shown = ["text/markdown" not in view.data for view in build.views_in(ran)]
    assert alts == list(compress(build.words(lesson, ran), shown))


def test_every_view_is_drawn(lesson):
    lesson.wait_until_drawn()
    views = lesson.page.locator(".attnlab-explorer")
    assert [i for i in range(views.count()) if not views.nth(i).is_visible()] == []
    made = lesson.ask("len(_all('Matrix') + _all('Chart') + _all('Training') + _all('Predict'))")
    assert (lesson.page.locator(".attnlab").count() > 0) == (made > 0)


def test_page_shows_the_kernels_numbers(lesson):
    assert_matrices_agree(lesson)


def test_slider_by_keyboard(lesson):
    for slider in first_sliders(lesson):
        before = controls(lesson)
        at_the_end = slider.evaluate("(el) => el.valueAsNumber >= Number(el.max)")
        slider.focus()
        for _ in range(3):
            lesson.page.keyboard.press("ArrowLeft" if at_the_end else "ArrowRight")
        assert_moved(lesson, before, slider)
        assert_matrices_agree(lesson)
    assert lesson.complaints() == []


def test_slider_by_mouse(lesson):
    for slider in first_sliders(lesson):
        before = controls(lesson)
        share = slider.evaluate("(el) => (el.valueAsNumber - el.min) / (el.max - el.min)")
        drag = partial(dragged, lesson.page, slider, share, 0.75 if share < 0.5 else 0.25)
        lesson.wait_until(drag, "the slider does not follow the mouse")
        assert_moved(lesson, before, slider)
        assert_matrices_agree(lesson)
    assert lesson.complaints() == []


def dragged(page, slider, share: float, target: float) -> bool:
    """Drag the handle from one share of its way to another; whether it went along."""
    was = slider.input_value()
    if not grab(page, slider, share):
        return False
    box = slider.bounding_box()
    page.mouse.move(at(box, target), box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    return slider.input_value() != was


def at(box: dict, share: float) -> float:
    """Where a slider's handle lies that stands at `share` of its way; it is 16 pixels wide and stays within."""
    return box["x"] + 8 + share * (box["width"] - 16)


def grab(page, slider, share: float) -> bool:
    """Press the mouse on the slider's handle; whether it holds it: JupyterLab may still move the cells above."""
    page.mouse.up()
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.mouse.move(at(box, share), box["y"] + box["height"] / 2)
    page.mouse.down()
    return slider.evaluate("(el) => el.matches(':active')") and slider.bounding_box() == box


# In the kernel: of each explorer, what its code says, run with what the notebook has defined, beside what is seen.
CODES = """def _codes():
    import numpy
    from widgets.base.explorer import Explorer
    from ipywidgets.widgets.widget import _instances
    wrong = []
    for one in list(_instances.values()):
        if not (isinstance(one, Explorer) and one.parts["caption"].code) or one.parts["caption"].error:
            continue
        one.refresh()
        code, names = one.parts["caption"].code, dict(globals())
        try:
            exec(code, names)
            for name, place in one.shows.items():
                seen = place(one.parts) if callable(place) else getattr(one.parts[place[0]], place[1])
                given = getattr(names[name], "detach", lambda: names[name])()
                numpy.testing.assert_allclose(numpy.squeeze(given), numpy.squeeze(seen), atol=1e-4)
        except Exception as error:
            wrong.append(f"{type(one).__name__}: {type(error).__name__} {error}\\n{code}")
    return wrong"""


def test_code_under_each_picture_runs_in_the_notebook(lesson):
    """And gives the numbers of the picture, with the names that the lesson has."""
    lesson.execute(CODES)
    assert lesson.ask("_codes()") == []


def test_every_control_has_a_name(lesson):
    assert lesson.check("nameless") == []


def test_every_control_is_reached_by_the_keyboard(lesson):
    assert lesson.check("unreachable") == []


def test_light_and_dark(lesson):
    """The theme's change is followed by every view, and nothing complains."""
    for theme in ("Dark", "Light"):
        lesson.theme(theme)
        lesson.wait_until(lambda theme=theme: set(lesson.check("themes")) <= {theme}, f"a view has not become {theme}")
    assert lesson.complaints() == []


@pytest.mark.skipif(not LESSONS, reason="no lesson is built")
def test_voila(lab, browser):
    """Voila runs the cells before it answers, and shows no code."""
    usual = said_about_nothing(lab, browser, "voila/render", ".jp-OutputArea-output")
    with lab.page(browser, f"lessons/{LESSONS[0]}") as lesson:
        lesson.go(f"voila/render/lessons/{LESSONS[0]}")
        matrix = lesson.page.locator(".attnlab.matrix").first
        matrix.wait_for(state="attached")
        skip_guesses(lesson)
        matrix.wait_for()
        lesson.wait_until_drawn()
        slider = lesson.page.locator(".attnlab-explorer input[type=range]").first
        before = matrix.evaluate("(el) => el.attnlab.values().data")
        slider.focus()
        lesson.page.keyboard.press("End")
        lesson.wait_until(lambda: matrix.evaluate("(el) => el.attnlab.values().data") != before, "the matrix stayed")
        assert {*lesson.errors, *lesson.outside} <= usual
