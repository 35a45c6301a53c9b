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


def torchs():
    """A block of torch's."""
    return nn.TransformerEncoderLayer(12, 3, 20, batch_first=True)


class Attends(nn.Module):
    """x with what one attention of torch's finds, some times."""

    def __init__(self, attention, times=1):
        super().__init__()
        self.attention, self.times = attention, times

    def forward(self, x):
        for _ in range(self.times):
            x = x + self.attention(x, x, x)[0]
        return x


class Again(nn.Module):
    """Blocks in turn, three times, each of which is given the stream with something added."""

    def __init__(self, *blocks, added=0.0):
        super().__init__()
        self.embed, self.blocks, self.output = nn.Embedding(9, 12), nn.ModuleList(blocks), nn.Linear(12, 9)
        self.added = added

    def forward(self, ids):
        x = self.embed(ids)
        for _ in range(3):
            for block in self.blocks:
                x = block(x + self.added)
        return self.output(x)


def two_again():
    return Again(torchs(), torchs())


def added_to():
    """As where a Universal Transformer says which step it is."""
    return Again(torchs(), added=1.0)


def of_torch():
    return nn.MultiheadAttention(12, 3, batch_first=True)


def attends_twice():
    return Again(Attends(of_torch(), times=2))


class AttendsTwo(nn.Module):
    """x with what an attention finds, then with what another one finds in its norm."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = of_torch(), nn.LayerNorm(12), of_torch()

    def forward(self, x):
        x = x + self.first(x, x, x)[0]
        y = self.norm(x)
        return x + self.second(y, y, y)[0]


def attends_two():
    return Again(AttendsTwo())


def shared_attention():
    attention = of_torch()
    return Again(Attends(attention), Attends(attention))


def ours_again():
    """One block of ours, called twice."""
    model = ours()
    model.blocks[1] = model.blocks[0]
    return model


class Patches(nn.Module):
    """Attention among patches of 4 x 4 pixels, without a class token."""

    def __init__(self, channels):
        super().__init__()
        self.embed, self.attention = nn.Conv2d(channels, 8, 4, 4), nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, picture):
        x = self.embed(picture).flatten(2).mT
        return self.attention(x, x, x)[0]
