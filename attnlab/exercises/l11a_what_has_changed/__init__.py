"""Exercise of lesson 11a: one table at both ends of a model."""

from attnlab.exercises.l11a_what_has_changed.tied import TIED

EXERCISES = [
    TIED,
]
