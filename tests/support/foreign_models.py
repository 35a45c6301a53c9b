"""Small random models, each with its blocks arranged in its own way: of other libraries, and one of ours."""

from torch import nn
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

from attnlab.tasks.text import Characters
from attnlab.transformer import gpt

LETTERS = Characters("abcdefgh ")
SMALL = {"vocab_size": 9, "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 10}
ENDS = {"bos_token_id": 0, "eos_token_id": 0}


def gpt2():
    return GPT2LMHeadModel(GPT2Config(vocab_size=9, n_embd=12, n_layer=2, n_head=3, **ENDS))


def bert():
    return BertForMaskedLM(BertConfig(**SMALL))


def albert():
    """One block, called three times."""
    return AlbertForMaskedLM(AlbertConfig(**{**SMALL, "num_hidden_layers": 3}, embedding_size=8))


def llama():
    wide = {**SMALL, "hidden_size": 16, "num_attention_heads": 4}
    return LlamaForCausalLM(LlamaConfig(**wide, num_key_value_heads=2, **ENDS))


def ours():
    return gpt(9, 12, 3, 2, 16)


def side_by_side():
    """Attention and feed-forward network read the same stream."""
    return GPTNeoXForCausalLM(GPTNeoXConfig(**{**SMALL, "hidden_size": 16, "num_attention_heads": 4}, **ENDS))


def t5():
    return T5ForConditionalGeneration(T5Config(vocab_size=9, d_model=16, d_kv=4, num_layers=2, num_heads=4, d_ff=20))


class Patches(nn.Module):
    """Attention among patches of 4 x 4 pixels, without a class token."""

    def __init__(self, channels):
        super().__init__()
        self.embed, self.attention = nn.Conv2d(channels, 8, 4, 4), nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, picture):
        x = self.embed(picture).flatten(2).mT
        return self.attention(x, x, x)[0]
