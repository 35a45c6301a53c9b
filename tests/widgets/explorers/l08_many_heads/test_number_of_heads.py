"""NumberOfHeadsExplorer: the same maps, cut into more or fewer heads."""

import pytest
from explorers import drive

from widgets.explorers.l08_many_heads.number_of_heads import NumberOfHeadsExplorer


def said(explorer) -> str:
    return repr(explorer.parts["caption"])


def test_every_control():
    drive(NumberOfHeadsExplorer())


def test_the_same_parameters_whatever_the_cut():
    explorer = NumberOfHeadsExplorer()
    for heads in ("1", "2", "4", "8"):
        explorer.heads = heads
        assert explorer.weights.shape == (int(heads), 6, 6)
        assert "1,024 parameters without biases and 7,296 multiply-adds" in said(explorer)


@pytest.mark.parametrize("words", ["", "alone", "a b c d e f g h i"])
def test_it_refuses_too_few_and_too_many_words(words):
    explorer = NumberOfHeadsExplorer()
    explorer.words = words
    assert explorer.parts["caption"].error.startswith("expected 2 to 8 words")
