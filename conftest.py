"""For every test and lesson: one thread, no clock in the laws, a progress folder that is nobody's, work for two.

Each lesson is run once: by the browser, whose tests compare the outputs too, or where there is none by nbval.
"""

import gc
import os
import re
import tempfile

import pytest
from hypothesis import settings

from lessons.lab import CHROMIUM

os.environ |= {"OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}  # before torch is imported, here or in a lesson's kernel

settings.register_profile("attnlab", deadline=None)  # a busy machine is no broken law
settings.load_profile("attnlab")

HOMES: dict = {}


def pytest_addoption(parser):
    parser.addoption("--events", type=int, help="steps of each walk through an explorer; see tests/support/wander.py")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported and collected here lives to the end: the collector need not look whether it is rubbish."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """A new, empty folder for each test file or notebook, named before nbval starts its kernel."""
    if item.path not in HOMES:
        HOMES[item.path] = tempfile.TemporaryDirectory(prefix="attnlab-", ignore_cleanup_errors=True)
    os.environ["ATTNLAB_HOME"] = HOMES[item.path].name


def pytest_unconfigure():
    """A worker of xdist ends without the exit at which these folders would go by themselves."""
    for home in HOMES.values():
        home.cleanup()


@pytest.hookimpl(trylast=True)  # after -k and -m
def pytest_collection_modifyitems(config, items):
    """The browser's tests last: Playwright's event loop then runs to the end, and lets no other run in its thread.

    Of them the lessons first: they take longest, and the many short files then fill what is left on each worker.
    """
    compared = {compared_in_the_browser(item.nodeid) for item in items} if CHROMIUM else set()
    again = [item for item in items if item.path.suffix == ".ipynb" and item.path.stem in compared]
    config.hook.pytest_deselected(items=again)
    items[:] = [item for item in items if item.path.suffix != ".ipynb" or item.path.stem not in compared]
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.timeout(0))  # nbval has a limit of its own, 2000 s a cell
    items.sort(key=lambda item: (item.path.parent.name == "browser", lesson_in_the_browser(item.nodeid) is None))


def lesson_in_the_browser(nodeid: str, test: str = ".*") -> str | None:
    """The lesson that a test of `browser/test_lessons.py` opens, None for other tests."""
    found = re.search(rf"browser/test_lessons\.py::{test}\[(.*)\.ipynb\]", nodeid)
    return found and found[1]


def compared_in_the_browser(nodeid: str) -> str | None:
    """The lesson whose outputs a test of `browser/test_lessons.py` compares, None for other tests."""
    return lesson_in_the_browser(nodeid, "test_outputs_are_the_committed_ones")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Each file has one worker, which keeps its fixtures, but of the lessons in the browser each may have another."""
    from xdist.scheduler import LoadScopeScheduling

    class ByLesson(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return lesson_in_the_browser(nodeid) or super()._split_scope(nodeid)

    return ByLesson(config, log)
