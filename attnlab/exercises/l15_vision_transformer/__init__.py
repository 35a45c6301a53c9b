"""Exercise of lesson 15: attention roll-out through all layers."""

from attnlab.exercises.l15_vision_transformer.rollout import ROLLOUT

EXERCISES = [
    ROLLOUT,
]
