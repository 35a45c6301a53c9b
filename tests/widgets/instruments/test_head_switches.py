"""HeadSwitches without a page: its words, and what it refuses."""

import pytest
from traitlets import TraitError

from widgets.instruments.head_switches.head_switches import HeadSwitches


@pytest.fixture
def board():
    return HeadSwitches(rows=["layer 1", "layer 2"], notes=[["a", "b"], ["c"]])


def test_switched_off_heads_are_in_order_and_once(board):
    assert repr(board) == "HeadSwitches(3 heads, all on)"
    board.off = [2, 0, 2]
    assert board.off == [0, 2]
    assert repr(board) == "HeadSwitches(3 heads, off: 1, 3)"


@pytest.mark.parametrize("off", [[3], [-1], [0, 7]])
def test_a_head_that_is_not_there(board, off):
    with pytest.raises(TraitError, match="off: expected heads from 0 to 2"):
        board.off = off
    assert board.off == []


@pytest.mark.parametrize(("trait", "value"), [("rows", ["layer 1"]), ("notes", [["a"]])])
def test_rows_and_notes_belong_together(board, trait, value):
    with pytest.raises(TraitError, match=f"{trait}: expected one list of notes for each row"):
        setattr(board, trait, value)


def test_offers_all_sets_of_a_few_heads():
    board = HeadSwitches(rows=["layer 1"], notes=[["a", "b"]])
    assert sorted(board.offers("off")) == [[], [0], [0, 1], [1]]
    assert HeadSwitches(rows=["layer 1"], notes=[["a"] * 7]).offers("off") == []
