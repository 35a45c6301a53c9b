"""Exercises of lesson 06: who may look at whom, when a text is written and when a batch is filled up; who did look; a
softmax that survives what a mask leaves."""

from attnlab.exercises.l06_masks.causal import CAUSAL
from attnlab.exercises.l06_masks.combine import COMBINE
from attnlab.exercises.l06_masks.leaks import LEAKS
from attnlab.exercises.l06_masks.softmax import SOFTMAX

EXERCISES = [
    CAUSAL,
    COMBINE,
    LEAKS,
    SOFTMAX,
]
