"""NormsExplorer: who notices a change of the batch, and who does not."""

import pytest
import torch
from explorers import drive

from widgets.explorers.l09_block.norms import NormsExplorer


@pytest.fixture
def explorer():
    return NormsExplorer(norm="layer")


def test_every_control(explorer):
    drive(explorer)


def test_layer_norm_does_not_notice_the_batch_and_batch_norm_does(explorer):
    caption, usual = explorer.parts["caption"], explorer.after[0]
    torch.testing.assert_close(usual, torch.nn.functional.layer_norm(torch.tensor([1.0, 3, -1, 2, 0, 1]), (6,)))
    explorer.change(padding=3, sentences=2)
    torch.testing.assert_close(explorer.after[0], usual)
    assert "does not notice" in repr(caption)
    explorer.change(norm="batch", padding=0, sentences=3)
    usual = explorer.after[0]
    explorer.padding = 3
    assert (explorer.after[0] - usual).norm() > 0.3
    assert "does not notice" not in repr(caption)


def test_louder_is_nothing_to_a_norm_of_one_vector(explorer):
    usual = explorer.after.clone()
    explorer.louder = 5.0
    torch.testing.assert_close(explorer.after, usual, atol=1e-4, rtol=0)
    explorer.norm = "batch"
    others = explorer.after[1:].clone()
    explorer.louder = 1.0
    assert (explorer.after[1:] - others).abs().max() > 0.1


def test_one_vector_has_no_deviation_over_the_batch(explorer):
    explorer.change(norm="batch", sentences=1)
    assert "at least 2 vectors" in explorer.parts["caption"].error
    explorer.norm = "layer"
    assert explorer.parts["caption"].error == ""
