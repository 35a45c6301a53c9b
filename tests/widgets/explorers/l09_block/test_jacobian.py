"""JacobianExplorer: norm and feed-forward keep every vector alone, attention does not, and masks hold through blocks.

The derivatives themselves are held in tests/attnlab/analysis/learning/test_jacobians.py.
"""

import pytest
import torch
from explorers import drive

from widgets.explorers.l09_block.jacobian import JacobianExplorer


@pytest.fixture(scope="module")
def explorer():
    return JacobianExplorer()


def test_every_control(explorer):
    drive(explorer)


@pytest.mark.parametrize("norm", ["layer", "rms", "none"])
def test_only_attention_fills_the_rows(explorer, norm):
    explorer.reset()
    explorer.norm = norm
    for part in explorer.sizes[:2]:
        assert not (part - torch.diag(part.diagonal())).any()
    assert explorer.sizes[2:].min() > 1e-4


def test_a_causal_mask_leaves_the_lower_triangle_but_batch_norm_looks_ahead(explorer):
    explorer.change(norm="layer", mask="causal", blocks=3)
    assert not explorer.sizes[2:].triu(1).any()
    explorer.norm = "batch"
    assert (explorer.sizes[3].triu(1)[0, 1:] > 0).all()
    assert "is full" in repr(explorer.parts["caption"])


def test_a_window_reaches_one_word_further_with_each_block(explorer):
    explorer.change(norm="layer", mask="window of 1")
    for blocks in range(1, 5):
        explorer.blocks = blocks
        assert torch.equal(explorer.sizes[3][0] > 0, torch.arange(6) <= blocks)


def test_the_global_generator_is_left_alone(explorer):
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    explorer.refresh()
    assert torch.equal(torch.rand(3), expected)
