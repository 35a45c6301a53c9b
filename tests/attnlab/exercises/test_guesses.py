"""What the lessons ask: each question is whole, and found by its name."""

from pathlib import Path

import pytest

from attnlab import trained
from attnlab.exercises import guesses
from attnlab.trained.train_ladder import small_gpt
from lessons.build import pairs

QUESTIONS = guesses.all_questions()


def test_each_file_is_a_lessons():
    files = {path.stem[1:] for path in Path(guesses.__file__).parent.glob("*.toml")}
    assert files <= {source.stem for source, _ in pairs()}
    assert {name.partition("_")[0] for name in files} == {name.partition(".")[0] for name in QUESTIONS}


def test_they_stand_in_the_order_of_the_lessons():
    lessons = [name.partition(".")[0] for name in QUESTIONS]
    assert lessons == sorted(lessons)
    assert len(QUESTIONS) >= 90


@pytest.mark.parametrize("name", QUESTIONS)
def test_it_is_whole(name):
    asked = QUESTIONS[name]
    assert set(asked) <= {"question", "choices", "answer", "unit", "close", "why", "then"}
    assert "?" in asked["question"]
    if "choices" in asked:
        assert set(asked) - {"then"} == {"question", "choices", "answer"}
        assert asked["answer"] in asked["choices"]
        assert len(asked["choices"]) >= 2
        assert all(reply.rstrip(")").endswith((".", "?")) for reply in asked["choices"].values()), "a whole sentence"
    else:
        assert asked["why"].endswith(".")
        assert isinstance(asked.get("answer", 0.0), int | float)
    assert all(text.endswith((".", ":", "?", ")")) for text in asked.get("then", []))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("04.lokup", "'04.lookup'"),
        ("04.xyzzy-xyzzy-xyzzy", "'04.lookup' or '04.value' or '04.outside'"),
        ("lookup", "'04.lookup'"),
    ],
)
def test_an_unknown_name_is_answered_with_those_that_are_like_it(name, near):
    with pytest.raises(ValueError, match=f"expected the name of a guess, .*; got '{name}'; did you mean {near}"):
        guesses.question(name)


@pytest.mark.parametrize("name", ["", ".", "99.xyzzy"])
def test_what_is_no_name_at_all(name):
    with pytest.raises(ValueError, match=r'expected the name of a guess, as "04.lookup"; got'):
        guesses.question(name)


def test_a_second_table_costs_what_is_said():
    model = small_gpt(512)
    table = 512 * 128
    share = 100 * table / sum(p.numel() for p in model.parameters())
    assert QUESTIONS["11a.two_tables"]["answer"] == pytest.approx(share, abs=0.05)


def test_when_the_plain_large_gpt_is_where_the_modern_one_is():
    plain, modern = (trained.large()[name][0]["held_out"] for name in ("plain", "modern"))
    there = min(int(step) for step, loss in plain.items() if loss < modern["450"] + 0.001)
    assert QUESTIONS["11a.large"]["answer"] == there
