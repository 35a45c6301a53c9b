"""Exercise of lesson 17: a head of a real model, held against a known truth."""

from attnlab.exercises.l17_real_models.right_atoms import RIGHT_ATOMS

EXERCISES = [
    RIGHT_ATOMS,
]
