"""QueryKeyValueExplorer: the whole of attention by hand, whatever number has been changed."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import attend, dot
from widgets.explorers.l04_query_key_value.query_key_value import QueryKeyValueExplorer


def test_every_control():
    drive(QueryKeyValueExplorer())


def tables(*names, explorer):
    return [torch.tensor(getattr(explorer, name)) for name in names]


def test_the_example_of_the_picture():
    explorer = QueryKeyValueExplorer()
    assert explorer.weights[1, 1].item() == pytest.approx(0.41, abs=0.005)
    assert explorer.context[1].tolist() == pytest.approx([0.47, 0.21], abs=0.005)
    assert explorer.weights[:, 4].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("name", ["query", "key", "value"])
def test_a_number_changed_in_the_picture_is_followed(name):
    explorer = QueryKeyValueExplorer()
    product = explorer.parts["product"]
    changed = getattr(product, name).copy()
    changed[1, 0] = 2.5
    setattr(product, name, changed)
    assert getattr(explorer, name)[1][0] == 2.5
    vectors = tables("query", "key", "value", explorer=explorer)
    mask = torch.tensor([True, True, True, True, False])
    torch.testing.assert_close(explorer.context, attend(*vectors, mask=mask).context)
    torch.testing.assert_close(torch.tensor(product.context), explorer.context)
    code_gives_the_picture(explorer)
    explorer.reset()
    assert getattr(product, name)[1, 0] != 2.5


def test_doubled_keys_are_half_the_temperature():
    explorer = QueryKeyValueExplorer()
    explorer.temperature = 0.5
    sharp = explorer.weights.clone()
    explorer.reset()
    explorer.double = 1
    torch.testing.assert_close(explorer.weights, sharp)
    explorer.double = 2
    assert explorer.key[1][0] == pytest.approx(4.8)
    explorer.reset()
    assert explorer.key[1][0] == 1.2


def test_the_hint_of_the_lesson_which_query_reads_it_now():
    explorer = QueryKeyValueExplorer()
    explorer.key = [[-1.2, 0.5, 0.3] if i == 1 else row for i, row in enumerate(explorer.key)]
    assert explorer.weights[:, 1].argmax() == 3
    assert explorer.weights[3].argmax() == 1


def test_dashes_are_the_other_division():
    explorer = QueryKeyValueExplorer()
    vectors = tables("query", "key", "value", explorer=explorer)
    mask = torch.tensor([True, True, True, True, False])
    other = attend(*vectors, score=dot, mask=mask).weights
    torch.testing.assert_close(torch.tensor(explorer.parts["product"].other), other)
    explorer.divide = False
    torch.testing.assert_close(explorer.weights, other)
    assert explorer.parts["product"].other_name == "divided"


def test_each_word_is_said_once():
    explorer = QueryKeyValueExplorer(cell=[0, 4], masked=False)
    assert repr(explorer.parts["caption"]).count("pad") == 1
    explorer = QueryKeyValueExplorer(query=[[0.0, 0.0]] * 4, cell=[1, 2])
    assert "and most" not in repr(explorer.parts["caption"])
