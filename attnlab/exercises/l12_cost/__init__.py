"""Exercises of lesson 12: where attention and recurrence cost the same, what a model weighs, what its training costs,
what it keeps while it writes."""

from attnlab.exercises.l12_cost.cache import CACHE
from attnlab.exercises.l12_cost.crossing import CROSSING
from attnlab.exercises.l12_cost.flops import FLOPS
from attnlab.exercises.l12_cost.parameters import PARAMETERS

EXERCISES = [
    CROSSING,
    PARAMETERS,
    FLOPS,
    CACHE,
]
