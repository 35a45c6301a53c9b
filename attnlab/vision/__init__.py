"""Models that look at pictures."""

from attnlab.vision.captioner import (
    Answerer,
    Captioner,
    FixedCaptioner,
    HardCaptioner,
    doubly_stochastic,
    hard_caption_loss,
)

__all__ = ["Answerer", "Captioner", "FixedCaptioner", "HardCaptioner", "doubly_stochastic", "hard_caption_loss"]
