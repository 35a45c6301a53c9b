"""HeadByHandExplorer: numbers dragged in the maps are those of the head, and one that reads one before can be made."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from widgets.explorers.l08_many_heads.head_by_hand import OWN, HeadByHandExplorer


def plain(explorer):
    return "".join(text for text, _ in explorer.parts["caption"].sentence)


def test_every_control():
    drive(HeadByHandExplorer())


def test_at_first_nobody_asks():
    explorer = HeadByHandExplorer()
    torch.testing.assert_close(explorer.weights, torch.full((4, 4), 0.25))
    assert "its weights are even. 0 of 3" in plain(explorer)


@pytest.mark.parametrize("moved", ["query", "key"])
def test_the_hint_of_the_lesson_one_before(moved):
    explorer = HeadByHandExplorer(query=OWN)
    assert "Place 2 o gives 97" in plain(explorer)
    assert "of its weight to place 2 o" in plain(explorer)
    product = explorer.parts["product"]
    # The query of place 2 asks for place 1; or the key of place 1 answers place 2.
    shifted = torch.tensor(OWN).roll(-1 if moved == "query" else 1, 1)
    shifted[0 if moved == "query" else 3] = 0
    setattr(product, moved, shifted.numpy())
    assert explorer.weights.diagonal(-1).min() > 0.9
    assert "3 of 3 places read the one before" in plain(explorer)
    assert explorer.result.context[1].argmax() == 0, "“n” stands before the first “o”"
    code_gives_the_picture(explorer)
    explorer.reset()
    assert (explorer.query, explorer.key) == (OWN, OWN)


def test_equal_letters_at_two_places_read_apart():
    explorer = HeadByHandExplorer(query=OWN)
    assert explorer.weights[1].argmax() == 1
    assert explorer.weights[2].argmax() == 2, "by place, not by letter"


def test_another_word_moves_no_weight():
    explorer = HeadByHandExplorer(query=OWN)
    before = explorer.weights.clone()
    explorer.word = "door"
    torch.testing.assert_close(explorer.weights, before)
    assert explorer.result.context.shape == (4, 3)
    code_gives_the_picture(explorer)


def test_a_word_of_another_length_is_told():
    explorer = HeadByHandExplorer(word="house")
    assert "expected a word of 4 letters, got 5" in explorer.parts["caption"].error
