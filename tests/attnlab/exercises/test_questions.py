"""Six questions: answers are kept with the progress, older and newer files are read, all of it can be exported."""

import json

import pytest
from progress import kept

from attnlab.exercises import EXERCISES, check, export, exported, status, take_in
from attnlab.exercises.questions import QUESTIONS, UNSURE, answer, answers

pytestmark = pytest.mark.usefixtures("home")


def test_there_are_six_one_of_them_open():
    assert len(QUESTIONS) == 6
    assert [question.right == "" for question in QUESTIONS].count(True) == 1
    for question in QUESTIONS:
        assert len({*question.choices, UNSURE}) == len(question.choices) + 1
        assert question.why.endswith(".")


def test_answers_are_kept_beside_what_is_passed(home):
    check("00.weights", EXERCISES["00.weights"].solution)
    day = kept(home)["00.weights"]
    assert answer("before", 1, UNSURE) == ""
    assert answer("before", 1, QUESTIONS[0].right) == ""
    assert answer("after", 6, "Köpfe <b>fragen</b>") == ""
    assert kept(home) == {"00.weights": day, "after.6": "Köpfe <b>fragen</b>", "before.1": QUESTIONS[0].right}
    assert (answers("before"), answers("after")) == ({1: QUESTIONS[0].right}, {6: "Köpfe <b>fragen</b>"})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("later", 1, UNSURE), "expected 'before' or 'after', got 'later'"),
        (("before", 7, UNSURE), "expected a question from 1 to 6, got 7"),
        (("before", 1, "perhaps"), "expected one of .*; got 'perhaps'"),
    ],
)
def test_what_is_no_answer_is_said(arguments, said, home):
    with pytest.raises(ValueError, match=said):
        answer(*arguments)
    assert not home.exists()


def test_a_folder_that_cannot_be_written_is_said(home):
    home.write_text("a file where the folder should be", encoding="utf-8")
    assert "cannot be kept" in answer("before", 1, UNSURE)


def test_progress_of_earlier_lessons_is_read_and_kept(home):
    home.mkdir()
    old = {"02.context": "2020-02-29", "01.shorter": "2020-02-28"}
    (home / "progress.json").write_text(json.dumps(old), encoding="utf-8")
    answer("before", 2, UNSURE)
    assert kept(home) == {**old, "before.2": UNSURE}
    found = status()
    assert found.passed["02.context"]
    assert found.before == {"01.shorter": "2020-02-28"}
    text = repr(found)
    assert "passed before, no exercise any more: 01.shorter" in text
    assert "of the 6 questions answered: 1 before the course, 0 after the course" in text


def test_export_is_all_in_one_file(home, tmp_path):
    home.mkdir()
    (home / "progress.json").write_text(
        json.dumps({"02.context": "2020-02-29", "01.shorter": "2020-02-28"}), encoding="utf-8"
    )
    answer("before", 2, UNSURE)
    answer("after", 2, QUESTIONS[1].right)
    file = export(tmp_path / "mine.json")
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["passed"] == {"02.context": "2020-02-29", "01.shorter": "2020-02-28"}
    assert len(found["questions"]) == 6
    assert found["questions"][1] == {
        "question": QUESTIONS[1].text,
        "before": UNSURE,
        "after": QUESTIONS[1].right,
        "right": QUESTIONS[1].right,
    }
    assert found["questions"][5]["right"] == QUESTIONS[5].why


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(ValueError, match=r"expected a file that can be written, got '.*nowhere"):
        export(tmp_path / "nowhere" / "mine.json")


def test_what_was_exported_is_taken_in_elsewhere(home, tmp_path, monkeypatch):
    whole = {
        "02.context": "2020-02-29",
        "01.shorter": "2020-02-28",
        "before.2": UNSURE,
        "after.6": "Köpfe",
        "guess.Which?": "✗ one",
    }
    home.mkdir()
    (home / "progress.json").write_text(json.dumps(whole), encoding="utf-8")
    file = export(tmp_path / "mine.json")
    assert exported.read(file) == whole
    assert exported.read(home / "progress.json") == whole
    monkeypatch.setenv("ATTNLAB_HOME", str(tmp_path / "elsewhere"))
    here = {"02.context": "2026-01-01", "02.additive": "2026-01-02", "guess.Which?": "✓ two"}
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "progress.json").write_text(json.dumps(here), encoding="utf-8")
    found = take_in(str(file))
    assert kept(tmp_path / "elsewhere") == whole | here  # what was here stays
    assert (found.passed["02.additive"], found.answered) == (True, {"before": 1, "after": 1})
    assert take_in(file) == found
    assert kept(tmp_path / "elsewhere") == whole | here


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "breaks off or is damaged in line 1"),
        ("[]", "it is JSON, but no progress file"),
        ('{"name": "attn"}', "it is JSON, but no progress file"),
        ('{"questions": [], "passed": {"02.context": 3}}', "it is JSON, but no progress file"),
        (None, r"it cannot be opened \(No such file or directory\)"),
    ],
)
def test_what_cannot_be_taken_in_is_said(home, tmp_path, text, said):
    if text is not None:
        (tmp_path / "mine.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"expected a file that export.. has written, got '.*mine.json': .*{said}"):
        take_in(tmp_path / "mine.json")
    assert not home.exists()


def test_a_folder_that_takes_nothing_in_is_said(home, tmp_path):
    home.write_text("a file where the folder should be", encoding="utf-8")
    (tmp_path / "mine.json").write_text('{"02.context": "2020-02-29"}', encoding="utf-8")
    assert "cannot be kept" in take_in(tmp_path / "mine.json").note
