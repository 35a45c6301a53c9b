"""Exercise of lesson 11b: how much a head looks at what came next the last time."""

from attnlab.exercises.l11b_looking_inside.induction_score import INDUCTION_SCORE

EXERCISES = [
    INDUCTION_SCORE,
]
