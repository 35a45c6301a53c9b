"""Exercise of lesson 16: which words are hidden, replaced, kept, and what is asked."""

from attnlab.exercises.l16_pretraining.hide import HIDE

EXERCISES = [
    HIDE,
]
