"""A class: its files are collected and drawn, broken ones are named; the hub's configuration; the page for teachers."""

import json
import os
import re
import runpy
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from attnlab.exercises import EXERCISES, export, exported, progress
from attnlab.exercises.questions import QUESTIONS, answer
from lessons import build
from lessons.classroom import collect, forked_kernels, hub, load, plan, trial
from lessons.length import length

ANNA = {
    "00.weights": "2026-01-10",
    "before.1": QUESTIONS[0].right,
    "after.6": "by <b>asking</b>",
    "guess.Which?": "✓ two",
}
BROKEN = {
    "empty.json": ("", "breaks off or is damaged in line 1"),
    "half.json": ('{\n "passed": {"00.w', "breaks off or is damaged in line 2"),
    "list.json": ("[1, 2]", "it is JSON, but no progress file"),
    "number.json": ('{"00.weights": 3}', "it is JSON, but no progress file"),
    "questions.json": ('{"questions": [1], "passed": {}}', "it is JSON, but no progress file"),
    "passed.json": ('{"questions": []}', "it is JSON, but no progress file"),
}


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A class of two with an export and a progress file, and files that are broken."""
    monkeypatch.setenv("ATTNLAB_HOME", str(tmp_path / "ben"))
    answer("before", 1, QUESTIONS[0].choices[1])
    progress.remember("02.context")
    progress.guessed("Which?", "✗ one")
    folder = tmp_path / "class"
    (folder / "anna" / "progress").mkdir(parents=True)
    (folder / "anna" / "progress" / "progress.json").write_text(json.dumps(ANNA), encoding="utf-8")
    export(folder / "Ben & Co.json")
    for name, (text, _) in BROKEN.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "picture.json").write_bytes(b"\x89PNG\xff")
    return folder


def test_whole_files_are_read_and_broken_ones_named(room):
    learners, broken = collect.collect(room)
    assert [learner.name for learner in learners] == ["Ben & Co", "anna"]
    ben, anna = learners
    assert (ben.passed, anna.passed) == ({"02.context"}, {"00.weights"})
    assert (ben.answers["before"], anna.answers) == (
        {1: QUESTIONS[0].choices[1]},
        {"before": {1: QUESTIONS[0].right}, "after": {6: "by <b>asking</b>"}},
    )
    assert (ben.guesses, anna.guesses) == ({"Which?": "✗ one"}, {"Which?": "✓ two"})
    said = dict(sentence.split(": ", 1) for sentence in broken)
    assert said.keys() == {*BROKEN, "picture.json"}
    assert all(said[name].startswith(f"{wanted}") or wanted in said[name] for name, (_, wanted) in BROKEN.items())
    assert "it is no text" in said["picture.json"]
    assert all("Ask for it again" in sentence for sentence in broken)


def test_one_hostile_file_harms_no_other(tmp_path, monkeypatch, capsys):
    (tmp_path / "anna.json").write_text(json.dumps({"01.unpack": "2026-01-10"}), encoding="utf-8")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    (tmp_path / "half.json").write_text(r'{"before.6": "\ud800"}', encoding="utf-8")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.json")
        (tmp_path / "a\x1b[2Jb.json").write_text("no", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["collect", str(tmp_path)])
    assert collect.main() == 0
    assert "anna" in (tmp_path / "class.html").read_text(encoding="utf-8")
    said = capsys.readouterr().err
    assert "deep.json: it is JSON, but no progress file" in said
    assert "\x1b" not in said
    if hasattr(os, "mkfifo"):
        assert "pipe.json: it is no plain file" in said


def test_some_other_programs_json_is_no_learner(tmp_path):
    (tmp_path / "package.json").write_text('{"name": "attn"}', encoding="utf-8")
    (tmp_path / "new.json").write_text("{}", encoding="utf-8")  # of a learner who has not begun
    learners, broken = collect.collect(tmp_path)
    assert [learner.name for learner in learners] == ["new"]
    assert [line.partition(":")[0] for line in broken] == ["package.json"]


def test_a_learners_folder_on_the_hub_holds_jupyters_own_files_too(room):
    before = collect.collect(room)
    for own in (".local/share/jupyter/runtime/jpserver-7.json", "attnlab-lessons/.ipynb_checkpoints/notes.json"):
        (room / "anna" / own).parent.mkdir(parents=True)
        (room / "anna" / own).write_text('{"pid": 7}', encoding="utf-8")
    assert collect.collect(room) == before


def test_a_desk_on_the_hub_counts_once(room):
    """Who exports there leaves files beside the progress."""
    before = collect.collect(room)
    for own in ("attnlab-lessons/my_progress.json", "attnlab-lessons/sub/attnlab-progress.json"):
        (room / "anna" / own).parent.mkdir(parents=True, exist_ok=True)
        (room / "anna" / own).write_text(json.dumps(ANNA), encoding="utf-8")
    (room / "anna" / "progress" / "progress.json.lock").touch()
    (room / "anna" / "attnlab-lessons" / "00_start_here.ipynb").touch()
    assert collect.collect(room) == before
    (room / "cora" / "attnlab-lessons").mkdir(parents=True)  # has not begun, but copied a friend's file
    (room / "cora" / "attnlab-lessons" / "02_looking_back.ipynb").touch()
    (room / "cora" / "attnlab-lessons" / "attnlab-progress.json").write_text(json.dumps(ANNA), encoding="utf-8")
    learners, broken = collect.collect(room)
    assert [learner.name for learner in learners] == ["Ben & Co", "anna", "cora"]
    assert broken == before[1]
    inside, _ = collect.collect(room / "anna")  # one desk alone
    assert "progress" in [learner.name for learner in inside]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("anna-2.json", "anna-2"),
        ("anna (1).json", "anna (1)"),
        ("mail/attnlab-progress.json", "mail"),
        ("mail/attnlab-progress (1).json", "mail"),
        ("mail/attnlab-progress(12).json", "mail"),
        ("mail/attnlab-progress-2.json", "mail"),
        ("Course/Ana Marić_77/attnlab-progress.json", "Ana Marić_77"),
        ("class/ben/progress/progress.json", "ben"),
        ("cora/attnlab-lessons/my_progress.json", "cora"),
        ("attnlab-progress (1).json", "attnlab-progress (1)"),
    ],
)
def test_whose_file_it_is(tmp_path, file, name):
    assert collect.whose(tmp_path / file, tmp_path) == name


def test_what_mail_programs_and_editors_make_of_a_file_is_read(tmp_path):
    text = json.dumps(ANNA)
    (tmp_path / "A.JSON").write_text(text, encoding="utf-8")
    (tmp_path / "b.txt").write_text(text, encoding="utf-8")
    (tmp_path / "c.json").write_text(text, encoding="utf-8-sig")
    for other in ("d.docx", "e.docx", "f"):
        (tmp_path / other).write_text(text, encoding="utf-8")
    learners, broken = collect.collect(tmp_path)
    assert [learner.name for learner in learners] == ["A", "b", "c"]
    assert broken == ["Of another kind than .json or .txt, and not opened: 2 .docx, 1 f."]
    (tmp_path / "class.html").touch()  # an earlier page
    assert collect.collect(tmp_path)[1] == broken


def test_a_page_for_the_class_names_nobody(room, monkeypatch, capsys):
    monkeypatch.setattr(collect, "plotly", lambda: "")
    monkeypatch.setattr(collect.random, "sample", lambda learners, count: learners[::-1])
    monkeypatch.setattr(sys, "argv", ["collect", str(room), "--no-names"])
    assert collect.main() == 0
    assert "half.json" in capsys.readouterr().err
    page = (room / "class.html").read_text(encoding="utf-8")
    assert not re.search(r"anna|Ben|half\.json", page)
    assert "<li>learner 1, after: by &lt;b&gt;asking" in page  # anna, the second, comes first
    assert page.count("learner 2") >= 1


def test_a_file_that_is_too_large_is_no_progress(tmp_path, monkeypatch):
    (tmp_path / "log.json").write_text("{}" + " " * 100, encoding="utf-8")
    monkeypatch.setattr(exported, "MOST_BYTES", 50)
    assert collect.collect(tmp_path)[1][0].startswith("log.json: more than 50 bytes are no progress file. Ask")


def test_the_pictures_hold_the_numbers(room):
    learners, _ = collect.collect(room)
    [grid] = collect.passed(learners).data
    of_these = [name for name in EXERCISES if name.startswith(("00.", "02."))]  # also those that nobody passed
    counts = {"00.weights": 1, "02.context": 1}
    assert list(grid.x) == [f"{name} ({counts.get(name, 0)})" for name in of_these]
    assert any("(0)" in label for label in grid.x)
    assert list(grid.y) == ["Ben &amp; Co", "anna"]
    for row, passed in zip(grid.z, ("02.context", "00.weights"), strict=True):
        assert list(row) == [int(name == passed) for name in of_these]
    after, before = collect.answered(learners, 1).data
    assert dict(zip(before.y, before.x, strict=True)) == {
        f"✓ {QUESTIONS[0].right}": 1,
        QUESTIONS[0].choices[1]: 1,
        QUESTIONS[0].choices[2]: 0,
    }
    assert not any(after.x)
    assert (before.name, after.name) == ("before the course", "after the course")
    [bar] = collect.guessed(learners, "Which?").data
    assert dict(zip(bar.y, bar.x, strict=True)) == {"✗ one": 1, "✓ two": 1}
    assert list(bar.marker.color)[list(bar.y).index("✓ two")] == collect.RIGHT


def test_all_exercises_fit_on_the_page():
    picture = collect.passed([collect.Learner("anna", set(EXERCISES), {}, {})])
    assert picture.layout.width <= 1100  # as LOOK says


def test_who_hands_in_twice_has_two_rows():
    assert collect.numbered(["anna", "anna", "<b>"]) == ["anna", "anna, file 2", "&lt;b&gt;"]


def test_the_page_is_written_and_what_learners_wrote_is_text(room, monkeypatch, capsys):
    monkeypatch.setattr(collect, "plotly", lambda: "")  # four megabytes of its own
    monkeypatch.setattr(sys, "argv", ["collect", str(room)])
    assert collect.main() == 0
    said = capsys.readouterr()
    assert said.out == f"2 learners in {room / 'class.html'}\n"
    assert said.err.count("Ask for it again") == len(BROKEN) + 1
    page = (room / "class.html").read_text(encoding="utf-8")
    assert "by &lt;b&gt;asking&lt;/b&gt;" in page
    assert "<b>asking" not in page
    assert "half.json: its JSON breaks off" in page
    assert "http" not in page.replace("http://www.w3.org", ""), "it needs no network"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda folder: folder / "nowhere", "expected the folder with the files of a class"),
        (lambda folder: folder, "No progress file can be read below"),
    ],
)
def test_nothing_to_draw_is_said(tmp_path, monkeypatch, capsys, make, said):
    monkeypatch.setattr(sys, "argv", ["collect", str(make(tmp_path))])
    with pytest.raises(SystemExit):
        sys.exit(collect.main())
    assert said in capsys.readouterr().err


def test_questions_that_nobody_asks_do_not_fill_the_page(monkeypatch):
    monkeypatch.setattr(collect, "drawn", lambda figure: "<figure>")
    asked = next(iter(collect.lesson_of()))
    made_up = {f"{number:04d}?": "✓ one" for number in range(1000)}
    parts = collect.guesses([collect.Learner("anna", set(), {}, made_up | {asked: "✓ two"})])
    assert asked in re.sub("&#x27;", "'", parts[1])
    assert parts.count("<figure>") == 31
    assert parts[-1] == "<p>970 more questions that no lesson asks were left out.</p>"


def test_questions_of_lessons_are_found():
    found = collect.lesson_of()
    assert found["All four scores rise by 1. What happens to the weights?"] == "02"
    assert len(found) > 40


# ---- the hub


class Config(SimpleNamespace):
    """Takes whatever it is given, as JupyterHub's own does."""

    def __getattr__(self, name):
        self.__dict__[name] = Config()
        return self.__dict__[name]


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNLAB_CLASS", str(tmp_path / "class"))
    monkeypatch.setenv("ATTNLAB_PASSWORD", "of the class")
    monkeypatch.setattr(forked_kernels, "forked_kernels", lambda: nullcontext("forks"))
    found = Config()
    runpy.run_path(str(hub.CONFIG), {"get_config": lambda: found})
    return found


def test_a_learner_finds_a_copy_of_the_lessons_and_keeps_it(config, tmp_path):
    anna = SimpleNamespace(user=SimpleNamespace(name="anna"))
    config.Spawner.pre_spawn_hook(anna)
    first = tmp_path / "class" / "anna" / "attnlab-lessons" / "00_start_here.ipynb"
    assert config.Spawner.notebook_dir.format(username="anna") == str(first.parent)
    assert config.Spawner.cmd == [str(Path(sys.executable).with_name("jupyterhub-singleuser"))]
    assert config.Spawner.default_url == "/lab/tree/00_start_here.ipynb"
    first.write_text("mine", encoding="utf-8")
    config.Spawner.pre_spawn_hook(anna)
    assert first.read_text(encoding="utf-8") == "mine"
    assert config.Spawner.environment["ATTNLAB_HOME"](anna) == str(tmp_path / "class" / "anna" / "progress")


@pytest.mark.parametrize("name", ["anna", "anna-2", "Anna M", "jörg", "anna_m", "a" * 32])
def test_a_name_is_that_of_a_folder(config, name):
    """JupyterHub matches the beginning of a name alone."""
    fits = re.match(config.Authenticator.username_pattern, name) is not None
    assert fits == (name in ("anna", "anna-2"))


def test_as_many_come_in_as_the_memory_holds(config, monkeypatch):
    assert config.JupyterHub.active_server_limit >= 1
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=5_500_000_000))
    runpy.run_path(str(hub.CONFIG), {"get_config": lambda: config})
    assert config.JupyterHub.active_server_limit == (6 if sys.platform == "linux" else 4)


@pytest.mark.parametrize("password", ["", "geheim", "Grüße-an-alle"])
def test_a_class_without_a_password_that_opens_does_not_start(monkeypatch, password):
    monkeypatch.setenv("ATTNLAB_PASSWORD", password)
    with pytest.raises(SystemExit, match="Choose a password for the class, of at least 8 letters without accents"):
        runpy.run_path(str(hub.CONFIG), {"get_config": Config})


def test_a_teacher_has_a_password_of_their_own(config, monkeypatch):
    assert "admin_users" not in vars(config.Authenticator)
    monkeypatch.setenv("ATTNLAB_TEACHER_PASSWORD", "t" * 32)
    runpy.run_path(str(hub.CONFIG), {"get_config": lambda: config})
    assert config.Authenticator.admin_users == {"teacher"}
    assert config.SharedPasswordAuthenticator.admin_password == "t" * 32
    for wrong in ("t" * 31, "ü" * 32):
        monkeypatch.setenv("ATTNLAB_TEACHER_PASSWORD", wrong)
        with pytest.raises(SystemExit, match="at least 32 letters without accents"):
            runpy.run_path(str(hub.CONFIG), {"get_config": Config})


def test_an_open_page_keeps_no_kernel_and_a_class_comes_in_at_once(config):
    assert "--MappingKernelManager.cull_connected=True" in config.Spawner.args
    assert config.JupyterHub.concurrent_spawn_limit >= 32


@pytest.mark.skipif(sys.platform != "linux", reason="for Linux")
def test_the_kernels_of_a_class_share_what_they_import(config):
    assert config.Spawner.environment["JUPYTER_PATH"] == "forks"


def test_without_a_hub_it_is_said(monkeypatch):
    monkeypatch.setattr(hub.shutil, "which", lambda program, path: None)
    with pytest.raises(SystemExit, match="jupyterhub is missing: install it as"):
        hub.Hub()


@pytest.mark.parametrize("size", ["0", "33"])
@pytest.mark.parametrize(
    ("script", "said"), [(load, "expected classes of 1 to 32"), (trial, "expected 1 to 32 learners")]
)
def test_a_class_has_its_limits(monkeypatch, capsys, script, said, size):
    monkeypatch.setattr(sys, "argv", ["script", "--learners", size])
    with pytest.raises(SystemExit):
        script.main()
    assert said in capsys.readouterr().err


def test_a_class_in_numbers():
    found = load.Found(4, 110.0, 290.4, 150.0, 1.5, 0.1, [10.0, 20.0, 30.0, 400.0])
    assert str(found).split() == ["4", "110", "290", "150", "1.50", "0.10", "20", "400", "4"]
    assert len(load.HEAD.split("  ")) >= 9


# ---- the plan


def test_a_plan_is_computed_from_the_sources(monkeypatch, capsys):
    [(name, minutes, words, views, guesses, exercises)] = plan.rows(["02"])
    found = length(build.lesson(build.LESSONS / "sources" / "02_looking_back.py"))
    assert (name, minutes, words) == ("02_looking_back", found.minutes, found.words)
    assert min(views, guesses, exercises) > 0
    monkeypatch.setattr(sys, "argv", ["plan", "02", "04"])
    assert plan.main() == 0
    _, first, _, last = capsys.readouterr().out.splitlines()
    assert first.split() == ["02_looking_back", f"{minutes:.0f}", str(words), str(views), str(guesses), str(exercises)]
    assert last.startswith("together ")


def test_a_lesson_that_is_not_there_is_said(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["plan", "02", "99"])
    assert plan.main() == 2
    assert capsys.readouterr().err.endswith("got 99\n")
