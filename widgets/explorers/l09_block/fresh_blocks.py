"""Blocks of a network that has learned nothing."""

from typing import Any

from attnlab.blocks import NORMS, RESIDUALS, AttentionBlock, EncoderBlock, FeedForward
from attnlab.multihead import MultiHeadAttention
from attnlab.training import seeded


def fresh_block(dim: int, heads: int, norm: str, residual: str = "pre_norm", feed_forward: bool = True) -> Any:
    """A block as `nn.Linear` draws it; norm, residual: names in `NORMS` and `RESIDUALS`. Without feed_forward it is an
    attention alone."""
    attention = MultiHeadAttention(dim, heads)
    if not feed_forward:
        return AttentionBlock(attention, NORMS[norm], RESIDUALS[residual])
    return EncoderBlock(attention, FeedForward(dim, 4 * dim), NORMS[norm], RESIDUALS[residual])


def fresh_blocks(count: int, *parts) -> list[Any]:
    """So many of them, the same at every call. parts: as for `fresh_block`."""
    with seeded(0):
        return [fresh_block(*parts) for _ in range(count)]
