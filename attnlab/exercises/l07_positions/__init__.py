"""Exercises of lesson 07: a turn that leads k places on, a score that pays for distance, turns that tell it."""

from attnlab.exercises.l07_positions.alibi import ALIBI
from attnlab.exercises.l07_positions.rotary import ROTARY
from attnlab.exercises.l07_positions.shift import SHIFT

EXERCISES = [
    SHIFT,
    ALIBI,
    ROTARY,
]
