"""How long the packages take to import, each time in a fresh interpreter."""

import subprocess
import sys
from collections.abc import Iterator
from statistics import median

from benchmarks import ROOT
from benchmarks.report import Record, span

# What a lesson asks for in its first cell; `widgets` itself brings a name only when it is asked for.
PROGRAMS = {
    "torch": "import torch",
    "attnlab": "import attnlab.attention, attnlab.seq2seq, attnlab.training, attnlab.decoding, attnlab.tasks",
    "widgets": "import widgets; [getattr(widgets, name) for name in widgets.__all__]",
}
ABOUT = "1 minute"
TIMED = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def seconds(program: str) -> float:
    """Wall time of the import alone, without the start of the interpreter."""
    command = [sys.executable, "-c", TIMED.format(program)]
    return float(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


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
