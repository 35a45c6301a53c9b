"""Questions without a page: their words, what a hand answers, what they refuse, and a page without a kernel."""

import pytest
from traitlets import TraitError

from widgets.base.offline import Export
from widgets.instruments.questions.questions import NOTHING, Questions

ASKED = [("Which?", ["a", "b"]), ("Why?", [])]


@pytest.fixture
def told(monkeypatch):
    """What is sent beside the traits."""
    messages = []
    monkeypatch.setattr(Questions, "send", lambda self, content, buffers=None: messages.append(content))
    return messages


def test_in_words():
    assert repr(Questions(ASKED)) == "Questions(2):\n1. Which? (a) a (b) b\n2. Why?"


def test_an_answer_is_counted_and_may_be_changed(told):
    view = Questions(ASKED)
    assert view.standing == "0 of 2 answered"
    for text in ("a", "b", "b"):
        view._handle_custom_msg({"kind": "answer", "place": 0, "text": text}, [])
    assert view.answers == ["b", ""]
    assert told == [{"kind": "answered", "standing": "1 of 2 answered"}] * 3


def test_a_sentence_is_kept_without_the_blanks_around_it_and_an_empty_one_is_refused(told):
    view = Questions(ASKED)
    view.answer(1, " so \n")
    assert view.answers == ["", "so"]
    view.answer(1, " \n")
    assert (view.answers, view.standing) == (["", "so"], NOTHING)
    assert told[-1] == {"kind": "answered", "standing": NOTHING}


def test_questions_that_are_no_pairs():
    with pytest.raises(TraitError, match=r"questions: expected pairs \(text, choices\), got 'a'"):
        Questions(["a"])


def test_what_is_closed_stays():
    view = Questions(ASKED, answers=["a", ""], closed=[True, False])
    view.answer(0, "b")
    assert view.answers == ["a", ""]


@pytest.mark.parametrize(
    ("place", "text", "error"),
    [
        (0, "c", r"expected one of \['a', 'b'\], got 'c'"),
        (0, "", r"expected one of \['a', 'b'\], got ''"),
        (2, "a", "expected a question from 0 to 1, got 2"),
        (-1, "a", "expected a question from 0 to 1, got -1"),
    ],
)
def test_no_such_answer(place, text, error):
    with pytest.raises(ValueError, match=error):
        Questions(ASKED).answer(place, text)


@pytest.mark.parametrize(
    ("traits", "error"),
    [
        ({"answers": ["a"]}, "answers: expected one for each of 2 questions, got 1"),
        ({"replies": [[], [], []]}, "replies: expected one for each of 2 questions, got 3"),
        ({"answers": ["c", ""]}, r"answers: expected one of \['a', 'b'\], got 'c'"),
    ],
)
def test_traits_that_do_not_fit(traits, error):
    with pytest.raises(TraitError, match=error):
        Questions(ASKED, **traits)


def test_a_page_without_a_kernel_takes_answers_too():
    export = Export()
    name = export.add(Questions(ASKED))
    told = {"sheet": "", "earlier": "", "said": [], "nothing": NOTHING}
    assert export.answers[name] == {"kind": "questions", "parts": [name], **told}
