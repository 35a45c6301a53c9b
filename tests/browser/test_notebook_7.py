"""Notebook 7: one small view of each kind is alive there, all of lesson 00, and with `-m fronts` all of every lesson.

Of a lesson every guess, explorer and training answers, the page has the kernel's numbers, and axe-core finds nothing
serious; three steps of each training train, for what it reaches is compared in JupyterLab.
"""

from pathlib import Path

import pytest
from alive import BRIEF, KERNEL, PATIENCE, assert_alive, assert_matrices_agree, cells_of, said_about_nothing
from axe import serious
from each_kind import EACH_KIND

pytestmark = [pytest.mark.browser, pytest.mark.timeout(3600)]

LESSONS = sorted(path.stem for path in (Path(__file__).resolve().parents[2] / "lessons").glob("[0-9]*.ipynb"))


@pytest.fixture(scope="module")
def usual(new_lab, browser):
    return said_about_nothing(new_lab, browser, "notebooks", ".jp-Notebook")


def assert_alive_in_notebook_7(lab, browser, name: str, cells: list[str], usual):
    lab.write(name, cells)
    with lab.page(browser, name) as notebook:
        notebook.page.set_default_timeout(PATIENCE)
        notebook.go(f"notebooks/{name}")
        notebook.wait_for_kernel()
        notebook.run_all()
        notebook.execute(KERNEL)
        assert_alive(notebook, usual)
        assert_matrices_agree(notebook)
        assert serious(notebook.page, ".attnlab") == []


def test_each_kind_of_view(new_lab, browser, usual):
    assert_alive_in_notebook_7(new_lab, browser, "each_kind.ipynb", EACH_KIND, usual)


@pytest.mark.parametrize(
    "lesson", [*LESSONS[:1], *(pytest.param(lesson, marks=pytest.mark.fronts) for lesson in LESSONS[1:])]
)
def test_all_of_a_lesson(new_lab, browser, lesson, usual):
    assert_alive_in_notebook_7(new_lab, browser, f"{lesson}.ipynb", [BRIEF, *cells_of(new_lab, lesson)], usual)
