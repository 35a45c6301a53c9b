"""Every explorer that needs no model, lesson by lesson: read by axe-core, moved by keys alone, and at double size.

Those with a machine are read in test_accessible.py, with the models that they draw.
"""

import inspect

import pytest
from axe import serious
from hands import move_by_keys

import widgets
from lessons.lab import CHECKS

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]


def made_of_nothing() -> dict[str, list[str]]:
    """{lesson: names of its explorers that take no model}."""
    found: dict[str, list[str]] = {}
    for name, home in widgets.HOMES.items():
        room = home.split(".")
        if room[0] == "explorers" and name.endswith("Explorer"):
            given = list(inspect.signature(getattr(widgets, name).__init__).parameters.values())[1:]
            if all(one.default is not one.empty or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in given):
                found.setdefault(room[1], []).append(name)
    return found


LESSONS = made_of_nothing()


@pytest.fixture(params=LESSONS)
def explorers(request, bridge):
    return lambda: [bridge.show(getattr(widgets, name)()) for name in LESSONS[request.param]]


def test_none_is_left_out():
    assert sum(map(len, LESSONS.values())) >= 33


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nothing_serious_is_found(bridge, page, explorers, dark):
    bridge.wear(dark, 1000)
    explorers()
    assert serious(page, "#stage") == []


def test_keys_alone_move_each(bridge, page, explorers):
    for at, explorer in enumerate(explorers()):
        before = vars(explorer.state)
        move_by_keys(page.locator(".attnlab.controls").nth(at))
        bridge.settle()
        assert vars(explorer.state) != before, type(explorer).__name__


def test_nothing_is_cut_at_double_size(bridge, page, explorers):
    """A page of 1280 pixels at 200 %, JupyterLab's file browser open: an output has 272 of them."""
    page.set_viewport_size({"width": 640, "height": 450})
    bridge.wear(width=272)
    explorers()
    assert page.evaluate(f"{CHECKS}\nchecks.clipped()") == []
