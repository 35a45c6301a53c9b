"""For the tests of lesson 16: the task, and two small models that have read nothing."""

from types import SimpleNamespace

import pytest
from shaken import shaken

from attnlab.tasks.python_topics import PythonTopics
from attnlab.training import seeded
from attnlab.transformer import masked_encoder


def small(vocabulary, seed):
    """A masked encoder whose guesses differ from word to word."""
    with seeded(seed):
        return shaken(masked_encoder(vocabulary, 8, 2, 1, 65), 0.5)


@pytest.fixture(scope="session")
def task():
    return PythonTopics()


@pytest.fixture(scope="session")
def models(task):
    size = len(task.vocabulary)
    return SimpleNamespace(masked=small(size, 0), left_to_right=small(size, 1))
