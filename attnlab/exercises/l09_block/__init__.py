"""Exercises of lesson 09: layer normalisation by hand, a Transformer block, and what each part adds to the stream."""

from attnlab.exercises.l09_block.added import ADDED
from attnlab.exercises.l09_block.block import BLOCK
from attnlab.exercises.l09_block.layer_norm import LAYER_NORM

EXERCISES = [
    LAYER_NORM,
    BLOCK,
    ADDED,
]
