"""Exercises of lesson 03: a score and what it can be made to look for, and a window that a query places for itself."""

from attnlab.exercises.l03_alignment.follow import FOLLOW
from attnlab.exercises.l03_alignment.general import GENERAL
from attnlab.exercises.l03_alignment.local import LOCAL

EXERCISES = [
    GENERAL,
    FOLLOW,
    LOCAL,
]
