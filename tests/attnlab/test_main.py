"""The installation report: what it finds, and that it says what to do about each thing that is missing."""

import json
import subprocess
import sys
from importlib import metadata

import pytest

from attnlab import __main__ as report


@pytest.fixture(autouse=True)
def empty_home(tmp_path, monkeypatch):
    """No running servers, settings or progress of the user's in the report."""
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "ATTNLAB_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path


def advice(findings) -> dict[str, str]:
    return {finding.name: finding.advice for finding in findings if finding.advice}


def test_command():
    run = subprocess.run([sys.executable, "-m", "attnlab"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    for word in ("Python ", "torch ", "device ", "threads ", "plotly ", "low latency ", "progress ", "All there"):
        assert word in run.stdout
    assert run.stderr == ""


@pytest.mark.parametrize(("lessons", "command"), [(True, f"{report.JUPYTER} lab {report.FIRST}"), (False, "attnlab")])
def test_who_has_only_the_package_is_told_its_command(monkeypatch, tmp_path, capsys, lessons, command):
    monkeypatch.setattr(report, "report", lambda: [report.Finding("all", "there")])
    if lessons:
        (tmp_path / "lessons").mkdir()
        (tmp_path / report.FIRST).touch()
    monkeypatch.chdir(tmp_path)
    assert report.main() == 0
    assert capsys.readouterr().out.endswith(f"Open the first lesson: {command}\n")


def test_a_package_that_is_missing(monkeypatch, capsys):
    version = metadata.version

    def without_plotly(name):
        if name == "plotly":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", without_plotly)
    assert report.main() == 1
    assert (
        f'plotly: missing.\n    Install it: {sys.executable} -m pip install -c constraints.txt "plotly>=7.1"'
        in capsys.readouterr().out
    )


def test_a_package_that_is_too_old(monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: "2.9.1+cpu")
    assert report.package("torch", "2.13") == (
        "torch",
        "2.9.1+cpu, older than 2.13",
        f'Install it: {sys.executable} -m pip install -c constraints.txt "torch>=2.13"',
    )
    assert report.package("torch", "2.9").advice is None


def test_attnlab_itself_not_installed(monkeypatch):
    def nothing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", nothing)
    assert list(advice(report.packages())) == ["attnlab"]


def test_lab_extension_missing(monkeypatch, tmp_path):
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *parts: [str(tmp_path)])
    found = advice(report.browser_side())
    assert list(found) == ["ipywidgets in the page", "anywidget in the page"]
    assert "pip install" in found["anywidget in the page"]


@pytest.mark.parametrize("disabled", [{"anywidget": True, "other": True}, ["anywidget"], {"anywidget:plugin": True}])
def test_lab_extension_switched_off(empty_home, disabled):
    page = empty_home / "jupyter_config_dir" / "labconfig" / "page_config.json"
    page.parent.mkdir(parents=True)
    page.write_text(json.dumps({"disabledExtensions": disabled}), encoding="utf-8")
    assert advice(report.browser_side()) == {
        "anywidget in the page": f"Switch it on: {sys.executable} -m jupyter labextension enable anywidget"
    }


def test_lab_extension_switched_on_again(empty_home):
    page = empty_home / "jupyter_config_dir" / "labconfig" / "page_config.json"
    page.parent.mkdir(parents=True)
    page.write_text(json.dumps({"disabledExtensions": {"anywidget": False}}), encoding="utf-8")
    assert advice(report.browser_side()) == {}


def test_server_extension_switched_off(monkeypatch):
    from attnlab_server import Server, Status

    waiting = Server("http://127.0.0.1:8888/", False, "2 of 2 connections wait")
    monkeypatch.setattr("attnlab_server.status", lambda: Status(False, None, [waiting]))
    found = advice(report.low_latency())
    assert "jupyter server extension enable attnlab_server" in found["low latency"]
    assert found["running server"].startswith("Restart")


def test_progress_in_a_place_that_is_none(monkeypatch, empty_home):
    (empty_home / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("ATTNLAB_HOME", str(empty_home / "file" / "below"))
    assert "ATTNLAB_HOME" in advice(report.progress())["progress"]
