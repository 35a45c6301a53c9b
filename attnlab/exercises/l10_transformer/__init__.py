"""Exercises of lesson 10: who asks whom, the decoder block, smoothed labels, and one step of beam search."""

from attnlab.exercises.l10_transformer.beam import BEAM
from attnlab.exercises.l10_transformer.decoder import DECODER
from attnlab.exercises.l10_transformer.smoothing import SMOOTHING
from attnlab.exercises.l10_transformer.who import WHO

EXERCISES = [
    WHO,
    DECODER,
    SMOOTHING,
    BEAM,
]
