"""HerdExplorer: what each code of positions lets a layer know, on equal words, in two directions, and moved."""

import pytest
import torch
from explorers import drive

from attnlab.positions import POSITIONS
from widgets.herd import EQUAL, HerdExplorer


@pytest.mark.parametrize("scheme", POSITIONS)
def test_all_controls(scheme):
    drive(HerdExplorer(scheme=scheme, text="dog bites the dog"))


def test_equal_words_are_one_word_without_positions():
    explorer = HerdExplorer()
    assert explorer.result.kinds == 1
    torch.testing.assert_close(explorer.weights, torch.full((8, 8), 1 / 8))
    for scheme, kinds in (("learned", 8), ("sinusoidal", 8), ("one_hot", 8)):
        explorer.scheme = scheme
        assert explorer.result.kinds == kinds


def test_only_what_moves_a_value_tells_equal_words_apart():
    """Bias and turns change the weights, but a mixture of equal values is the same whatever the weights."""
    explorer = HerdExplorer()
    for scheme in ("relative", "alibi", "rotary"):
        explorer.scheme = scheme
        assert explorer.result.kinds == 1
        assert explorer.weights.std() > 0.01


@pytest.mark.parametrize(("scheme", "blind"), [("none", True), ("alibi", True), ("relative", False),
                                               ("rotary", False), ("sinusoidal", False), ("learned", False),
                                               ("one_hot", False)])
def test_who_knows_left_from_right(scheme, blind):
    explorer = HerdExplorer(scheme=scheme, text="dog bites man")
    assert (explorer.result.swapped < EQUAL) == blind
    told = "".join(run[0] for run in explorer.parts["caption"].sentence)
    assert ("do not change" in told) == blind


@pytest.mark.parametrize(("scheme", "same"), [("relative", True), ("alibi", True), ("rotary", True),
                                              ("sinusoidal", False), ("learned", False), ("one_hot", False)])
def test_who_knows_distances_only(scheme, same):
    explorer = HerdExplorer(scheme=scheme, text="dog bites man", start=23)
    assert (explorer.result.moved < EQUAL) == same


def test_backwards_is_the_other_order():
    explorer = HerdExplorer(text="dog bites man", backwards=True)
    assert list(explorer.parts["matrix"].query_labels) == ["man", "bites", "dog"]


@pytest.mark.parametrize("text", ["dog", "a b c d e f g h i j k", "x" * 21 + " y"])
def test_other_words_are_refused(text):
    explorer = HerdExplorer()
    explorer.text = text
    assert explorer.parts["caption"].error.startswith("expected")
