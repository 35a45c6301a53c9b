"""For the tests of lesson 16: the task, and two small models that have read nothing."""

from types import SimpleNamespace

import pytest
import torch

from attnlab.tasks.python_topics import PythonTopics
from attnlab.transformer import masked_encoder


def small(vocabulary, seed):
    """A masked encoder whose guesses differ from word to word."""
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        model = masked_encoder(vocabulary, 8, 2, 1, 65)
        for parameter in model.parameters():
            parameter.data += 0.5 * torch.randn(parameter.shape)
    return model.eval()


@pytest.fixture(scope="session")
def task():
    return PythonTopics()


@pytest.fixture(scope="session")
def models(task):
    size = len(task.vocabulary)
    return SimpleNamespace(masked=small(size, 0), left_to_right=small(size, 1))
