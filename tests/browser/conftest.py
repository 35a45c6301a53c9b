"""Chromium for all browser tests: one browser a session, one page a file.

As long as Playwright is there the thread has a running event loop, and tests that want a loop of their own would fail:
so those of this folder come last, see conftest.py at the root.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import pytest
from bridge import Bridge, kernel
from playwright.sync_api import expect

from lessons.classroom.forked_kernels import forked_kernels
from lessons.lab import CHROMIUM, NO_CHROMIUM, PATIENCE, Lab, chromium

expect.set_options(timeout=1000 * PATIENCE)

LESSONS = Path(__file__).resolve().parents[2] / "lessons"


@pytest.fixture(scope="session")
def browser() -> Iterator:
    if not CHROMIUM:
        pytest.fail(NO_CHROMIUM) if os.environ.get("CI") else pytest.skip(NO_CHROMIUM)
    with chromium() as browser:
        yield browser


@contextmanager
def serving_lessons(**environment):
    """A Jupyter server over a copy of all lessons, without JupyterLab's planets while a theme is loaded, and without a
    process of node for each page that asks whether JupyterLab is built."""
    lab = Lab(environment=environment)
    (lab.home / "config" / "labconfig").mkdir(parents=True)
    without = {"disabledExtensions": {"@jupyterlab/apputils-extension:splash": True}, "buildCheck": False}
    (lab.home / "config" / "labconfig" / "page_config.json").write_text(json.dumps(without), encoding="utf-8")
    with lab:
        shutil.copytree(LESSONS, lab.root / "lessons", ignore=shutil.ignore_patterns("__pycache__", ".*"))
        yield lab


@pytest.fixture(scope="session")
def lab():
    """One server for all lessons, whose kernels, on Linux, are forks."""
    forks = forked_kernels() if sys.platform == "linux" else nullcontext("")
    with forks as folder, serving_lessons(JUPYTER_PATH=folder) as lab:
        yield lab


@pytest.fixture(scope="module")
def new_lab():
    """One for Notebook 7 alone, since a server that has given JupyterLab a font refuses it to Notebook 7; its kernels
    start as a learner's do."""
    with serving_lessons() as lab:
        yield lab


@pytest.fixture(scope="module")
def one_page(browser):
    page = browser.new_page()
    yield page
    page.close()


@contextmanager
def lent(page, monkeypatch) -> Iterator:
    """A page with no hand on it and its settings as before any test; what a test listens to ends with it."""
    page.mouse.up()
    page.mouse.move(0, 0)
    page.set_viewport_size({"width": 1100, "height": 900})
    page.emulate_media(reduced_motion="no-preference")
    page.set_default_timeout(1000 * PATIENCE)
    heard = []
    on = page.on
    monkeypatch.setattr(page, "on", lambda event, handler: (heard.append((event, handler)), on(event, handler)))
    yield page
    for event, handler in heard:
        page.remove_listener(event, handler)


@pytest.fixture
def empty_page(one_page, monkeypatch):
    """The file's page, empty: a page of its own would take each test most of its time."""
    with lent(one_page, monkeypatch) as page:
        page.goto("about:blank")
        yield page


@pytest.fixture
def empty(empty_page):
    """A bridge to an empty page."""
    with kernel():
        yield Bridge(empty_page)


@pytest.fixture
def phone(browser):
    """A bridge to the page of a phone, which has fingers and no mouse."""
    with closing(browser.new_context(has_touch=True, viewport={"width": 390, "height": 664})) as context, kernel():
        yield Bridge(context.new_page(), width=350)


@pytest.fixture(scope="module")
def one_bridge(browser):
    page = browser.new_page()
    with kernel():
        yield Bridge(page)
    page.close()


@pytest.fixture
def kept(one_bridge, monkeypatch):
    """A bridge to one page for all tests of a file: the views go after each test, the scripts stay and run once.

    For tests that change nothing else in the page than its look.
    """
    with lent(one_bridge.page, monkeypatch):
        one_bridge.errors.clear()
        one_bridge.wear()
        yield one_bridge
        one_bridge.clear()


def is_kept(request) -> bool:
    return request.node.get_closest_marker("kept_page") is not None


@pytest.fixture
def bridge(request):
    """`empty`, or in a file with the mark `kept_page`, `kept`."""
    return request.getfixturevalue("kept" if is_kept(request) else "empty")


@pytest.fixture
def page(request):
    """The page of `bridge`; where that has to be empty, without a kernel unless a test asks for `bridge`."""
    return request.getfixturevalue("kept").page if is_kept(request) else request.getfixturevalue("empty_page")
