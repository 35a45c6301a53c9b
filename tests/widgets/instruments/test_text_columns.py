"""TextColumns without a page: its words, and what it refuses."""

import pytest
from traitlets import TraitError

from widgets.instruments.text_columns.text_columns import TextColumns


@pytest.fixture
def texts():
    return TextColumns(titles=["a", "b"], texts=[[["The ", "given"], ["value", "word"]], [[" otx", ""]]], shares=[1, 0])


def test_in_words(texts):
    assert repr(texts) == "TextColumns(a: 9 letters, b: 4 letters)"
    assert repr(TextColumns()) == "TextColumns()"


def test_plain_text_has_no_marks(texts):
    assert [texts.plain(0), texts.plain(1)] == ["The value", " otx"]


@pytest.mark.parametrize("run", [["a", "loud"], ["a"], ["a", "word", "word"]])
def test_other_marks_are_refused(texts, run):
    with pytest.raises(TraitError, match=r"a mark of \('', 'given', 'word'\), got \['a'"):
        texts.texts = [[["The ", "given"], run]]


def test_at_least_a_line_high():
    assert TextColumns(height=112).height == 112
    with pytest.raises(TraitError, match="height"):
        TextColumns(height=0)
