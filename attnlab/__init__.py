"""The mechanisms of attention, in torch, each in its clearest form.

Lesson 02, looking back: a score says how well a key answers a query (`SCORES`), `attend` turns scores into weights and
weights into a context, masks say who may look at whom, and two models translate with and without it. `fit` trains them,
`greedy` and `beam` write with them step by step, `record` shows what every attention saw.
"""

from attnlab.alignment import SCORES, Additive, dot, scaled_dot
from attnlab.attention import Attention, attend
from attnlab.checkpoints import load, save
from attnlab.decoding import beam, best, exact, greedy, tokens, translate
from attnlab.masks import MASKS, causal, everything, padding
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext, Memory, teacher_forcing
from attnlab.trace import record
from attnlab.training import device, fit

__all__ = [
    "MASKS",
    "SCORES",
    "Additive",
    "Attention",
    "AttentionSeq2Seq",
    "FixedContext",
    "Memory",
    "attend",
    "beam",
    "best",
    "causal",
    "device",
    "dot",
    "everything",
    "exact",
    "fit",
    "greedy",
    "load",
    "padding",
    "record",
    "save",
    "scaled_dot",
    "teacher_forcing",
    "tokens",
    "translate",
]
