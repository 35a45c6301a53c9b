"""Exercises of lesson 14: what a retina shows, a place that is drawn, and how the choice of a place learns."""

from attnlab.exercises.l14_glimpses.draw import DRAW
from attnlab.exercises.l14_glimpses.glimpse import GLIMPSE
from attnlab.exercises.l14_glimpses.policy_loss import POLICY_LOSS

EXERCISES = [
    GLIMPSE,
    DRAW,
    POLICY_LOSS,
]
