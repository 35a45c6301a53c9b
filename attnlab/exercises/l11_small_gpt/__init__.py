"""Exercises of lesson 11: how a GPT learns, reads on and writes, and which tokens may be drawn."""

from attnlab.exercises.l11_small_gpt.causal_attention import CAUSAL_ATTENTION
from attnlab.exercises.l11_small_gpt.top_k import TOP_K
from attnlab.exercises.l11_small_gpt.top_p import TOP_P
from attnlab.exercises.l11_small_gpt.windows import WINDOWS
from attnlab.exercises.l11_small_gpt.write import WRITE

EXERCISES = [
    TOP_K,
    TOP_P,
    WINDOWS,
    CAUSAL_ATTENTION,
    WRITE,
]
