"""How far each explorer is walked through at the end of its test, and what no chart of an explorer may do."""

import pytest
import wander

from widgets.instruments.chart import attributes


@pytest.fixture(autouse=True, scope="session")
def _events(request):
    wander.ASKED = request.config.getoption("--events")


@pytest.fixture(autouse=True)
def _plotly_is_not_asked(monkeypatch):
    """It would come into every kernel, 20 MB of it."""

    def ask(*asked):
        raise AssertionError(f"an entry is missing in attributes.py: {asked}")

    monkeypatch.setattr(attributes, "trace_by_plotly", ask)
    monkeypatch.setattr(attributes, "layout_by_plotly", ask)
