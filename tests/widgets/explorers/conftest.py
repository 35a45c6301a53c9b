"""How far each explorer is walked through at the end of its test."""

import pytest
import wander


@pytest.fixture(autouse=True, scope="session")
def _events(request):
    wander.ASKED = request.config.getoption("--events")
