"""HeadsExplorer: what it shows is what the model does, of every kind; by hand changed weights reach the answer."""

import numpy as np
import pytest
import torch
from explorers import code_gives_the_picture, drive, its_moment_opens
from foreign_models import attends_twice, ours_again, two_again
from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel, T5Config, T5ForConditionalGeneration

from attnlab import look_inside
from attnlab.analysis import without
from attnlab.tasks.text import Characters
from attnlab.transformer import gpt
from widgets.explorers.any_model.heads import HeadsExplorer

LETTERS = Characters("abcdefgh ")
TYPED = "a bad cabbage"


def opinionated(model):
    """Ten times as large numbers as at the start: sharp weights and answers."""
    for parameter in model.parameters():
        if parameter.ndim > 1:
            parameter.data *= 10
    return model.eval()


def gpt2():
    return GPT2LMHeadModel(GPT2Config(vocab_size=9, n_embd=12, n_layer=2, n_head=3, bos_token_id=0, eos_token_id=0))


def bert():
    return BertForMaskedLM(
        BertConfig(vocab_size=9, hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=10)
    )


@pytest.fixture(params=[gpt2, bert, lambda: gpt(9, 12, 3, 2, 16)], ids=["gpt2", "bert", "attnlab"])
def model(request):
    torch.manual_seed(0)
    return opinionated(request.param())


@pytest.fixture
def explorer(model):
    return HeadsExplorer(model, LETTERS, TYPED)


def chances_without(model, head, place):
    name = look_inside(model, LETTERS, TYPED).layers[0].name
    with without(model, [(name, head)]):
        return look_inside(model, LETTERS, TYPED).logits[place].softmax(-1)


def test_every_control(explorer, model):
    drive(explorer, model=model, tokenizer=LETTERS)
    for chosen in ([0, 2], [1, 1]):
        explorer.chosen = chosen
        seen = look_inside(model, LETTERS, TYPED)
        torch.testing.assert_close(explorer.weights, seen.layers[chosen[0]].weights[chosen[1]])
        code_gives_the_picture(explorer, model=model, tokenizer=LETTERS)


def test_the_answer_of_the_selected_row(explorer, model):
    logits = look_inside(model, LETTERS, TYPED).logits
    torch.testing.assert_close(explorer.chances, logits[-1].softmax(-1))
    explorer.cell = [0, 4, -1]
    torch.testing.assert_close(explorer.chances, logits[4].softmax(-1))
    matrix = explorer.parts["matrix"]
    best = int(logits[4].argmax())
    assert matrix.distribution_labels[matrix.distribution_chosen].replace("␣", " ") == LETTERS.vocabulary[best]
    assert matrix.distribution[0, matrix.distribution_chosen] == pytest.approx(float(explorer.chances[best]))


def test_a_head_that_is_off(explorer, model):
    explorer.off = [[0, 1]]
    torch.testing.assert_close(explorer.chances, chances_without(model, 1, -1))
    assert "with nothing changed it says" in repr(explorer.parts["caption"])
    explorer.chosen = [0, 1]
    assert not explorer.weights.any()
    assert not explorer.parts["matrix"].mask.any()
    assert "is off" in repr(explorer.parts["caption"])
    code_gives_the_picture(explorer, model=model, tokenizer=LETTERS)


def test_as_a_machine_it_is_the_same_model_without_the_same_heads(explorer):
    explorer.off = [[0, 1], [1, 2]]
    machine = explorer.machine()
    assert (machine.text, len(machine.off)) == (TYPED, 2)
    torch.testing.assert_close(machine.chances, explorer.chances)


@pytest.mark.parametrize("make", [two_again, ours_again, attends_twice])
def test_a_block_that_comes_again_is_without_a_head_in_one_of_its_calls(make):
    torch.manual_seed(0)
    explorer = HeadsExplorer(make().eval(), LETTERS, TYPED, off=[[0, 2]])
    found = explorer.result.now.seen.layers
    assert [bool(layer.weights[2].any()) for layer in found] == [number != 0 for number in range(len(found))]
    machine = explorer.machine()
    torch.testing.assert_close(machine.chances, explorer.chances)
    assert (machine.chances - machine.result.whole.chances).abs().max() > 1e-4


def test_weights_by_hand_reach_the_answer_and_stay_with_their_head(explorer, model):
    before = explorer.chances
    last, count = len(TYPED) - 1, len(TYPED)
    own = explorer.weights.clone()
    row = [1.0] + [0.0] * (count - 1)
    explorer.parts["matrix"].edits = {str(last): row}  # as by hand
    assert explorer.edits == {str(last): row}
    assert (explorer.chances - before).abs().max() > 1e-3
    np.testing.assert_allclose(explorer.parts["matrix"].values[0, 0], own, atol=1e-6)  # a stroke of Escape leads back
    assert explorer.parts["map"].changed == [[0, 0]]
    code_gives_the_picture(explorer, model=model, tokenizer=LETTERS)
    changed = explorer.chances
    explorer.chosen = [1, 2]
    assert (explorer.edits, explorer.parts["matrix"].edits) == ({}, {})
    torch.testing.assert_close(explorer.chances, changed)
    code_gives_the_picture(explorer, model=model, tokenizer=LETTERS)
    its_moment_opens(explorer)
    explorer.chosen = [0, 0]
    assert explorer.edits == {str(last): row}
    its_moment_opens(explorer)
    explorer.text = "abba"
    assert (explorer.edits, explorer.kept) == ({}, {})


def test_recorded_rows_by_hand_change_nothing(explorer):
    before = explorer.chances
    row = explorer.weights[-1].tolist()
    explorer.edits = {str(len(row) - 1): row}
    torch.testing.assert_close(explorer.chances, before, atol=1e-5, rtol=0)


def test_what_no_token_reads_is_hatched():
    torch.manual_seed(0)
    causal, both = HeadsExplorer(gpt2(), LETTERS, "bad"), HeadsExplorer(bert(), LETTERS, "bad")
    np.testing.assert_array_equal(causal.parts["matrix"].mask[0], np.tri(3))
    assert both.parts["matrix"].mask is None
    title = [explorer.parts["matrix"].distribution_title[0][0] for explorer in (causal, both)]
    assert title == ["next after ", "in place of "]


def test_an_encoder_decoder_has_three_kinds_of_layers():
    config = T5Config(vocab_size=9, d_model=12, d_kv=4, d_ff=10, num_layers=1, num_heads=3)
    config.decoder_start_token_id, config.eos_token_id = 0, 2
    explorer = HeadsExplorer(T5ForConditionalGeneration(config), LETTERS, "bad cab", written="ha")
    assert explorer.parts["map"].rows == ["encoder 1", "decoder 1", "to source 1"]
    explorer.chosen = [2, 1]
    matrix = explorer.parts["matrix"]
    assert (matrix.query_labels, matrix.key_labels) == ([" ", "h", "a"], ["b", "a", "d", " ", "c", "a", "b"])
    drive(explorer, model=explorer.model, tokenizer=LETTERS)


@pytest.mark.parametrize(
    ("typed", "message"), [("", "at least one token"), ("a bad zoo", "never seen"), ("a" * 2000, "at most")]
)
def test_a_bad_text_gets_a_sentence_and_loses_nothing(explorer, typed, message):
    before = explorer.parts["matrix"].values.copy()
    explorer.text = typed
    assert message in explorer.parts["caption"].error
    assert (explorer.parts["matrix"].values == before).all()
    explorer.text = TYPED
    assert explorer.parts["caption"].error == ""


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_a_model_of_other_numbers(dtype):
    """Models come in 16 bits today, and are shown as they compute."""
    torch.manual_seed(0)
    model = opinionated(gpt2()).to(dtype)
    explorer = HeadsExplorer(model, LETTERS, TYPED)
    drive(explorer, model=model, tokenizer=LETTERS)
    explorer.change(chosen=[0, 2], off=[])
    seen = look_inside(model, LETTERS, TYPED)
    np.testing.assert_array_equal(explorer.parts["matrix"].values[0, 0], seen.layers[0].weights[2].float())


def test_only_the_seen_head_goes_to_the_page(explorer):
    """The others as small pictures: a byte a cell."""
    explorer.text = "a bad cabbage a bad head"[:16]
    matrix, heads = explorer.parts["matrix"], explorer.parts["map"]
    assert matrix.values.shape == (1, 1, 16, 16)
    assert len(heads.cells) == sum(heads.counts) * 16 * 16


def test_few_runs_are_remembered(explorer):
    for head in range(3):
        explorer.off = [[1, head]]
        explorer.edits = {"2": [0.5, 0.5] + [0.0] * (len(TYPED) - 2)}
    assert len(explorer._known) <= 3
    assert (TYPED, "[]", "{}") in explorer._known


def test_a_head_that_is_off_has_no_rows_of_a_hand():
    torch.manual_seed(0)
    model = opinionated(gpt(9, 12, 3, 2, 16))
    explorer = HeadsExplorer(model, LETTERS, TYPED, edits={"3": [1.0, *[0.0] * 12]})
    explorer.off = [[0, 0]]
    assert explorer.edits == {}
    assert not explorer.weights.any()
    assert "Layer 1, head 1 is off" in repr(explorer.parts["caption"])
    code_gives_the_picture(explorer, model=model, tokenizer=LETTERS)
