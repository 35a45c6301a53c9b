"""MaskPlacementExplorer: what a mask does before the softmax, after it, and after it with a division."""

import pytest
import torch
from explorers import drive

from widgets.explorers.l06_masks.mask_placement import COUNT, MaskPlacementExplorer


@pytest.fixture
def explorer():
    return MaskPlacementExplorer()


def said(explorer):
    return repr(explorer.parts["caption"])


def test_every_control(explorer):
    drive(explorer)
    for louder in explorer.positions("louder"):
        explorer.louder = louder
        assert said(explorer)


def test_sums_of_rows(explorer):
    before, after, divided = explorer.weights.float().sum(-1)
    torch.testing.assert_close(before, torch.ones(COUNT), atol=2e-3, rtol=0)
    torch.testing.assert_close(divided, torch.ones(COUNT), atol=2e-3, rtol=0)
    assert (after[:-1] < 0.99).all()
    assert after[-1] == pytest.approx(1, abs=2e-3)


def test_a_hidden_key_leaks_only_where_the_mask_came_after(explorer):
    before, after, _ = explorer.weights.clone()
    explorer.louder = 3.0
    now_before, now_after, now_divided = explorer.weights
    assert torch.equal(now_before[:-1], before[:-1])
    assert (now_after[:-1].sum(-1) < 0.6 * after[:-1].sum(-1)).all()
    torch.testing.assert_close(now_divided[:-1].float(), before[:-1].float(), atol=2e-3, rtol=0)
    assert "it leaks through the sum" in said(explorer)


def test_dividing_fails_where_all_is_rounded_to_zero(explorer):
    explorer.louder = 20.0
    before, after, divided = explorer.weights
    assert before.isfinite().all()
    assert (after[:-1] == 0).all()
    assert divided[:-1].isnan().any()
    assert "0 / 0 is NaN" in said(explorer)


def test_the_row_that_may_see_everything(explorer):
    explorer.cell = [1, 4, 4]
    assert "nothing is hidden" in said(explorer)
