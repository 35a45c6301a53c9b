"""The lessons' questions: the first guess is kept, with whether it was right; nothing depends on the file."""

import json

import pytest
from progress import kept

import widgets
from attnlab.exercises import export, guesses
from widgets import Predict, PredictCell, PredictNumber, guess
from widgets.instruments.predict import predict


def test_the_first_guess_is_the_prediction(home):
    asked = Predict("Which?", {"one": "No.", "<b>two</b>": "Yes."}, answer=1)
    asked.answer_with("one")
    asked.ask.guess = None  # asked again
    asked.answer_with(1)
    assert kept(home) == {"guess.Which?": "✗ one"}


def test_numbers_and_cells(home):
    PredictNumber("How many?", lambda: 12.5, unit="%").answer_with(12)
    PredictCell("Where?", [[0.1, 0.9]], answer=[(0, 1)]).answer_with((0, 0))
    labels = {"query_labels": ["a", " b"], "key_labels": ["x", "y"]}
    PredictCell("Which?", [[0.1, 0.9]] * 2, answer=[(1, 0)], **labels).answer_with((1, 0))
    assert kept(home) == {
        "guess.How many?": "✓ 12 %",
        "guess.Where?": "✗ row 1, column 1",
        "guess.Which?": "✓ row 2 “ b”, column 1 “x”",
    }


def test_who_skips_guesses_nothing(home):
    asked = Predict("Which?", {"one": "No.", "two": "Yes."}, answer=1)
    asked.ask.skipped = True
    assert asked.answered
    assert not home.exists()


def test_an_answer_that_cannot_be_measured_judges_nothing(home):
    asked = PredictNumber("How many?", lambda: 1 / 0)
    asked.answer_with(3)
    assert "ZeroDivisionError" in asked.ask.error
    assert not home.exists()


def test_a_folder_that_cannot_be_written_stops_nothing(home):
    home.write_text("a file where the folder should be", encoding="utf-8")
    asked = Predict("Which?", {"one": "No.", "two": "Yes."}, answer=1)
    asked.answer_with(1)
    assert asked.correct


def test_they_are_exported(home, tmp_path):
    Predict("Which?", {"one": "No.", "two": "Yes."}, answer=1).answer_with(1)
    assert json.loads(export(tmp_path / "mine.json").read_text(encoding="utf-8"))["guesses"] == {"Which?": "✓ two"}


@pytest.mark.parametrize(
    ("then", "shown"),
    [
        (None, ["one", "two", "three"]),
        ([], ["one", "two", "three"]),
        ("here", ["here", "one", "two", "three"]),
        (["here", "there"], ["here", "there", "one", "two", "three"]),
        (["here", ..., "there"], ["here", "one", "there", "two", "three"]),
        ([..., ..., "here", ...], ["one", "two", "here", "three"]),
    ],
)
def test_texts_of_the_file_stand_where_the_dots_are_and_behind_the_last_view(monkeypatch, then, shown):
    asked = {"question": "Which?", "choices": {"a": "No.", "b": "Yes."}, "answer": "b", "then": ["one", "two", "three"]}
    monkeypatch.setattr(guesses, "question", {"99.which": asked}.get)
    assert [text.sentence for text in guess("99.which", then=then).then] == [[[one, ""]] for one in shown]
    assert asked["then"] == ["one", "two", "three"]


def test_more_dots_than_texts_are_an_error_that_says_so():
    with pytest.raises(ValueError, match=r"01b\.untrained: expected at most 1 `\.\.\.` among `then`, got 2"):
        guess("01b.untrained", then=[..., ...])


def test_lessons_are_given_these_questions():
    for name in ("Predict", "PredictNumber", "PredictCell"):
        given, bare = getattr(widgets, name), getattr(predict, name)
        assert issubclass(given, bare)
        assert (given.__name__, given.__doc__) == (bare.__name__, bare.__doc__)


def test_a_lesson_asks_by_name(home):
    asked = guess("04.value")
    assert isinstance(asked, Predict)
    asked.answer_with("one column of the context")
    text = "You change one number of V, in the row of “chat”. What changes with it?"
    assert kept(home) == {f"guess.{text}": "✓ one column of the context"}, "by its text, as older files have it"


def test_what_only_the_lesson_can_measure_comes_from_it():
    number = guess("12b.cache", answer=lambda: 9.5)
    assert (type(number), number.unit, number.answer) == (PredictNumber, "GB", None)
    number.answer_with(9)
    assert number.correct
    cell = guess("02.month", weights=[[0.1, 0.9]], answer=[(0, 1)], key_labels=["a", "b"])
    cell.answer_with((0, 1))
    assert (type(cell), cell.correct, cell.matrix.key_labels) == (PredictCell, True, ["a", "b"])


def test_a_number_of_the_bank_needs_nothing_else():
    asked = guess("05.four")
    asked.answer_with(1.25)
    assert asked.correct


def test_a_name_that_is_none_is_answered_with_those_that_are_like_it():
    with pytest.raises(ValueError, match=r"got '04\.lokup'; did you mean '04.lookup'"):
        guess("04.lokup")
