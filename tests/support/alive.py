"""Whether all that a notebook shows is alive: guesses, explorers and trainings answer a hand and hear the kernel."""

import nbformat
from hands import move
from playwright.sync_api import expect

PATIENCE = 300_000  # ms; nothing here is about how fast it is
REFUSED = "[anywidget] Failed to initialize model."  # said once by each that was given up before a word of the kernel's

# Before the cells of a lesson: its trainings go through all their steps, of which three train. So what its cells assert
# of a trained model does not hold, and is not asked: the lessons' own run does that.
BRIEF = """import ast, attnlab, attnlab.training
class _NothingAsserted(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Pass(), node)
get_ipython().ast_transformers.append(_NothingAsserted())
_fit = attnlab.training.fit
def _brief(model, loss, steps, *more, **named):
    for step in _fit(model, loss, min(steps, 3), *more, **named):
        yield step._replace(last=step.step == steps)
    for number in range(4, steps + 1):
        yield step._replace(step=number, last=number == steps)
attnlab.fit = attnlab.training.fit = _brief"""

# The kernel's side: every open widget of a class, by the name of the class; and the numbers of each matrix.
KERNEL = """import numpy as _numpy
from ipywidgets.widgets.widget import _instances
def _all(name):
    return [w for w in list(_instances.values()) if type(w).__name__ == name]
def _frames():
    return [None if m.values is None else _numpy.asarray(m.values[m.frame]).ravel().tolist() for m in _all("Matrix")]"""


def cells_of(lab, lesson: str) -> list[str]:
    """The code cells of a lesson."""
    notebook = nbformat.read(lab.root / "lessons" / f"{lesson}.ipynb", 4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def guess_all(notebook):
    """Each guess is answered, and the kernel knows it."""
    guesses = notebook.page.locator(".attnlab.predict")
    asked = notebook.ask("len(_all('Ask'))")
    notebook.wait_until(lambda: guesses.count() == asked, f"{asked} guesses are not all in the page")
    for i in range(guesses.count()):
        guess = guesses.nth(i)
        number, cell = guess.get_by_role("textbox"), guess.get_by_role("button", name="this cell")
        if number.count():
            number.fill("0.5")
            number.press("Enter")
        elif cell.count():
            guess.locator("xpath=following::canvas[1]").click()  # in the middle of its matrix
            cell.click()
        else:
            guess.locator(".answers button").first.click()
        expect(guess.locator(".why")).not_to_be_empty(timeout=PATIENCE)
    known = "all(w.guess is not None or w.skipped for w in _all('Ask'))"
    notebook.wait_until(lambda: notebook.ask(known), "a guess is unknown to the kernel")


def move_all(notebook):
    """Each bar's first control that can be moved is moved: the kernel follows, and its answer arrives."""
    bars = notebook.page.locator(".attnlab.controls")
    for i in range(bars.count()):
        bar = bars.nth(i)
        before = values_of_all(notebook)
        move(bar)
        notebook.wait_until(lambda before=before: values_of_all(notebook) != before, f"bar {i}: nothing was moved")
        expect(bar).not_to_have_attribute("data-waiting", "", timeout=PATIENCE)
        assert bar.locator(".silence").text_content() == ""


def values_of_all(notebook):
    return notebook.ask("[w.values for w in _all('Controls')]")


def equal(one, other) -> bool:
    return len(one) == len(other) and all(
        abs(a - b) < 1e-5 or (a != a and b != b) for a, b in zip(one, other, strict=True)
    )


def assert_matrices_agree(notebook):
    """Every matrix in the page shows the numbers of one in the kernel."""

    def agree():
        kernel = [values for values in notebook.ask("_frames()") if values]
        shown = [data for data in notebook.check("matrices") if data]
        return all(any(equal(data, values) for values in kernel) for data in shown)

    notebook.wait_until(agree, "a matrix in the page shows other numbers than the kernel's")


def hear_all(notebook):
    """What the kernel says to a view by itself arrives, at each explorer and each training."""
    for kind, view in ("Caption", ".caption"), ("Track", ".training"):
        banners = notebook.page.locator(f".attnlab{view} .banner")
        notebook.execute(f"for w in _all('{kind}'): w.error = 'do you hear this?'")
        for i in range(banners.count()):
            expect(banners.nth(i)).to_have_text("do you hear this?", timeout=PATIENCE)
        notebook.execute(f"for w in _all('{kind}'): w.error = ''")


def step_all(notebook):
    """Each training takes a step when it is told to, and its curve comes."""
    trainings = notebook.page.locator(".attnlab.training")
    for i in range(trainings.count()):
        training = trainings.nth(i)
        standing = training.locator(".standing")
        # Not `inner_text`: of what is scrolled far away there is none, since a notebook does not lay it out.
        if "press Start" in standing.text_content():  # a cell trained it, and it is veiled until one wants to see it
            training.get_by_role("button", name="Start").click()
            expect(standing).to_contain_text("done", timeout=PATIENCE)
        reset = training.get_by_role("button", name="Reset")
        if reset.get_attribute("aria-disabled") == "false":  # it is done, or stepped where it stands above
            reset.click()
            expect(reset).to_have_attribute("aria-disabled", "true", timeout=PATIENCE)
        training.get_by_role("button", name="Step", exact=True).click()
        expect(standing).to_contain_text("step 1 of", timeout=PATIENCE)
        expect(training.locator("path.loss")).to_have_count(1, timeout=PATIENCE)


def assert_alive(notebook, usual=()):
    """Everything is drawn, every guess, explorer and training answers, and no view gave up; `usual` may be said."""
    guess_all(notebook)
    notebook.wait_until_drawn(PATIENCE / 1000)
    move_all(notebook)
    hear_all(notebook)
    step_all(notebook)
    faults = [fault for fault in notebook.complaints() if REFUSED not in fault and fault not in usual]
    assert not faults, faults


def said_about_nothing(lab, browser, folder: str, ready: str) -> set[str]:
    """What a front end complains about and asks of other machines with a notebook that has nothing of ours."""
    lab.write("blank.ipynb", ["1 + 1"])
    with lab.page(browser, "blank.ipynb") as blank:
        blank.go(f"{folder}/blank.ipynb")
        blank.page.wait_for_selector(ready)
        blank.page.wait_for_load_state("networkidle")
        return {*blank.errors, *blank.outside}
