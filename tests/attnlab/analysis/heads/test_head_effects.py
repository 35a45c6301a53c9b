"""Heads switched off one by one, against models whose heads were told what to be worth."""

import pytest
import torch
from torch import nn

from attnlab.analysis.heads.head_effects import HeadEffect, head_effects, stands_out
from attnlab.seq2seq import FixedContext
from attnlab.transformer import gpt, transformer, universal

TOKENS = torch.tensor([[3, 1, 4, 1, 5]])


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = gpt(11, 12, 3, 2, longest=9).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    return model


def adds_nothing(attention, head):
    """The head as if it were not there: its columns of the output map are 0."""
    columns = attention.output.weight.data.unflatten(1, (attention.heads, -1))
    columns[:, head] = 0


def test_each_head_against_a_model_in_which_it_writes_nothing(model):
    effects = head_effects(model, TOKENS)
    assert [(effect.attention, effect.head) for effect in effects] == [
        (f"blocks.{layer}.attention", head) for layer in range(2) for head in range(3)
    ]
    with torch.no_grad():
        whole = model(TOKENS)[0, -1].softmax(-1)
        for effect in effects:
            attention = model.get_submodule(effect.attention)
            before = attention.output.weight.data.clone()
            adds_nothing(attention, effect.head)
            off = model(TOKENS)[0, -1].softmax(-1)
            attention.output.weight.data = before
            assert effect.token == int(whole.argmax())
            assert effect.whole == pytest.approx(float(whole.max()), abs=1e-5)
            assert effect.off == pytest.approx(float(off[effect.token]), abs=1e-5)
            assert effect.moved == pytest.approx(float((whole - off).clamp(min=0).sum()), abs=1e-5)


def test_another_place(model):
    effects = head_effects(model, TOKENS, place=1)
    first = head_effects(model, TOKENS[:, :2])
    assert [effect.token for effect in effects] == [effect.token for effect in first]
    for effect, expected in zip(effects, first, strict=True):
        assert effect.off == pytest.approx(expected.off, abs=1e-5)


def test_a_translator_and_a_block_that_is_repeated():
    inputs = TOKENS, torch.tensor([5]), TOKENS[:, :3]
    names = [effect.attention for effect in head_effects(transformer(11, 11, 6, 1, 1).eval(), *inputs)]
    assert names == ["encoder.blocks.0.attention", "decoder.blocks.0.attention", "decoder.blocks.0.cross_attention"]
    assert len(head_effects(universal(11, 11, 6, 2, depth=3).eval(), *inputs)) == 6


def effect(head, whole, off):
    return HeadEffect("attention", head, 0, whole, off, abs(whole - off))


@pytest.mark.parametrize(
    ("offs", "found"),
    [
        ([0.8, 0.1, 0.7], 1),
        ([0.8, 0.66, 0.8], None),  # too little
        ([0.1, 0.3, 0.8], None),  # two heads
        ([0.4, 0.61, 0.8], 0),  # a little more than twice as much
        ([0.8, 1.0, 0.9], None),  # it gains
        ([0.64, 1.0], 0),  # the other gains more than this one loses
        ([0.1], 0),
        ([], None),
    ],
)
def test_which_head_stands_out(offs, found):
    effects = [effect(head, 0.8, off) for head, off in enumerate(offs)]
    assert stands_out(effects) == (None if found is None else effects[found])


@pytest.mark.usefixtures("as_a_learner")
def test_what_cannot_be_measured(model):
    with pytest.raises(ValueError, match="a model with heads to switch off, got FixedContext, which has none"):
        head_effects(FixedContext(11, 11, hidden=3, embedding=3), TOKENS)
    with pytest.raises(ValueError, match=r"logits \[1, places, vocabulary\], got \[2, 5, 11\]"):
        head_effects(model, TOKENS.expand(2, -1))
    with pytest.raises(ValueError, match="a place below 5, got 5"):
        head_effects(model, TOKENS, place=5)
    model.output = nn.Linear(12, 11)
    model.output.bias.data[2] = torch.nan
    with pytest.raises(ValueError, match="logits that are numbers, got nan"):
        head_effects(model, TOKENS)
