"""For every test and every lesson: one thread, no clock in the laws, and a progress folder that is nobody's."""

import os
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
