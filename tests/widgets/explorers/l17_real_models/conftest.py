"""Small stand-ins for what lesson 17 looks into."""

import pytest
import torch
from shaken import shaken

from attnlab.analysis import copy_study, sink_runs
from attnlab.training import seeded
from attnlab.transformer import gpt


def drawn_gpt(layers, heads):
    """A GPT that has learned nothing, whose weights are far from even."""
    with seeded(0):
        return shaken(gpt(11, dim=4 * heads, heads=heads, layers=layers, longest=16), 0.4)


@pytest.fixture(scope="session")
def runs():
    """Two texts, read without each of their tokens."""
    model = drawn_gpt(3, 2)
    texts = {"pi": [3, 1, 4, 1, 5, 9, 2], "e": [2, 7, 1, 8, 2]}
    return {name: sink_runs(model, torch.tensor([ids]), [f" {i}" for i in ids]) for name, ids in texts.items()}


@pytest.fixture(scope="session")
def study():
    """Sixteen heads that copy nothing."""
    words = [" a", " b", " c", " d"]
    tokens = torch.tensor([[10, 1, 4, 6, 2, 1, 4, 6, 2]])
    return copy_study(drawn_gpt(4, 4), tokens, ["<start>", *words, *words], most=8, draws=2)
