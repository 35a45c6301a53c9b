"""The wheel in an environment of its own, as a newcomer has it: only with `-m wheel`, for pip fetches what it needs.

Nothing of this folder is in sight there: neither on the path nor as the folder in which it runs.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(3600)]

ROOT = Path(__file__).resolve().parents[1]
LESSONS = {path.name for path in (ROOT / "lessons").glob("*.ipynb")}
FIRST = "00_start_here.ipynb"
PATIENCE = 180  # seconds


class Newcomer:
    """One who has installed the wheel: programs by name, a home of their own, nothing else."""

    def __init__(self, environment: Path, home: Path) -> None:
        self.programs, self.home = environment / ("Scripts" if os.name == "nt" else "bin"), home
        others = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "JUPYTER"))}
        # No browser is opened: the program that would show the page is one that does nothing.
        self.variables = {**others, "HOME": str(home), "USERPROFILE": str(home), "BROWSER": "true"}
        self.variables["JUPYTER_RUNTIME_DIR"] = str(home / "runtime")

    def start(self, program: str, *arguments) -> subprocess.Popen:
        command = [self.programs / program, *map(str, arguments)]
        place = {"env": self.variables, "cwd": self.home, "text": True, "encoding": "utf-8"}
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **place)

    def run(self, program: str, *arguments) -> str:
        """What the program says. It must end well."""
        process = self.start(program, *arguments)
        said, _ = process.communicate()
        assert process.returncode == 0, said[-3000:]
        return said


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory):
    place, home = tmp_path_factory.mktemp("environment"), tmp_path_factory.mktemp("home")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", home, ROOT]
    subprocess.run(pip, check=True)
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    newcomer = Newcomer(place, home)
    [wheel] = home.glob("*.whl")
    newcomer.run("pip", "install", "--quiet", "-c", ROOT / "constraints.txt", wheel)
    return newcomer


def test_nothing_is_missing_and_all_of_it_is_the_wheels(newcomer):
    newcomer.run("attnlab", "check")
    where = newcomer.run("python", "-c", "import attnlab, widgets; print(attnlab.__file__, widgets.__file__)").split()
    assert [Path(one).is_relative_to(newcomer.programs.parent) for one in where] == [True, True]


def test_attnlab_opens_the_lessons(newcomer):
    lab = newcomer.start("attnlab")
    try:
        server = running(newcomer, lab)
        listed = asked(f"{server['url']}api/contents?token={server['token']}")["content"]
        assert {one["name"] for one in listed if one["name"].endswith(".ipynb")} == LESSONS
        asked(f"{server['url']}api/shutdown?token={server['token']}", "POST")
        lab.communicate(timeout=PATIENCE)
        assert lab.returncode == 0
    finally:
        lab.kill()


def running(newcomer, lab) -> dict:
    """What the server has written about itself, once it answers."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and lab.poll() is None:
        for path in (newcomer.home / "runtime").glob("jpserver-*.json"):
            try:
                server = json.loads(path.read_text(encoding="utf-8"))
                asked(f"{server['url']}api/status?token={server['token']}")
                return server
            except (OSError, ValueError):  # half written, or not yet listening
                pass
        time.sleep(0.5)
    lab.kill()
    pytest.fail("the server did not answer: " + lab.communicate()[0][-3000:])


def asked(address: str, method="GET") -> dict:
    with urllib.request.urlopen(urllib.request.Request(address, method=method), timeout=PATIENCE) as answer:
        return json.loads(answer.read() or "{}")


def test_the_first_lesson_runs(newcomer):
    folder = newcomer.home / "attnlab-lessons"
    newcomer.run("jupyter", "nbconvert", "--to", "notebook", "--execute", folder / FIRST, "--output", "ran")
    ran = nbformat.read(folder / "ran.ipynb", 4)
    said = [output for cell in ran.cells for output in cell.get("outputs", []) if "data" in output]
    assert any("application/vnd.jupyter.widget-view+json" in output.data for output in said)
