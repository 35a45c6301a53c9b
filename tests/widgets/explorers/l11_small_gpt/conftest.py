"""A text, its byte pairs and small GPTs for them, for the explorers of this lesson."""

from functools import partial

import pytest
import torch

from attnlab.tasks.text import BytePairs, Text
from attnlab.transformer import gpt


@pytest.fixture(scope="package")
def task():
    return Text.from_string("an ant ate a tan net; ten eat tea\n" * 100, partial(BytePairs, size=300))


@pytest.fixture(scope="package")
def opinionated(task):
    """Makes an untrained GPT with opinions: its numbers are so many times as large as at the start."""

    def make(layers, longest, times):
        torch.manual_seed(0)
        model = gpt(len(task.vocabulary), 16, 2, layers, longest).eval()
        for parameter in model.parameters():
            parameter.data *= times
        return model

    return make
