"""The mechanisms of attention, in torch, each in its clearest form.

A score says how well a key answers a query (`SCORES`); `attend` turns scores into weights and weights into a context;
masks say who may look at whom (`MASKS`); positions give a set its order (`POSITIONS`). `MultiHeadAttention` does it
many times side by side, blocks stack it, and models are compositions of blocks: recurrent ones in `seq2seq`,
Transformers in `transformer`. `fit` trains them; `greedy`, `sample`, `beam` and `write` write with them step by step;
`record` shows what every attention saw and what every part made of it, `override` changes attention, and
`look_inside` shows every head of any model on any text.
"""

from importlib import import_module
from types import ModuleType

import attnlab.needed  # noqa: F401  # first: says what is missing
from attnlab.alignment import (
    SCORES,
    Additive,
    Concat,
    ContentWithGain,
    General,
    Location,
    Perceptron,
    content,
    dot,
    scaled_dot,
)
from attnlab.attention import Attention, attend, masked_softmax
from attnlab.checkpoints import load, save
from attnlab.decoding import beam, best, exact, greedy, sample, tokens, translate, write
from attnlab.inside import look_inside
from attnlab.masks import MASKS, causal, causal_window, document, everything, padding, prefix, window
from attnlab.multihead import Cache, MultiHeadAttention
from attnlab.positions import POSITIONS, sinusoidal
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext, LuongSeq2Seq, Memory, teacher_forcing
from attnlab.trace import override, record
from attnlab.training import device, fit, measured, to_device
from attnlab.transformer import GPT, MaskedEncoder, Transformer

ROOMS = ("analysis", "gguf", "huggingface", "onnx", "real")
"""What is imported when it is first asked for: `attnlab.real.smollm2()`."""


def __getattr__(name: str) -> ModuleType:
    if name in ROOMS:
        return import_module(f"attnlab.{name}")
    raise AttributeError(f"module 'attnlab' has no attribute {name!r}")


__all__ = [
    "GPT",
    "MASKS",
    "POSITIONS",
    "SCORES",
    "Additive",
    "Attention",
    "AttentionSeq2Seq",
    "Cache",
    "Concat",
    "ContentWithGain",
    "FixedContext",
    "General",
    "Location",
    "LuongSeq2Seq",
    "MaskedEncoder",
    "Memory",
    "MultiHeadAttention",
    "Perceptron",
    "Transformer",
    "attend",
    "beam",
    "best",
    "causal",
    "causal_window",
    "content",
    "device",
    "document",
    "dot",
    "everything",
    "exact",
    "fit",
    "greedy",
    "load",
    "look_inside",
    "masked_softmax",
    "measured",
    "override",
    "padding",
    "prefix",
    "record",
    "sample",
    "save",
    "scaled_dot",
    "sinusoidal",
    "teacher_forcing",
    "to_device",
    "tokens",
    "translate",
    "window",
    "write",
]
