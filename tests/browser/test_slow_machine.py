"""On a machine that is too slow: every explorer, guess and training is alive and answers.

Each time: one small view of each kind, in a page where anywidget gives every model up at once, as it does on a busy
machine after two seconds. With `-m slow_machine`: the whole lessons 01 and 07a, so given up too (without their
trainings), and with the page throttled six-fold, two busy loops beside it, five times each.
"""

import multiprocessing
import shutil
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from alive import BRIEF, KERNEL, PATIENCE, REFUSED, assert_alive, cells_of
from each_kind import EACH_KIND

pytestmark = [pytest.mark.browser, pytest.mark.timeout(3600)]

LESSONS = ["01_bottleneck", "07a_longer_than_trained"]

# anywidget 0.11 waits for 2000 ms. Here that time is over at once, however quick the page is.
GIVE_UP = """const own = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (ms) => (ms === 2000 ? { addEventListener: (_, giveUp) => giveUp() } : own(ms));"""


@contextmanager
def opened(lab, browser, name: str, prepare=lambda notebook: None):
    """The notebook, every cell run, every guess still open."""
    with lab.page(browser, name) as notebook:
        notebook.page.set_default_timeout(PATIENCE)
        prepare(notebook)
        notebook.go(f"lab/workspaces/{Path(name).stem}/tree/{name}")  # its own: nothing is restored
        notebook.wait_for_kernel()
        notebook.run_all()
        notebook.execute(KERNEL)
        yield notebook


def test_every_model_given_up(lab, browser):
    lab.write("given_up.ipynb", EACH_KIND)
    assert_alive_when_given_up(lab, browser)


@pytest.mark.slow_machine
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_model_of_a_lesson_given_up(lab, browser, lesson):
    """The lesson's views, on models that are hardly trained."""
    lab.write("given_up.ipynb", [BRIEF, *cells_of(lab, lesson)])
    assert_alive_when_given_up(lab, browser)


def assert_alive_when_given_up(lab, browser):
    with opened(lab, browser, "given_up.ipynb", lambda notebook: notebook.context.add_init_script(GIVE_UP)) as notebook:
        assert_alive(notebook)
        assert any(REFUSED in error for error in notebook.errors), "anywidget has another way to give up: look again"


def busy():
    while True:
        pass


@contextmanager
def busy_loops(count=2):
    with ExitStack() as stack:
        for _ in range(count):
            process = multiprocessing.get_context("spawn").Process(target=busy, daemon=True)
            process.start()
            stack.callback(process.join)
            stack.callback(process.kill)
        yield


def throttle(notebook):
    session = notebook.context.new_cdp_session(notebook.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 6})


@pytest.mark.slow_machine
@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize("time", range(1, 6))
def test_whole_lesson_beside_two_busy_loops(lab, browser, lesson, time):
    name = f"lessons/{lesson}_{time}.ipynb"  # its own: JupyterLab saves by itself, with views of a kernel that ended
    shutil.copy(lab.root / "lessons" / f"{lesson}.ipynb", lab.root / name)
    with busy_loops(), opened(lab, browser, name, throttle) as notebook:
        assert_alive(notebook)
