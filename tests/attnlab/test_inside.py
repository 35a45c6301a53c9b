"""`look_inside`: what is found is what the model does, for every kind of tokenizer; and what cannot be is said."""

import re

import numpy as np
import pytest
import torch
from foreign_models import llama
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import nn
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from attnlab import look_inside, override
from attnlab.inside import evaluating, given_heads
from attnlab.tasks.text import Characters
from attnlab.transformer import gpt, shared_transformer
from attnlab.vision.vit import vit

WORDS = ["[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "on", "mat", "##s"]
SIZES = {"vocab_size": 9, "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 10}


@pytest.fixture(scope="module")
def pieces():
    """Of the package tokenizers."""
    made = Tokenizer(models.WordPiece({word: id for id, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return made


@pytest.fixture(scope="module")
def words(pieces):
    """Of transformers."""
    return PreTrainedTokenizerFast(
        tokenizer_object=pieces, unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", pad_token="[SEP]"
    )


@pytest.fixture
def letters():
    return Characters("abcdefgh ")


def gpt2(**more):
    return GPT2LMHeadModel(GPT2Config(vocab_size=9, n_embd=12, n_layer=2, n_head=3, n_positions=8, **more))


def test_what_is_found_is_what_the_model_does(words):
    model = gpt2(attn_implementation="eager").train()
    seen = look_inside(model, words, "the cats sat")
    assert model.training, "as it was"
    assert seen.tokens == ["[CLS]", "the", "cat", "##s", "sat", "[SEP]"]
    assert [layer.name for layer in seen.layers] == ["transformer.h.0.attn", "transformer.h.1.attn"]
    assert (seen.ahead, seen.written, seen.label(7)) == (False, [], "mat")
    with torch.no_grad():
        out = model.eval()(torch.tensor([[1, 3, 4, 8, 5, 2]]), output_attentions=True)
    torch.testing.assert_close(seen.logits, out.logits[0], atol=1e-5, rtol=0)
    for layer, own in zip(seen.layers, out.attentions, strict=True):
        torch.testing.assert_close(layer.weights, own[0], atol=1e-6, rtol=0)
        assert layer.queries is layer.keys is seen.tokens


class Torchs(nn.Module):
    """A table, torch's own attention with a causal mask, an output map."""

    def __init__(self):
        super().__init__()
        self.table, self.output = nn.Embedding(9, 12), nn.Linear(12, 9)
        self.attention = nn.MultiheadAttention(12, 3, batch_first=True)

    def forward(self, ids):
        x, mask = self.table(ids), torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).triu(1)
        return self.output(self.attention(x, x, x, attn_mask=mask, need_weights=False)[0])


@pytest.mark.parametrize(("make", "name", "heads"), [(Torchs, "attention", 3), (llama, "model.layers.0.self_attn", 4)])
def test_torchs_own_attention_and_one_with_shared_keys(make, name, heads, words):
    """Each is read as it is, and one head of it is switched off."""
    model = make().eval()
    seen = look_inside(model, words, "the cats sat")
    with torch.no_grad():
        said = model(torch.tensor([words.convert_tokens_to_ids(seen.tokens)]))
    torch.testing.assert_close(seen.logits, getattr(said, "logits", said)[0])
    assert (seen.layers[0].name, list(seen.layers[0].weights.shape)) == (name, [heads, 6, 6])
    torch.testing.assert_close(seen.layers[0].weights.sum(-1), torch.ones(heads, 6))
    with override(model, given_heads(seen.layers, off=[(0, 1)])):
        off = look_inside(model, words, "the cats sat")
    assert not off.layers[0].weights[1].any()
    assert (off.logits - seen.logits).abs().max() > 0


def test_every_kind_of_tokenizer(words, pieces, letters):
    assert look_inside(gpt2(), pieces, "the cat").tokens == look_inside(gpt2(), words, "the cat").tokens
    seen = look_inside(gpt(9, 8, 2, 1, 8), letters, "a bad h")
    assert seen.tokens == list("a bad h")
    assert (list(seen.logits.shape), seen.layers[0].name, seen.label(0)) == ([7, 9], "blocks.0.attention", " ")


class Alone:
    """As nanoGPT's, tiktoken's and sentencepiece's: ids alone are decoded."""

    def __init__(self, kind=list):
        self.kind = kind

    def encode(self, text):
        return self.kind([WORDS.index(word) for word in text.split()])

    def decode(self, ids):
        return " ".join(WORDS[id] for id in ids)


@pytest.mark.parametrize("kind", [list, np.array, lambda ids: torch.tensor([ids])])
def test_tokenizers_of_other_libraries(kind):
    seen = look_inside(Torchs(), Alone(kind), "the cat sat")
    assert seen.tokens == ["the", "cat", "sat"]
    assert seen.label(6) == "on"


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda logits: (logits, None),
        lambda logits: {"loss": torch.zeros(()), "logits": logits},
        lambda logits: [logits],
    ],
)
def test_logits_among_what_is_returned(wrapped):
    model = Torchs()
    alone = look_inside(model, Alone(), "the cat sat").logits
    model.register_forward_hook(lambda module, given, output: wrapped(output))
    assert torch.equal(look_inside(model, Alone(), "the cat sat").logits, alone)


def test_logits_of_the_last_place_alone(letters):
    model = Torchs()
    whole = look_inside(model, letters, "a bad h")
    model.register_forward_hook(lambda module, given, output: output[:, -1])
    for tokenizer in letters, Alone():
        seen = look_inside(model, tokenizer, "a bad h" if tokenizer is letters else "the cat sat")
        assert list(seen.logits.shape) == [1, 9]
        assert not seen.classes, "it says a token"
    seen = look_inside(model, letters, "a bad h")
    assert torch.equal(seen.logits[0], whole.logits[-1])
    assert seen.label(0) == " "


def test_nothing_is_dropped_out_and_the_mode_comes_back(words):
    model = nn.Sequential(Torchs(), nn.Dropout(0.5)).train()
    model[0].attention.eval()
    first, second = (look_inside(model, words, "the cat").logits for _ in range(2))
    assert torch.equal(first, second)
    assert (model[1].training, model[0].training, model[0].attention.training) == (True, True, False)


def test_a_model_that_reads_as_much_as_you_like(words):
    model = Torchs()
    model.longest = -1
    assert len(look_inside(model, words, "the cat").tokens) == 4


def test_an_encoder_looks_ahead_and_may_end_without_an_output_map(words):
    seen = look_inside(BertModel(BertConfig(**SIZES)), words, "the cat")
    assert (seen.ahead, seen.logits) == (True, None)


def test_a_model_that_names_the_whole_text(words):
    names = {0: "a dog", 1: "a cat"}
    model = BertForSequenceClassification(BertConfig(**SIZES, id2label=names))
    seen = look_inside(model, words, "the cat")
    assert list(seen.logits.shape) == [1, 2]
    assert seen.label(1) == "a cat"
    assert seen.classes


def test_three_attentions_of_an_encoder_decoder(words):
    config = T5Config(vocab_size=9, d_model=12, d_kv=4, d_ff=10, num_layers=1, num_heads=3, decoder_start_token_id=2)
    seen = look_inside(T5ForConditionalGeneration(config), words, "the cat sat", written="mats")
    assert seen.written == ["[SEP]", "[CLS]", "mat", "##s", "[SEP]"]
    kinds = [(layer.queries is seen.written, layer.keys is seen.written) for layer in seen.layers]
    assert kinds == [(False, False), (True, True), (True, False)]
    assert [list(layer.weights.shape) for layer in seen.layers] == [[3, 5, 5], [3, 5, 5], [3, 5, 5]]
    assert list(seen.logits.shape) == [5, 9]
    assert not seen.ahead


def test_calls_of_one_block_have_names_of_their_own(words):
    albert = AlbertForMaskedLM(AlbertConfig(**{**SIZES, "num_hidden_layers": 3}, embedding_size=5))
    seen = look_inside(albert, words, "the cat")
    [name] = {layer.name.partition("#")[0] for layer in seen.layers}
    assert [layer.name for layer in seen.layers] == [f"{name}#{call}" for call in range(3)]
    with override(albert, given_heads(seen.layers, off=[(1, 2)])):
        off = look_inside(albert, words, "the cat")
    assert [bool(layer.weights[2].any()) for layer in off.layers] == [True, False, True]


@pytest.mark.parametrize("make", [gpt2, lambda: gpt(9, 12, 3, 2, 8)], ids=["transformers", "attnlab"])
def test_rows_and_heads_as_override_takes_them(make, pieces):
    model = make().eval()
    seen = look_inside(model, pieces, "the cat")
    row = [0.25, 0.75, 0.0, 0.0]
    with override(model, given_heads(seen.layers, off=[(1, 0)], rows={(0, 2): {1: row}})):
        now = look_inside(model, pieces, "the cat")
    torch.testing.assert_close(now.layers[0].weights[2, 1], torch.tensor(row))
    torch.testing.assert_close(now.layers[0].weights[2, 2], seen.layers[0].weights[2, 2])
    assert not now.layers[1].weights[0].any()
    assert (now.logits - seen.logits).abs().max() > 0
    torch.testing.assert_close(look_inside(model, pieces, "the cat").logits, seen.logits)


# What cannot be


class Fused(nn.Module):
    """A kernel that nobody hears, and no attention."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 4)

    def forward(self, ids):
        return self.table(ids)


class Configured(Fused):
    """As models of transformers are."""

    config = None


class Folded(nn.Module):
    """Its three heads lie in the batch."""

    def __init__(self, dim):
        super().__init__()
        self.table = nn.Embedding(9, dim)

    def forward(self, ids):
        x = self.table(ids)
        heads = x.unflatten(-1, (3, -1)).transpose(1, 2).flatten(0, 1)
        return nn.functional.scaled_dot_product_attention(heads, heads, heads)


class Halves(nn.Module):
    """Takes no ids."""

    def forward(self, x):
        return (x / 2 @ torch.ones(3)).softmax(-1)


class Cannot:
    unk_token_id, all_special_ids = 0, (0, 1)

    def __init__(self, answer):
        self.answer = answer

    def encode(self, text):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Mute(Cannot):
    def decode(self, ids, **options):
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("model", "tokenizer", "typed", "message"),
    [
        (gpt2, None, "", "at least one token, got an empty one: write something"),
        (gpt2, None, "  ", "at least one token"),
        (
            gpt2,
            None,
            "the cat sat on the mat mat",
            "the text has 9 tokens and the model reads at most 8: take a shorter one",
        ),
        (lambda: gpt(9, 8, 2, 1, 3), None, "the cat", "the text has 4 tokens and the model reads at most 3"),
        (gpt2, None, "dog", "knows nothing of 'dog'"),
        (gpt2, 7, "the cat", "expected a tokenizer that encodes a text, got int"),
        (gpt2, Cannot(KeyError("x")), "the cat", "the tokenizer cannot encode 'the cat': 'x'"),
        (gpt2, Cannot(["a"]), "the cat", "expected a tokenizer that gives ids for 'the cat', got ['a']"),
        (gpt2, Cannot([3, 12]), "the cat", "gives the id 12 and the model knows ids from 0 to 8: take the tokenizer"),
        (gpt2, Characters("abc"), "dog", "never seen in this text"),
        (
            Fused,
            None,
            "the cat",
            "no attention was heard in Fused. Heard are torch's scaled_dot_product_attention, nn.Multihead",
        ),
        (
            Configured,
            None,
            "the cat",
            "no attention was heard in Configured. Perhaps a fused kernel does it that keeps no weights: load",
        ),
        (
            lambda: Folded(12),
            None,
            "the cat",
            "for one text, got [3, 1, 4, 4] of 'Folded': its heads, or its tokens, lie in the batch",
        ),
        (gpt2, Mute([3, 4]), "the cat", "the tokenizer cannot say what the id 3 stands for: no words"),
        (Halves, None, "the cat", "Halves could not read 4 ids [1, 4]"),
        (
            torch.jit.ScriptModule,
            None,
            "the cat",
            "TorchScript: take the model that it was made from",
        ),
        (lambda: vit(8, 4, 6, 2, 1), None, "the cat", "ViT could not read 4 ids [1, 4]: expected"),
        (lambda: shared_transformer(9, 8, 2, 1), None, "the cat", "could not read 4 ids"),
    ],
)
def test_a_sentence_says_what_to_do(model, tokenizer, typed, message, words):
    with pytest.raises(ValueError, match=re.escape(message)):
        look_inside(model(), words if tokenizer is None else tokenizer, typed)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"off": [(2, 0)]}, "expected (layer, head) within layers of [3, 3] heads, got (2, 0)"),
        ({"off": [(0, 3)]}, "got (0, 3)"),
        ({"off": [(-1, 0)]}, "got (-1, 0)"),
        ({"rows": {(0, 1): {9: [1.0] * 4}}}, "expected 4 weights for a query from 0 to 3, got 4 for 9"),
        ({"rows": {(0, 1): {0: [1.0]}}}, "got 1 for 0"),
    ],
)
def test_heads_and_rows_that_there_are_not(changes, message, words):
    seen = look_inside(gpt2(), words, "the cat")
    with pytest.raises(ValueError, match=re.escape(message)):
        given_heads(seen.layers, **changes)


def test_a_text_as_long_as_the_model_reads(words):
    assert len(look_inside(gpt(9, 8, 2, 1, 4), words, "the cat").tokens) == 4


def test_an_id_below_0(words):
    with pytest.raises(ValueError, match="gives the id -1 and the model knows ids from 0 to 8: take the tokenizer"):
        look_inside(gpt2(), Cannot([-1, 3]), "the cat")


def test_what_is_written_so_far_has_no_end(words):
    sizes = {"d_model": 12, "d_kv": 4, "d_ff": 10, "num_layers": 1, "num_heads": 3}
    model = T5ForConditionalGeneration(T5Config(vocab_size=9, decoder_start_token_id=0, eos_token_id=2, **sizes))
    assert look_inside(model, words, "the cat", "the mat").written == ["[UNK]", "[CLS]", "the", "mat"]


def test_a_part_that_stands_in_two_places_comes_back_in_its_mode():
    part = nn.Dropout(0.5)
    model = nn.Sequential(nn.Sequential(part), nn.Sequential(part))
    part.eval()
    with evaluating(model):
        assert not model.training
    assert (model.training, model[1].training, part.training) == (True, True, False)


class Ends(Alone):
    """As GPT-2's: the token that ends a text stands for the unknown too."""

    unk_token_id = eos_token_id = 0
    all_special_ids = (0,)


def test_the_token_that_ends_a_text_is_known():
    assert look_inside(gpt2(), Ends(), "[UNK]").tokens == ["[UNK]"]


def test_what_is_narrower_than_the_vocabulary_says_no_token(words):
    model = Torchs()
    model.register_forward_hook(lambda module, given, output: output[..., :5])
    assert look_inside(model, words, "the cat").logits is None
