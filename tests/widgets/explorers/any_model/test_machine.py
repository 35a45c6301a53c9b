"""ModelMachineExplorer: what it shows is what the model does, of either arrangement; a head off reaches the answer."""

import numpy as np
import pytest
import torch
from explorers import drive
from foreign_models import LETTERS, added_to, albert, bert, gpt2, llama, ours, side_by_side
from transformers import GPT2Config, GPT2Model

from attnlab import look_inside
from attnlab.analysis import without
from attnlab.tasks.text import Characters
from widgets.explorers.any_model import machine
from widgets.explorers.any_model.machine import ModelMachineExplorer

TYPED = "a bad cabbage"


def opinionated(make):
    torch.manual_seed(0)
    model = make().eval()
    for parameter in model.parameters():
        if parameter.ndim > 1:
            parameter.data *= 10
    return model


@pytest.mark.parametrize("make", [gpt2, bert, albert, llama, ours])
def test_every_control(make):
    model = opinionated(make)
    drive(ModelMachineExplorer(model, LETTERS, TYPED), model=model, tokenizer=LETTERS)


@pytest.mark.parametrize(("make", "call"), [(gpt2, ""), (bert, ""), (albert, "#0"), (llama, "")])
def test_a_head_that_is_off(make, call):
    """Of a block that is called several times, in its first call alone."""
    model = opinionated(make)
    explorer = ModelMachineExplorer(model, LETTERS, TYPED)
    whole = look_inside(model, LETTERS, TYPED).logits[-1].softmax(-1)
    torch.testing.assert_close(explorer.chances, whole)
    heads = explorer.parts["machine"].offers("off")
    explorer.off = heads[1]
    name = explorer.off[0].rpartition(":")[0]
    with without(model, [(f"{name}{call}", 0)]):
        left = look_inside(model, LETTERS, TYPED).logits[-1].softmax(-1)
    torch.testing.assert_close(explorer.chances, left)
    assert not torch.allclose(left, whole)
    shown, was = (explorer.parts["machine"].tensor(f"next/{which}") for which in ("out", "was"))
    assert shown.sum() == pytest.approx(1, abs=1e-5)
    logits = explorer.result.seen.logits[-1, explorer.result.whole.shown]
    assert explorer.parts["machine"].tensor("next/logits") == pytest.approx(logits.numpy(), abs=1e-6)
    assert was[:-1] == pytest.approx(whole[explorer.result.whole.shown].numpy(), abs=1e-6)
    assert not explorer.parts["machine"].tensor(f"{name}/adds")[0].any()


@pytest.mark.parametrize("make", [gpt2, bert, albert])
def test_a_block_from_near_has_all_that_is_drawn_of_its_heads(make):
    explorer = ModelMachineExplorer(opinionated(make), LETTERS, TYPED)
    _, first, second, *_ = explorer.parts["machine"].offers("zoom")
    for zoom, other in ((first, second), (second, first)):
        explorer.zoom = zoom
        tensors = explorer.parts["machine"].spec["tensors"]
        attentions = {node["in"]: node["id"] for node in explorer.result.spec.nodes if node["kind"] == "attention"}
        assert {f"{attentions[zoom]}/{one}" for one in ("q", "k", "v", "weights", "context", "adds")} <= {*tensors}
        assert f"{attentions[other]}/q" not in tensors


def test_the_numbers_of_a_head_come_when_it_is_seen_from_near():
    explorer = ModelMachineExplorer(opinionated(gpt2), LETTERS, TYPED)
    few = len(explorer.parts["machine"].numbers)
    explorer.zoom = "transformer.h.1.attn:2"
    tensors = explorer.parts["machine"].spec["tensors"]
    assert {"transformer.h.1.attn/q", "transformer.h.1.attn/scores"} <= tensors.keys()
    assert "transformer.h.0.attn/q" not in tensors
    assert len(explorer.parts["machine"].numbers) > few
    assert "reads" in repr(explorer.parts["caption"])


def test_a_model_that_says_nothing():
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=9, n_embd=12, n_layer=2, n_head=3, bos_token_id=0, eos_token_id=0)
    explorer = ModelMachineExplorer(GPT2Model(config).eval(), LETTERS, TYPED)
    assert explorer.chances is None
    assert not any(node["kind"] == "word" for node in explorer.parts["machine"].spec["nodes"] if node["id"])
    assert "One stream" in repr(explorer.parts["caption"])


def test_a_nan_behind_the_last_block_is_drawn():
    model = opinionated(gpt2)
    model.transformer.ln_f.weight.data[0] = torch.nan
    explorer = ModelMachineExplorer(model, LETTERS, TYPED)
    assert not explorer.parts["caption"].error
    machine = explorer.parts["machine"]
    assert np.isnan(machine.tensor("next/logits")).all()
    assert not np.isnan(machine.tensor("transformer.h.1.attn/weights")).any()


def test_the_place_of_a_hidden_token_is_read():
    class Hiding(Characters):
        mask_token = "d"

    model = opinionated(bert)
    explorer = ModelMachineExplorer(model, Hiding("abcdefgh "), TYPED)
    place = TYPED.index("d")
    torch.testing.assert_close(explorer.chances, look_inside(model, LETTERS, TYPED).logits[place].softmax(-1))
    assert explorer.parts["machine"].spec["read"] == place


def test_what_is_not_drawn_is_said():
    explorer = ModelMachineExplorer(opinionated(added_to), LETTERS, TYPED)
    assert "do not pass one stream on" in explorer.parts["caption"].error


def test_a_block_that_does_not_add_up_is_a_box_and_the_answer_is_the_models():
    model = opinionated(side_by_side)
    explorer = ModelMachineExplorer(model, LETTERS, TYPED)
    assert explorer.parts["caption"].error == ""
    torch.testing.assert_close(explorer.chances, look_inside(model, LETTERS, TYPED).logits[-1].softmax(-1))
    assert "plain box" in repr(explorer.parts["caption"])
    assert "plain box" not in repr(ModelMachineExplorer(opinionated(gpt2), LETTERS, TYPED).parts["caption"])


def test_a_text_that_cannot_be_read_keeps_the_last_picture():
    explorer = ModelMachineExplorer(opinionated(gpt2), LETTERS, TYPED)
    before = explorer.parts["machine"].numbers
    explorer.text = " "
    assert explorer.parts["caption"].error
    assert explorer.parts["machine"].numbers is before


def test_a_text_with_too_many_weights_is_refused(monkeypatch):
    explorer = ModelMachineExplorer(opinionated(gpt2), LETTERS, TYPED)
    monkeypatch.setattr(machine, "MOST", 6 * 14**2)  # of two layers with three heads each
    explorer.text = "a bad cabbage "
    assert not explorer.parts["caption"].error
    explorer.text = "a bad cabbage a"
    assert "fewer than 15 tokens" in explorer.parts["caption"].error
    assert explorer.parts["machine"].spec["labels"]["token"][0] == "a", "the last picture stays"
