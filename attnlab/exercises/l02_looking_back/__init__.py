"""Exercises of lesson 02: additive attention with a mask, and the context of one decoder step."""

from attnlab.exercises.l02_looking_back.additive import ADDITIVE
from attnlab.exercises.l02_looking_back.context import CONTEXT

EXERCISES = [
    ADDITIVE,
    CONTEXT,
]
