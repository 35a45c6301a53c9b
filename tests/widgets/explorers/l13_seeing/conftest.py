"""For the tests of lesson 13: the task."""

import pytest

from attnlab.tasks.scenes import Scenes


@pytest.fixture(scope="session")
def task():
    return Scenes(size=20, tests=4)
