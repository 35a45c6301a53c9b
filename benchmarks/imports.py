"""How long the packages take to import, each time in a fresh interpreter."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import jupytext

from benchmarks import ROOT
from benchmarks.report import Record, span

# `widgets` brings a name only when it is asked for: all of its names are those of all lessons together.
PROGRAMS = {
    "torch": "import torch",
    "attnlab": "import attnlab.attention, attnlab.seq2seq, attnlab.training, attnlab.decoding, attnlab.tasks",
    "widgets": "import widgets; [getattr(widgets, name) for name in widgets.__all__]",
}
ABOUT = "3 minutes"
TIMED = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def seconds(program: str) -> float:
    """Wall time of the import alone, without the start of the interpreter."""
    command = [sys.executable, "-c", TIMED.format(program)]
    return float(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def imports_of(lesson: Path) -> str:
    """All that a lesson imports, at the top of its cells."""
    cells = [cell.source for cell in jupytext.read(lesson).cells if cell.cell_type == "code"]
    lines = [node for cell in cells for node in ast.parse(cell).body if isinstance(node, ast.Import | ast.ImportFrom)]
    return "; ".join(map(ast.unparse, lines))


def measure(quick: bool = False) -> Iterator[Record]:
    """Runs of the three in turn, so that a busy moment of the machine meets all of them."""
    for program in PROGRAMS.values():
        seconds(program)  # compiled and in the file cache from now on
    rounds = [{name: seconds(program) for name, program in PROGRAMS.items()} for _ in range(2 if quick else 7)]
    torch = [r["torch"] for r in rounds]
    yield Record("import torch", median(torch), None, "s", span(torch))
    ratios = [r["attnlab"] / r["torch"] for r in rounds]
    yield Record("import attnlab / import torch", median(ratios), 1.15, "times", span(ratios))
    more = [r["widgets"] / r["torch"] - 1 for r in rounds]
    yield Record("import widgets, more than torch / import torch", median(more), 0.4, "times", span(more))
    lessons = sorted((ROOT / "lessons/sources").glob("[0-9]*.py"))[:: 8 if quick else 1]
    more = [seconds(imports_of(lesson)) / seconds(PROGRAMS["torch"]) - 1 for lesson in lessons]
    yield Record("imports of a lesson, more than torch / import torch", median(more), 0.4, "times", span(more))
