"""The command `attnlab`: lessons are copied once, what a learner wrote stays, and what goes wrong is a sentence."""

import os
import subprocess
import sys
from subprocess import PIPE, STDOUT

import psutil
import pytest

from attnlab_server import open_lessons
from attnlab_server.open_lessons import FIRST, LESSONS, copy, main


@pytest.fixture
def called(monkeypatch, tmp_path):
    """What is started: a list of commands, and of JupyterLab's options. The learner's home is empty."""
    commands = []
    monkeypatch.setattr(open_lessons.subprocess, "call", lambda command: commands.append(command) or 0)
    monkeypatch.setattr(open_lessons, "open_lab", lambda *options: commands.append(options))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return commands


def run(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["attnlab", *map(str, words)])
    return main()


def test_all_that_a_lesson_needs_is_copied(tmp_path):
    assert copy(tmp_path) == sorted(path.name for path in LESSONS.glob("*.ipynb"))
    for pattern in ("images/*", "sources/*.py"):
        names = {path.name for path in LESSONS.glob(pattern)}
        assert names == {path.name for path in tmp_path.glob(pattern)} != set()
    assert list(tmp_path.glob("*.py")) == []


def test_what_a_learner_wrote_stays_and_what_is_new_comes(tmp_path):
    copy(tmp_path)
    (tmp_path / FIRST).write_text("mine", encoding="utf-8")
    (tmp_path / "glossary.ipynb").unlink()
    assert copy(tmp_path) == ["glossary.ipynb"]
    assert (tmp_path / FIRST).read_text(encoding="utf-8") == "mine"


def test_half_a_lesson_is_none(tmp_path, monkeypatch):
    def half(source, target):
        target.write_text("half", encoding="utf-8")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(open_lessons.shutil, "copyfile", half)
        with pytest.raises(OSError, match="No space"):
            copy(tmp_path)
    assert FIRST in copy(tmp_path)
    assert (tmp_path / FIRST).read_bytes() == (LESSONS / FIRST).read_bytes()
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"images", "sources"}, (
        "nothing is left behind"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_no_prepared_link_is_followed(tmp_path):
    (tmp_path / "theirs").write_text("theirs", encoding="utf-8")
    folder = tmp_path / "lessons"
    folder.mkdir()
    (folder / FIRST).with_suffix(".part").symlink_to(tmp_path / "theirs")
    copy(folder)
    assert (tmp_path / "theirs").read_text(encoding="utf-8") == "theirs"


def test_a_slip_makes_no_folder(called, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        run(monkeypatch, "chek")
    assert "did you mean check?" in capsys.readouterr().err
    assert not (tmp_path / "chek").exists()


def test_it_opens_the_first_lesson_in_the_learners_folder(called, monkeypatch, tmp_path, capsys):
    assert run(monkeypatch) == 0
    [options] = called
    assert options[:2] == (
        f"--ServerApp.root_dir={tmp_path / 'attnlab-lessons'}",
        f"--LabApp.default_url=/lab/tree/{FIRST}",
    )
    assert (tmp_path / "attnlab-lessons" / FIRST).exists()
    assert f" new notebooks in {tmp_path}" in capsys.readouterr().out


@pytest.mark.parametrize(("user", "told"), [(0, ("--allow-root",)), (1000, ())])
def test_in_a_container_one_is_root(called, monkeypatch, user, told):
    monkeypatch.setattr(open_lessons.os, "geteuid", lambda: user, raising=False)
    assert run(monkeypatch) == 0
    assert called[0][2:] == told


def test_check_is_the_report_and_copies_nothing(called, monkeypatch, tmp_path):
    assert run(monkeypatch, "check") == 0
    assert called == [[sys.executable, "-m", "attnlab"]]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_is_said(called, monkeypatch, tmp_path, capsys):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert run(monkeypatch, tmp_path / "file") == 1
    assert called == []
    assert f"cannot be copied to {tmp_path / 'file'}: File exists. Name another" in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="there nobody asks a program to end")
def test_whoever_ends_it_ends_jupyterlab(tmp_path):
    own = {"HOME": str(tmp_path), "BROWSER": "true", "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime")}
    source = "import sys; from attnlab_server.open_lessons import main; sys.exit(main())"
    attnlab = subprocess.Popen([sys.executable, "-c", source], env=os.environ | own, stdout=PIPE, stderr=STDOUT)
    with attnlab:
        assert any(b"is running at" in line for line in attnlab.stdout)
        started = psutil.Process(attnlab.pid).children(recursive=True)
        attnlab.terminate()
        attnlab.wait()
        left = [process for process in started if process.is_running()]
        for process in left:
            process.kill()
        assert left == []
        assert attnlab.returncode == 0
