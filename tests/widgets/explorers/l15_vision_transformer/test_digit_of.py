"""DigitExplorer: a digit out of many."""

import pytest
import torch

from widgets.explorers.l15_vision_transformer.digit_of import paper
from widgets.explorers.l15_vision_transformer.heads_on_image import HeadsOnImageExplorer


def test_the_digit_is_the_one_that_was_chosen(model, digits):
    explorer = HeadsOnImageExplorer(model, digits, digit=4)
    assert torch.equal(explorer.chosen(explorer.state), digits.images[3:4, None])
    assert explorer.label(explorer.state) == digits.labels[3]
    assert torch.equal(paper(explorer.chosen(explorer.state)), 1 - digits.images[3])


def test_a_digit_that_is_not_there_is_told(model, digits):
    explorer = HeadsOnImageExplorer(model, digits)
    explorer.digit = 8
    assert "expected a digit from 1 to 7, got 8" in explorer.parts["caption"].error
    with pytest.raises(ValueError, match="from 1 to 7"):
        explorer.result  # noqa: B018
    explorer.digit = 7
    assert explorer.parts["caption"].error == ""
