"""Chromium for all browser tests: one browser a file, a fresh page a test.

Not one a session: as long as Playwright is there the thread has a running event loop, and tests of other files that
want a loop of their own would fail.
"""

import os
import shutil
from pathlib import Path

import pytest
from bridge import Bridge, kernel
from lab import Lab

LESSONS = Path(__file__).resolve().parents[2] / "lessons"

CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-proxy-server",
         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]  # the network is closed


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    path = os.environ.get("ATTNLAB_CHROMIUM", CHROMIUM)
    if not path:
        message = "no Chromium found: `apt-get install chromium`, or set ATTNLAB_CHROMIUM to a browser's path"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def lab():
    """One Jupyter server for all lessons, over a copy of them."""
    with Lab() as lab:
        shutil.copytree(LESSONS, lab.root / "lessons", ignore=shutil.ignore_patterns("__pycache__", ".*"))
        yield lab


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    yield page
    page.close()


@pytest.fixture
def bridge(page):
    with kernel():
        yield Bridge(page)
