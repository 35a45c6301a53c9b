"""WordTiles without a page: its words, and what it refuses."""

import pytest
from traitlets import TraitError

from widgets.instruments.word_tiles.word_tiles import WordTiles


def test_in_words():
    tiles = WordTiles(words=["a", "new", "object"], marks=["", "hidden", "asked"])
    assert repr(tiles) == "WordTiles(a [new] object)"
    assert repr(WordTiles(words=["a", "b"])) == "WordTiles(a b)"


def test_marks_that_there_are_not():
    with pytest.raises(TraitError, match=r"marks: expected each of .*, got 'gone'"):
        WordTiles(words=["a"], marks=["gone"])


@pytest.mark.parametrize("hidden", [[1, 1], [-1]])
def test_places_that_there_are_not(hidden):
    tiles = WordTiles(words=["a", "b"], editing=True)
    with pytest.raises(TraitError, match="hidden: expected places from 0 on, each once"):
        tiles.hidden = hidden
    assert tiles.hidden == []
