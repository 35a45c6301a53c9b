"""TokenGrid without a page: its words, and what it refuses."""

from math import isnan, nan

import pytest
from traitlets import TraitError

from widgets.instruments.token_grid.token_grid import TokenGrid


def test_in_words_with_a_dot_where_nothing_is():
    lines = TokenGrid(names=["read", "back"], tokens=[["3", "1"], ["", "7"]], right=[[nan, nan], [0, 1]])
    assert repr(lines) == "TokenGrid(read 31; back ·7)"
    assert lines.text(1) == "·7"
    assert isnan(lines.right[0, 0])
    assert list(lines.right[1]) == [0, 1]


def test_lines_are_equally_long():
    with pytest.raises(TraitError, match=r"tokens: expected lines of one length, got \[1, 2\]"):
        TokenGrid(names=["read", "back"], tokens=[["3", "1"], ["3"]])
