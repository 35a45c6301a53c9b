"""The phrasebook that the explorers of this lesson translate with."""

import pytest

from attnlab.tasks import TASKS


@pytest.fixture(scope="package")
def task():
    return TASKS["phrasebook"](pairs=100, tests=20)


@pytest.fixture(scope="package")
def sizes(task):
    return len(task.source_vocabulary), len(task.target_vocabulary)
