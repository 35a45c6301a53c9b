"""The blocks that learners draw by hand in the explorers' code: the same numbers, with or without feed-forward."""

import pytest
import torch

from attnlab import MultiHeadAttention
from attnlab.blocks import NORMS, RESIDUALS, AttentionBlock, EncoderBlock, FeedForward
from attnlab.training import seeded
from widgets.explorers.l09_block.fresh_blocks import fresh_blocks


def by_hand(feed_forward):
    attention, around = MultiHeadAttention(8, 2), (NORMS["rms"], RESIDUALS["post_norm"])
    return EncoderBlock(attention, FeedForward(8, 32), *around) if feed_forward else AttentionBlock(attention, *around)


@pytest.mark.parametrize("feed_forward", [True, False])
def test_as_drawn_by_hand_one_after_the_other(feed_forward):
    with seeded(0):
        expected = [by_hand(feed_forward) for _ in range(3)]
    x = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(1))
    for block, own in zip(fresh_blocks(3, 8, 2, "rms", "post_norm", feed_forward), expected, strict=True):
        assert torch.equal(block(x), own(x))


def test_pre_norm_with_feed_forward_unless_asked():
    [block] = fresh_blocks(1, 8, 2, "layer")
    assert block.residual is RESIDUALS["pre_norm"]
    assert isinstance(block, EncoderBlock)
    assert block.training


def test_every_call_gives_blocks_of_its_own():
    one, other = fresh_blocks(1, 8, 2, "layer") + fresh_blocks(1, 8, 2, "layer")
    assert one is not other
    assert torch.equal(one.attention.query.weight, other.attention.query.weight)
