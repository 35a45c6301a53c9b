"""Predict: a guess is stored and judged; in words it holds the question and what one can answer."""

import numpy as np
import pytest
from traitlets import TraitError

from widgets.base.words import key, say
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.predict.predict import HERE, Predict, PredictCell, PredictNumber

CHOICES = [("nothing", "The scores double."), ("sharper", "Softmax exaggerates."), ("flatter", "The other way round.")]
QUESTION = say("What if every ", key("key"), " doubles?")
WEIGHTS = np.arange(15).reshape(3, 5) / 15


def test_a_choice_is_stored_and_judged():
    predict = Predict(QUESTION, CHOICES, answer=1)
    assert (predict.guess, predict.correct, predict.answered) == (None, None, False)
    predict.answer_with("flatter")
    assert (predict.guess, predict.correct, predict.answered) == (2, False, True)
    predict.answer_with(1)
    assert predict.correct is True


def test_choices_may_be_a_dictionary_and_the_answer_a_text():
    assert Predict(QUESTION, dict(CHOICES), answer="sharper").answer == 1


@pytest.mark.parametrize("wrong", [3, -1, "louder", None, True, 1.5])
def test_an_answer_must_be_one_of_the_choices(wrong):
    with pytest.raises(ValueError, match="expected one of the choices"):
        Predict(QUESTION, CHOICES, answer=wrong)
    with pytest.raises(ValueError, match="expected one of the choices"):
        Predict(QUESTION, CHOICES, answer=0).answer_with(wrong)


@pytest.mark.parametrize("choices", [["a", "b"], {"a"}, 3, [("a", "b", "c")]])
def test_choices_without_explanations(choices):
    with pytest.raises(TraitError, match=r"choices: expected pairs \(text, explanation\), got "):
        Predict("why?", choices, 0)


@pytest.mark.parametrize("answer", ["three", None, float("nan"), [3]])
def test_an_answer_that_is_no_number(answer):
    with pytest.raises(ValueError, match="expected a number, or a function that measures it, got "):
        PredictNumber("how many?", answer)


def test_what_follows_is_hidden_until_there_is_a_guess():
    matrix = Matrix(WEIGHTS)
    predict = Predict(QUESTION, CHOICES, answer=1, then=matrix)
    after = predict.children[-1]
    assert (after.children, after.layout.display) == ((matrix,), "none")
    predict.answer_with(0)
    assert after.layout.display is None


def test_in_words():
    matrix = Matrix(WEIGHTS)
    predict = Predict(QUESTION, CHOICES, answer=1, then=matrix)
    words = "Guess first: What if every key doubles? (a) nothing (b) sharper (c) flatter"
    assert repr(predict) == f"{words}\n{matrix!r}"
    predict.answer_with(1)
    assert repr(predict) == f"{words}\n{matrix!r}"
    assert repr(PredictNumber("How many?", 3, unit="steps")) == "Guess first: How many? (a number in steps)"
    assert repr(PredictNumber("How many?", 3)) == "Guess first: How many? (a number)"
    assert repr(PredictCell("Which?", WEIGHTS, [(0, 4)])) == "Guess first: Which? (a cell of 3 x 5)"


@pytest.mark.parametrize(
    ("close", "guess", "correct"), [(None, 90, True), (None, 89, False), (20, 81, True), (0, 99, False)]
)
def test_a_number_is_right_when_it_is_close_enough(close, guess, correct):
    predict = PredictNumber("How many?", answer=100, close=close)
    predict.answer_with(guess)
    assert predict.correct is correct


def test_a_number_can_be_measured_once_there_is_a_guess():
    asked = []
    predict = PredictNumber("How many?", answer=lambda: asked.append(1) or 42.0)
    assert (asked, predict.answer, predict.correct) == ([], None, None)
    predict.answer_with(40)
    assert (asked, predict.answer, predict.correct) == ([1], 42.0, True)
    predict.answer_with(30)
    assert (asked, predict.correct) == ([1], False)


def test_a_skipped_question_is_measured_too():
    predict = PredictNumber("How many?", answer=lambda: 7)
    predict.ask.skipped = True
    assert (predict.answer, predict.guess, predict.correct) == (7.0, None, None)


def test_a_measurement_that_fails_says_why():
    predict = PredictNumber("How many?", answer=lambda: 1 / 0)
    predict.answer_with(3)
    assert predict.ask.error == "ZeroDivisionError: division by zero"
    assert predict.correct is None


def test_what_a_measurement_says_is_wrong_stands_alone():
    predict = PredictNumber("How many?", answer=lambda: float("four"))
    predict.answer_with(3)
    assert predict.ask.error == "could not convert string to float: 'four'"


def test_a_cell_shows_the_weights_only_after_the_guess():
    predict = PredictCell("Which?", WEIGHTS, [(2, 4), (2, 3)])
    assert not predict.matrix.values.any()
    predict.answer_with((2, 3))
    assert predict.correct is True
    assert np.allclose(predict.matrix.values[0, 0], WEIGHTS)
    predict.ask.guess = None
    assert not predict.matrix.values.any()


@pytest.mark.parametrize("cell", [(3, 0), (0, 5), (-1, 2), (1,), (1, 2, 3)])
def test_a_cell_must_lie_in_the_matrix(cell):
    with pytest.raises(ValueError, match=r"expected a cell \[query, key\] of a matrix of 3 x 5"):
        PredictCell("Which?", WEIGHTS, [cell])


def test_several_views_may_stand_behind_a_question():
    views = [Matrix([[0.2, 0.8]]), Matrix([[1.0, 0.0]])]
    predict = Predict(QUESTION, CHOICES, answer=1, then=views)
    assert list(predict.children[-1].children) == views
    assert predict.children[-1].layout.display == "none"
    assert repr(predict).splitlines()[1:] == [line for view in views for line in repr(view).splitlines()]
    assert len(repr(Predict(QUESTION, CHOICES, answer=1)).splitlines()) == 1


def test_a_text_may_stand_behind_a_question():
    predict = Predict(QUESTION, CHOICES, answer=1, then=["It doubles: 0.2 becomes 0.4.", Matrix([[0.2, 0.8]])])
    assert repr(predict).splitlines()[1] == "It doubles: 0.2 becomes 0.4."
    assert predict.children[-1].layout.display == "none"
    assert "doubles: 0.2" not in markdown(predict), "a page that runs nothing does not tell it"
    assert repr(Predict(QUESTION, CHOICES, answer=1, then="Yes & <b>no</b>.")).endswith("\nYes & <b>no</b>.")


def markdown(question) -> str:
    return question._repr_mimebundle_()[0]["text/markdown"]


def test_a_page_that_runs_nothing_reads_it_as_markdown():
    matrix = Matrix(WEIGHTS)
    asked = markdown(Predict(QUESTION, CHOICES, answer=1, then=matrix))
    assert asked.splitlines() == [
        "**Guess first:** What if every key doubles?",
        "",
        "* (a) nothing",
        "* (b) sharper",
        "* (c) flatter",
        "",
        HERE,
    ]
    assert "* (a number in steps)" in markdown(PredictNumber("How many?", 3, unit="steps"))
    cell = PredictCell("Which?", WEIGHTS, [(0, 4)], query_labels=["a", " b", "c"], key_labels=list("v*xyz"))
    assert markdown(cell).splitlines()[2:5] == ["* (a cell of 3 x 5)", "* queries: a ␣b c", r"* keys: v \* x y z"]


def test_nothing_in_it_is_markup():
    asked = markdown(Predict("<b>W_q</b> or\n# $W_k$?", {"[a](b)": "Yes.", "`no`": "No."}, answer=0))
    assert r"**Guess first:** \<b\>W\_q\</b\> or # \$W\_k\$?" in asked
    assert r"* (a) \[a\](b)" in asked
    assert r"* (b) \`no\`" in asked


def test_the_page_shows_the_view_where_there_is_one():
    """JupyterLab takes what it can draw best: a view before Markdown, Markdown before words."""
    data, _ = Predict(QUESTION, CHOICES, answer=1)._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/markdown", "application/vnd.jupyter.widget-view+json"}
