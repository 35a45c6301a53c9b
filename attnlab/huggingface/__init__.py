"""Models as trained by others, in our own classes: same weights, same numbers. One file for each kind.

The tables say which of their tensors becomes which of our parameters. Nothing is downloaded but by `from_hub`, and
the package `transformers` is imported there alone. What comes out has no dropout. No pickle is ever opened.
"""

from attnlab.huggingface.albert import albert
from attnlab.huggingface.bert import bert, bert_encoder
from attnlab.huggingface.dinov2 import dinov2
from attnlab.huggingface.gpt2 import gpt2
from attnlab.huggingface.hub import from_folder, from_hub, from_model
from attnlab.huggingface.llama import llama
from attnlab.huggingface.vit import vit

__all__ = [
    "albert",
    "bert",
    "bert_encoder",
    "dinov2",
    "from_folder",
    "from_hub",
    "from_model",
    "gpt2",
    "llama",
    "vit",
]
