"""ThreeAttentionsExplorer: each quarter is an attention of its own, and a bad text loses nothing.

That the weights are the model's is held in tests/attnlab/analysis/heads/test_three_attentions.py.
"""

import pytest
import torch
from explorers import drive
from shaken import shaken

from attnlab.trace import record
from attnlab.transformer import transformer
from widgets.explorers.l10_transformer.three_attentions import ThreeAttentionsExplorer

TEXT = "we are eating bread"


@pytest.fixture
def model(sizes):
    torch.manual_seed(0)
    return transformer(*sizes, dim=12, heads=3, layers=2).eval()


def test_every_control(model, task):
    drive(ThreeAttentionsExplorer(model, task, TEXT), model=model, task=task)


def test_each_quarter_is_an_attention_of_its_own(model, task):
    explorer = ThreeAttentionsExplorer(model, task, TEXT, layer=2, head=3)
    source, square, whole = 4, explorer.square, explorer.result.translation
    target = len(whole.written)
    assert list(square.shape) == [source + target] * 2
    ones = torch.ones(target)
    torch.testing.assert_close(square[:source, :source].sum(1), torch.ones(source))
    torch.testing.assert_close(square[source:, :source].sum(1), ones)
    torch.testing.assert_close(square[source:, source:].sum(1), ones)
    assert not square[:source, source:].any()
    assert not square[source:, source:].triu(1).any()
    fed = torch.tensor([[task.target_vocabulary.index(word) for word in whole.read]])
    with torch.no_grad(), record(model) as trace:
        model(task.read(TEXT)[None], torch.tensor([source]), fed)
    torch.testing.assert_close(square[source:, :source], trace["decoder.blocks.1.cross_attention"][0].weights[0, 2])


def test_head_0_is_the_mean(model, task):
    explorer = ThreeAttentionsExplorer(model, task, TEXT, layer=1)
    heads = []
    for head in (1, 2, 3):
        explorer.head = head
        heads.append(explorer.square)
    explorer.head = 0
    torch.testing.assert_close(explorer.square, torch.stack(heads).mean(0))


def test_what_is_hatched_is_what_may_not_be_read(model, task):
    matrix = ThreeAttentionsExplorer(model, task, TEXT).parts["matrix"]
    mask = torch.as_tensor(matrix.mask[0])
    assert mask[:4, :4].all()
    assert mask[4:, :4].all()
    assert not mask[:4, 4:].any()
    assert torch.equal(mask[4:, 4:], torch.ones_like(mask[4:, 4:]).tril())


def test_steps_forwards_and_backwards(model, task):
    explorer = ThreeAttentionsExplorer(model, task, TEXT, step=3)
    matrix, caption = explorer.parts["matrix"], explorer.parts["caption"]
    third = repr(caption)
    assert (matrix.current, matrix.produced) == (6, 6)
    explorer.step = 4
    assert matrix.current == 7
    assert repr(caption) != third
    explorer.step = 3
    assert (matrix.current, repr(caption)) == (6, third)


def test_the_model_may_have_learned_since(model, task):
    explorer = ThreeAttentionsExplorer(model, task, TEXT)
    before = explorer.square
    shaken(model.encoder)
    explorer.refresh()
    assert not torch.equal(explorer.square[:4, :4], before[:4, :4])


def test_the_name_holds_nothing_that_was_translated(model, task):
    explorer = ThreeAttentionsExplorer(model, task, TEXT, step=2)
    assert repr(explorer) == f"ThreeAttentionsExplorer(text={TEXT!r}, step=2, layer=2, head=0)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "got an empty text"),
        ("we are eating stones", "stones"),
        ("<b>we</b>", "not in this phrasebook"),
        ("we " * 100, "at most 120 characters"),
    ],
)
def test_bad_text_gets_a_sentence_and_loses_nothing(model, task, text, words):
    explorer = ThreeAttentionsExplorer(model, task, TEXT)
    before = explorer.square
    explorer.text = text
    assert words in explorer.parts["caption"].error
    explorer.text = TEXT
    assert explorer.parts["caption"].error == ""
    torch.testing.assert_close(explorer.square, before)
