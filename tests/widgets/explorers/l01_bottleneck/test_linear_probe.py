"""LinearProbeExplorer: the states of a model that reads and writes, probed for each digit."""

import pytest
import torch
from backwards import Backwards
from explorers import drive

from attnlab.seq2seq import FixedContext
from widgets.explorers.l01_bottleneck.linear_probe import LinearProbeExplorer


@pytest.fixture
def model():
    torch.manual_seed(0)
    return FixedContext(13, 13, 11, 7, bidirectional=False)


def test_states_and_digits(model):
    models = {"64 numbers": model}
    explorer = LinearProbeExplorer(models, length=3)
    drive(explorer, models=models)
    matrix = explorer.parts["matrix"]
    assert matrix.query_labels == ["read 1", "read 2", "read 3", "c", "write 3", "write 2", "write 1"]
    assert matrix.mask[0, :3].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert matrix.selected == [0, 3, -1]
    explorer.size = "32 numbers"
    assert "expected models with the names" in explorer.parts["caption"].error


def test_a_model_that_writes_all_right():
    explorer = LinearProbeExplorer({"64 numbers": Backwards(9)}, length=4)
    assert explorer.result.written.tolist() == [1, 1, 1, 1]
    assert explorer.shares.shape == (9, 4)
    assert "The decoder writes 100\u202f% of the digits right" in repr(explorer.parts["caption"])


def test_the_model_is_asked_again_after_a_refresh(model):
    explorer = LinearProbeExplorer({"64 numbers": model}, length=3)
    before = explorer.shares
    torch.nn.init.zeros_(model.encoder.summarise.weight)
    torch.nn.init.zeros_(model.encoder.summarise.bias)
    explorer.refresh()
    assert explorer.shares[3].max() < 0.15 < before[3].max()
