"""Models as trained by others, in our own classes: same weights, same numbers. One file for each kind.

The tables say which of their tensors becomes which of our parameters. Nothing is downloaded but by `from_hub`, and
the package `transformers` is imported there alone. What comes out has no dropout.
"""

from attnlab.huggingface.albert import albert
from attnlab.huggingface.bert import bert, bert_encoder
from attnlab.huggingface.gpt2 import gpt2
from attnlab.huggingface.hub import from_hub, from_model
from attnlab.huggingface.vit import vit

__all__ = ["albert", "bert", "bert_encoder", "from_hub", "from_model", "gpt2", "vit"]
