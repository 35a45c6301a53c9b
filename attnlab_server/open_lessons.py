"""`attnlab`: the lessons in a folder of the learner's, open in JupyterLab. `attnlab check` says what is installed.

A lesson that is there already is never touched, for it holds what the learner has written in it.
"""

import argparse
import os
import shutil
import subprocess
import sys
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
LESSONS = next(place for place in (HERE / "lessons", HERE.parent / "lessons") if place.is_dir())  # a wheel, a checkout
COPIED = ("*.ipynb", "images/*", "sources/*.py")
FIRST = "00_start_here.ipynb"


def copy(folder: Path) -> list[str]:
    """Copy the lessons that are not there yet; returns their names. Raises OSError where that cannot be done."""
    files = [path for pattern in COPIED for path in sorted(LESSONS.glob(pattern))]
    new = [path.relative_to(LESSONS) for path in files if not (folder / path.relative_to(LESSONS)).exists()]
    for name in new:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=(folder / name).parent) as own:  # of a name that nobody could prepare a link at
            shutil.copyfile(LESSONS / name, Path(own, name.name))
            os.replace(Path(own, name.name), folder / name)  # whole or not at all: half a lesson would never be mended
    return [str(name) for name in new if name.suffix == ".ipynb"]


def as_root() -> list[str]:
    """What JupyterLab wants to be told in a container, where one is root."""
    return ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []


def main() -> int:
    """Copy what is new, and open the first lesson."""
    parser = argparse.ArgumentParser(prog="attnlab", description="Open the lessons in JupyterLab.")
    told = "`check`: say what is installed and what is missing. Else the folder of your lessons (%(default)s)"
    parser.add_argument("what", nargs="?", default=str(Path.home() / "attnlab-lessons"), help=told)
    what = parser.parse_args().what
    if what == "check":
        return subprocess.call([sys.executable, "-m", "attnlab"])
    folder = Path(what).expanduser().resolve()
    if get_close_matches(what, ["check"]) and not folder.exists():
        parser.error(f"there is no folder {what!r}; did you mean check? For a new folder of that name write ./{what}")
    try:
        new = copy(folder)
    except OSError as error:
        print(f"The lessons cannot be copied to {folder}: {error.strerror}. Name another folder: attnlab FOLDER")
        return 1
    print(f"{len(new)} new notebooks in {folder}; what was there is as it was.", flush=True)
    open_lab(f"--ServerApp.root_dir={folder}", f"--LabApp.default_url=/lab/tree/{FIRST}", *as_root())
    return 0


def open_lab(*options: str) -> None:
    """Run JupyterLab until it is ended: in this very process, for what ends this program is to end JupyterLab, too."""
    from jupyterlab.labapp import LabApp  # large

    LabApp.launch_instance(list(options))
