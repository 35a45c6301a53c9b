"""Exercises of lesson 08: a head set by hand; one wide vector cut into heads, put together, and attention between."""

from attnlab.exercises.l08_many_heads.merge import MERGE
from attnlab.exercises.l08_many_heads.multihead import MULTIHEAD
from attnlab.exercises.l08_many_heads.one_before import ONE_BEFORE
from attnlab.exercises.l08_many_heads.split import SPLIT

EXERCISES = [
    ONE_BEFORE,
    SPLIT,
    MERGE,
    MULTIHEAD,
]
