"""The exercise of lesson 00: a row of scores becomes a row of weights."""

from attnlab.exercises.l00_start_here.weights import WEIGHTS

EXERCISES = [
    WEIGHTS,
]
