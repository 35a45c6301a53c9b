"""HeadViewExplorer: the weights are those that `record` hears, and a head that is off finds nothing."""

import string

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import override, record
from attnlab.tasks.text import Characters
from attnlab.transformer import modern_gpt
from widgets.base.words import visible
from widgets.explorers.l11_small_gpt.head_view import HeadViewExplorer


@pytest.fixture(scope="module")
def model(opinionated):
    return opinionated(layers=3, longest=64, times=8)


@pytest.fixture
def explorer(model, task):
    return HeadViewExplorer(model, task, begin="ten tan", token=4)


def test_every_control(explorer, model, task):
    drive(explorer, model=model, task=task)
    assert explorer.positions("layer") == [1, 2, 3]
    assert explorer.positions("head") == [1, 2]
    assert len(explorer.positions("token")) == len(explorer.result.ids)


def test_weights_and_chances_are_the_models(explorer, model):
    explorer.change(layer=3, head=2, token=6)
    tokens = torch.tensor([explorer.result.ids])
    with torch.no_grad(), record(model) as trace:
        logits = model(tokens)
    torch.testing.assert_close(explorer.weights, trace["blocks.2.attention"][0].weights[0, 1])
    torch.testing.assert_close(explorer.result.chances, logits[0, 5].softmax(-1))
    matrix = explorer.parts["matrix"]
    assert (matrix.current, matrix.produced, matrix.selected) == (5, 5, [0, 5, -1])
    chosen = matrix.distribution_labels[matrix.distribution_chosen]
    assert chosen == matrix.query_labels[6]


def test_a_head_that_is_off(explorer, model, task):
    explorer.change(layer=2, head=1, token=5, off=True)
    gone = torch.full((1, 2, 1, 1), torch.nan)
    gone[:, 0] = 0
    with torch.no_grad(), override(model, {"blocks.1.attention": gone}):
        logits = model(torch.tensor([explorer.result.ids]))
    torch.testing.assert_close(explorer.result.chances, logits[0, 4].softmax(-1))
    assert not explorer.weights.any()
    assert "is off" in repr(explorer.parts["caption"])
    code_gives_the_picture(explorer, model=model, task=task)


def test_letters_and_a_block_without_attention():
    letters = Characters(string.ascii_lowercase)
    torch.manual_seed(0)
    model = modern_gpt(26, 16, 2, 2, 32).eval()  # its first block has no attention
    explorer = HeadViewExplorer(model, letters, begin="qwertqw", length=3, layer=2)
    drive(explorer, model=model, task=letters)
    assert explorer.names == ["blocks.1.attention", "blocks.2.attention"]
    explorer.begin = "q1"
    assert "never seen" in explorer.parts["caption"].error


@pytest.mark.parametrize("begin", ["", "ten " * 60])
def test_a_bad_beginning_gets_a_sentence_and_loses_nothing(explorer, begin):
    before = explorer.parts["matrix"].values.copy()
    explorer.begin = begin
    assert "expected a beginning of 1 to 20 tokens" in explorer.parts["caption"].error
    assert (explorer.parts["matrix"].values == before).all()


def test_another_text(explorer):
    before = explorer.result.ids
    explorer.again += 1
    assert explorer.result.ids != before
    assert repr(explorer) == "HeadViewExplorer(begin='ten tan', token=4, layer=1, head=1, off=False, again=1)"


def test_behind_the_last_token_the_likeliest_is_that_of_what_is_seen(explorer, task):
    for layer, head in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]:
        explorer.change(token=len(explorer.result.ids), layer=layer, head=head, off=True)
        likeliest = task.vocabulary[int(explorer.result.chances.argmax())]
        assert f"next token is “{visible(likeliest)}”" in repr(explorer.parts["caption"])
