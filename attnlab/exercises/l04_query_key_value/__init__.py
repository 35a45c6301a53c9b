"""Exercises of lesson 04: a softmax by hand that survives any scores, and attention whole."""

from attnlab.exercises.l04_query_key_value.attend import ATTEND
from attnlab.exercises.l04_query_key_value.softmax import SOFTMAX

EXERCISES = [
    SOFTMAX,
    ATTEND,
]
