"""Exercises of lesson 13: a blind spot, a map dragged to another place, and how often each place was looked at."""

from attnlab.exercises.l13_seeing.blind_spot import BLIND_SPOT
from attnlab.exercises.l13_seeing.coverage import COVERAGE
from attnlab.exercises.l13_seeing.drag import DRAG

EXERCISES = [
    BLIND_SPOT,
    DRAG,
    COVERAGE,
]
