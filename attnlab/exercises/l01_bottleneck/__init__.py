"""Exercises of lesson 01: a decoder that is given one vector, its step and what it writes."""

from attnlab.exercises.l01_bottleneck.step import STEP
from attnlab.exercises.l01_bottleneck.unpack import UNPACK

EXERCISES = [
    UNPACK,
    STEP,
]
