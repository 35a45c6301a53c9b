"""DateTranslationExplorer: year, month and day, whether the date is right, and what is no date."""

import pytest
import torch
from date_reader import TEXT, DateReader
from explorers import drive

from attnlab import greedy
from attnlab.tasks import BOS, EOS, TASKS
from widgets.explorers.l02_looking_back.date_translation import DateTranslationExplorer


@pytest.fixture(scope="module")
def task():
    return TASKS["dates"]()


@pytest.fixture
def dates(task):
    return DateTranslationExplorer(DateReader(task), task, text=TEXT, step=7)


def test_year_month_and_day(dates, task):
    drive(dates, model=dates.model, task=task)
    caption, matrix = dates.parts["caption"], dates.parts["matrix"]
    assert repr(caption) == (
        "The model reads “mars” while it writes 03: 100\u202f% of the weight lies there. 1992-03-03 is right."
    )
    assert matrix.query_groups == [[0, 4, "year"], [5, 7, "month"], [8, 10, "day"]]
    assert (matrix.current, matrix.produced, "".join(matrix.query_labels)) == (6, 6, "1992-03-03")
    assert matrix.distribution_labels[matrix.distribution_chosen] == "3"
    assert matrix.distribution[0].argmax() == matrix.distribution_chosen
    steps = [step for step in greedy(dates.model, task.read(TEXT), BOS, EOS) if step.token != EOS]
    torch.testing.assert_close(dates.weights, torch.stack([step.weights for step in steps]))
    assert repr(dates) == "DateTranslationExplorer(text='mardi 3 mars 1992', step=7)"
    dates.step = 5
    assert repr(caption).startswith("Writing “-”, the model looks at “␣”.")


def test_a_wrong_answer_is_told(dates):
    dates.text = "mardi 4 mars 1992"
    assert "is wrong, it is 1992-03-04" in repr(dates.parts["caption"])


def test_a_row_by_hand_is_named(dates):
    dates.parts["matrix"].edits = {"5": [0.0] * 16 + [1.0]}
    dates.parts["matrix"].press()
    assert "while it writes 03, with a row set by hand: 50\u202f% of the weight" in repr(dates.parts["caption"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got an empty text"),
        ("hello", "no date in a form I know"),
        ("3/4/1992", "another day in another"),
        ("x" * 10_000, "at most 60 characters"),
        ("🎉", "PARTY POPPER"),
        ("<script>alert(1)</script>", "never seen"),
    ],
)
def test_bad_text_gets_a_sentence_and_loses_nothing(dates, text, message):
    before = dates.parts["matrix"].values.copy()
    dates.text = text
    assert message in dates.parts["caption"].error
    assert (dates.parts["matrix"].values == before).all()
    dates.text = TEXT
    assert dates.parts["caption"].error == ""
