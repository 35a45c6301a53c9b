"""Six questions: an answer is kept at once; afterwards both stand side by side, and text stays text."""

import pytest

from attnlab.exercises import progress
from attnlab.exercises.questions import QUESTIONS, UNSURE, answer, answers
from widgets.explorers.course import six_questions
from widgets.explorers.course.six_questions import SixQuestions

pytestmark = pytest.mark.usefixtures("home", "no_drafts")


@pytest.fixture
def no_drafts(monkeypatch):
    monkeypatch.setattr(six_questions, "DRAFTS", {})


def say(view, place, text):
    """What the page tells when a hand has answered."""
    view._handle_custom_msg({"kind": "answer", "place": place, "text": text}, [])


def write(view, text):
    view.set_state({"drafts": [*[""] * 5, text]})


def test_before_the_course_nothing_is_given_away():
    view = SixQuestions("before")
    say(view, 0, QUESTIONS[0].right)
    say(view, 0, UNSURE)
    say(view, 5, "  ")
    assert view.standing == "Nothing is written there: what was kept before stays."
    assert answers("before") == {1: UNSURE}
    say(view, 5, " by asking\n")
    assert answers("before") == {1: UNSURE, 6: "by asking"}
    assert view.standing == "2 of 6 answered"
    assert view.answers == [UNSURE, "", "", "", "", "by asking"]
    assert view.replies == [[]] * 6
    assert not any([*view.closed, view.final])


def test_the_right_choice_stands_in_no_fixed_place():
    asked = SixQuestions("before").questions
    assert [one["text"] for one in asked] == [question.text for question in QUESTIONS]
    for shown, question in zip(asked[:5], QUESTIONS, strict=False):
        assert shown["choices"] == [*sorted(question.choices), UNSURE]
    assert asked[5]["choices"] == []


def test_opened_again_it_has_the_answers():
    answer("before", 2, UNSURE)
    answer("before", 6, "by asking")
    view = SixQuestions("before")
    assert view.answers == ["", UNSURE, "", "", "", "by asking"]
    assert view.drafts == ["", "", "", "", "", "by asking"]
    assert view.standing == "2 of 6 answered"


def test_what_was_written_and_not_kept_is_there_when_the_cell_runs_again():
    answer("before", 6, "by asking")
    write(SixQuestions("before"), "by asking all")
    again = SixQuestions("before")
    assert [again.drafts[5], SixQuestions("after").drafts[5]] == ["by asking all", ""]
    write(again, "")
    say(again, 5, "")
    assert again.standing == "Nothing is written there: what was kept before stays."
    assert answers("before") == {6: "by asking"}
    assert SixQuestions("before").drafts[5] == ""


def test_after_the_course_both_stand_side_by_side():
    answer("before", 1, QUESTIONS[0].choices[1])
    view = SixQuestions("after")
    assert view.replies == [[]] * 6
    assert view.final
    say(view, 0, QUESTIONS[0].right)
    assert view.replies[0] == [
        ["before the course", QUESTIONS[0].choices[1]],
        ["now", QUESTIONS[0].right],
        ["right", QUESTIONS[0].right],
        ["why", QUESTIONS[0].why],
    ]
    assert view.closed == [True, *[False] * 5]
    say(view, 1, UNSURE)
    assert view.replies[1][0] == ["before the course", "(not answered)"]
    assert answers("after") == {1: QUESTIONS[0].right, 2: UNSURE}
    assert SixQuestions("after").replies == view.replies


def test_what_was_answered_after_the_course_stays():
    view = SixQuestions("after")
    say(view, 0, UNSURE)
    say(view, 0, QUESTIONS[0].right)  # pressed before the page had heard that it is closed
    assert answers("after") == {1: UNSURE}
    assert view.standing == "1 of 6 answered"


def test_what_a_learner_writes_stays_text():
    view = SixQuestions("after")
    say(view, 5, "<img src=x onerror=alert(1)>")
    assert view.replies[5] == [
        ["before the course", "(not answered)"],
        ["now", "<img src=x onerror=alert(1)>"],
        ["compare", QUESTIONS[5].why],
    ]


def test_a_folder_that_cannot_be_written_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("ATTNLAB_HOME", str(tmp_path / "file"))
    view = SixQuestions("before")
    say(view, 0, UNSURE)
    assert "cannot be kept" in view.standing
    assert view.answers == [""] * 6, "what is marked is kept"


def test_an_answer_that_is_no_choice_any_more_is_none():
    progress.keep("after.1", "how old")
    view = SixQuestions("after")
    assert (view.answers[0], view.closed[0], view.standing) == ("", False, "0 of 6 answered")


def test_its_words_do_not_tell_who_answered_what():
    before = repr(SixQuestions("before"))
    answer("before", 2, UNSURE)
    assert repr(SixQuestions("before")) == before
    assert before.startswith("Six questions, before the course:\n1. What does an attention weight say? (a) how")


def test_anything_else_is_refused():
    with pytest.raises(ValueError, match="expected 'before' or 'after', got 'later'"):
        SixQuestions("later")
