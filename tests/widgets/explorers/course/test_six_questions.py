"""Six questions: an answer is kept at once; afterwards both stand side by side, and text stays text."""

import pytest
from ipywidgets import Button

from attnlab.exercises.questions import QUESTIONS, UNSURE, answer, answers
from widgets.explorers.course import six_questions
from widgets.explorers.course.six_questions import SixQuestions

pytestmark = pytest.mark.usefixtures("home", "no_drafts")


@pytest.fixture
def no_drafts(monkeypatch):
    monkeypatch.setattr(six_questions, "DRAFTS", {})


def keep(view):
    [button] = [part for part in view.children[5].children if isinstance(part, Button)]
    button.click()


def test_before_the_course_nothing_is_given_away():
    view = SixQuestions("before")
    view.asked[0].value = QUESTIONS[0].right
    view.asked[0].value = UNSURE
    view.asked[5].value = "  "
    keep(view)
    assert answers("before") == {1: UNSURE}
    view.asked[5].value = "by asking"
    keep(view)
    assert answers("before") == {1: UNSURE, 6: "by asking"}
    assert view.standing.value == "2 of 6 answered"
    assert [shown.value for shown in view.shown] == [""] * 6
    assert not any(control.disabled for control in view.asked)


def test_opened_again_it_has_the_answers():
    answer("before", 2, UNSURE)
    answer("before", 6, "by asking")
    view = SixQuestions("before")
    assert [control.value for control in view.asked] == [None, UNSURE, None, None, None, "by asking"]


def test_what_was_written_and_not_kept_is_there_when_the_cell_runs_again():
    answer("before", 6, "by asking")
    SixQuestions("before").asked[5].value = "by asking all"
    again = SixQuestions("before")
    assert [again.asked[5].value, SixQuestions("after").asked[5].value] == ["by asking all", ""]
    again.asked[5].value = ""
    keep(again)
    assert again.standing.value == "Nothing is written there: what was kept before stays."
    assert answers("before") == {6: "by asking"}


def test_after_the_course_both_stand_side_by_side():
    answer("before", 1, QUESTIONS[0].choices[1])
    view = SixQuestions("after")
    assert [shown.value for shown in view.shown] == [""] * 6
    view.asked[0].value = QUESTIONS[0].right
    text = view.shown[0].value
    places = [text.index(part) for part in (QUESTIONS[0].choices[1], "<i>now</i>", "<i>right</i>", "<i>why</i>")]
    assert places == sorted(places)
    assert view.asked[0].disabled
    view.asked[1].value = UNSURE
    assert "(not answered)" in view.shown[1].value
    assert answers("after") == {1: QUESTIONS[0].right, 2: UNSURE}


def test_what_a_learner_writes_is_no_markup():
    view = SixQuestions("after")
    view.asked[5].value = "<img src=x onerror=alert(1)>"
    keep(view)
    assert "&lt;img" in view.shown[5].value
    assert "<img" not in view.shown[5].value
    assert "<i>compare</i>" in view.shown[5].value


def test_a_folder_that_cannot_be_written_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("ATTNLAB_HOME", str(tmp_path / "file"))
    view = SixQuestions("before")
    view.asked[0].value = UNSURE
    assert "cannot be kept" in view.standing.value


def test_its_words_do_not_tell_who_answered_what():
    before = repr(SixQuestions("before"))
    answer("before", 2, UNSURE)
    assert repr(SixQuestions("before")) == before
    assert before.startswith("Six questions, before the course:\n1. What does an attention weight say? (a) how")


def test_anything_else_is_refused():
    with pytest.raises(ValueError, match="expected 'before' or 'after', got 'later'"):
        SixQuestions("later")
