"""Caption without a page: its name in words, and what goes to the page."""

import pytest
from traitlets import TraitError

from widgets.base.caption import Caption
from widgets.base.words import query, say

SENTENCE = say("The query ", query("cat"), " reads.")


def test_it_is_named_by_its_sentence():
    assert repr(Caption(sentence=SENTENCE)) == "The query cat reads."


def test_an_error_stands_in_place_of_the_sentence():
    caption = Caption(sentence=SENTENCE, error="expected a word, got ''")
    assert repr(caption) == "expected a word, got ''"
    caption.error = ""
    assert repr(caption) == "The query cat reads."


def test_the_page_gets_runs_code_and_error():
    caption = Caption(sentence=SENTENCE, code="x = 1", error="no")
    assert caption.get_state(["sentence", "code", "error"]) == {
        "sentence": [["The query ", ""], ["cat", "query"], [" reads.", ""]],
        "code": "x = 1",
        "error": "no",
    }


@pytest.mark.parametrize(("trait", "value"), [("sentence", 3), ("code", None), ("error", 3)])
def test_other_types_are_refused(trait, value):
    with pytest.raises(TraitError, match=trait):
        setattr(Caption(), trait, value)
