"""The model that comes trained, and pictures that it never saw."""

import pytest
from seeing import CANVASES, LOOKING


@pytest.fixture(scope="session")
def model():
    return LOOKING


@pytest.fixture(scope="session")
def canvases():
    return CANVASES
