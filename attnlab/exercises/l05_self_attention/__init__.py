"""Exercises of lesson 05: a sequence asks itself, and what a layer does not notice."""

from attnlab.exercises.l05_self_attention.changed import CHANGED
from attnlab.exercises.l05_self_attention.self_attention import SELF_ATTENTION

EXERCISES = [
    SELF_ATTENTION,
    CHANGED,
]
