"""For every test and lesson: one thread, no clock in the laws, a progress folder that is nobody's, work for two."""

import os
import re
import tempfile

import pytest
from hypothesis import settings

os.environ |= {"OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}  # before torch is imported, here or in a lesson's kernel

settings.register_profile("attnlab", deadline=None)  # a busy machine is no broken law
settings.load_profile("attnlab")

HOMES: dict = {}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """A new, empty folder for each test file or notebook, named before nbval starts its kernel."""
    if item.path not in HOMES:
        HOMES[item.path] = tempfile.TemporaryDirectory(prefix="attnlab-", ignore_cleanup_errors=True)
    os.environ["ATTNLAB_HOME"] = HOMES[item.path].name


def pytest_collection_modifyitems(items):
    """The lessons first: they take longest, and the many short files then fill what is left on each worker."""
    items.sort(key=lambda item: lesson_in_the_browser(item.nodeid) is None and item.path.suffix != ".ipynb")


def lesson_in_the_browser(nodeid: str) -> str | None:
    """The lesson that a test of `test_lessons.py` opens, None for other tests."""
    found = re.search(r"browser/test_lessons\.py::.*\[(.*)\.ipynb\]", nodeid)
    return found and found[1]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Each file has one worker, which keeps its fixtures, but of the lessons in the browser each may have another."""
    from xdist.scheduler import LoadScopeScheduling

    class ByLesson(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return lesson_in_the_browser(nodeid) or super()._split_scope(nodeid)

    return ByLesson(config, log)
