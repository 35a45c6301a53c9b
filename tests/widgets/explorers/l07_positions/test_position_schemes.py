"""What each code of positions lets a layer know, on equal words, in two directions, and moved."""

import pytest
import torch
from explorers import code_gives_the_picture, drive, frames_are_the_pictures, reads_well

from attnlab.positions import POSITIONS
from widgets.explorers.l07_positions.position_schemes import EQUAL, PositionSchemesExplorer


def test_every_control():
    drive(PositionSchemesExplorer(scheme="one_hot", text="dog bites the dog"))


@pytest.mark.parametrize("scheme", POSITIONS)
def test_each_scheme_at_three_places(scheme, monkeypatch):
    explorer = PositionSchemesExplorer(scheme=scheme, text="dog bites the dog")
    monkeypatch.setattr(explorer, "positions", lambda name: [0, 13, 40])
    frames_are_the_pictures(explorer, "start")
    for start, causal_mask, backwards in [(0, False, True), (13, True, False), (40, True, True)]:
        explorer.change(start=start, causal_mask=causal_mask, backwards=backwards)
        reads_well(explorer)
        code_gives_the_picture(explorer)


def test_equal_words_are_one_word_without_positions():
    explorer = PositionSchemesExplorer()
    assert explorer.result.kinds == 1
    torch.testing.assert_close(explorer.weights, torch.full((8, 8), 1 / 8))
    for scheme, kinds in (("learned", 8), ("sinusoidal", 8), ("one_hot", 8)):
        explorer.scheme = scheme
        assert explorer.result.kinds == kinds


def test_only_what_moves_a_value_tells_equal_words_apart():
    """Bias and turns change the weights, but a mixture of equal values is the same whatever the weights."""
    explorer = PositionSchemesExplorer()
    for scheme in ("relative", "alibi", "rotary"):
        explorer.scheme = scheme
        assert explorer.result.kinds == 1
        assert explorer.weights.std() > 0.01


@pytest.mark.parametrize(
    ("scheme", "blind"),
    [
        ("none", True),
        ("alibi", True),
        ("relative", False),
        ("rotary", False),
        ("sinusoidal", False),
        ("learned", False),
        ("one_hot", False),
    ],
)
def test_who_knows_left_from_right(scheme, blind):
    explorer = PositionSchemesExplorer(scheme=scheme, text="dog bites man")
    assert (explorer.result.reversed_by < EQUAL) == blind
    assert ("do not change" in repr(explorer.parts["caption"])) == blind


@pytest.mark.parametrize(
    ("scheme", "same"),
    [
        ("relative", True),
        ("alibi", True),
        ("rotary", True),
        ("sinusoidal", False),
        ("learned", False),
        ("one_hot", False),
    ],
)
def test_who_knows_distances_only(scheme, same):
    explorer = PositionSchemesExplorer(scheme=scheme, text="dog bites man", start=23)
    assert (explorer.result.moved_by < EQUAL) == same


def test_backwards_is_the_other_order():
    explorer = PositionSchemesExplorer(text="dog bites man", backwards=True)
    assert list(explorer.parts["matrix"].query_labels) == ["man", "bites", "dog"]


@pytest.mark.parametrize("text", ["dog", "a b c d e f g h i j k", "x" * 21 + " y"])
def test_other_words_are_refused(text):
    explorer = PositionSchemesExplorer()
    explorer.text = text
    assert explorer.parts["caption"].error.startswith("expected")
