"""What a lesson costs: time of its cells and its live training, bytes sent to the page, memory of server and kernel."""

import threading
import time
from collections.abc import Iterator
from typing import Any, Self

import psutil

from benchmarks import ROOT
from benchmarks.report import Record, span
from lessons.lab import Lab, chromium

ABOUT = "25 minutes"
MEGABYTE = 1e6
GIBIBYTE = 2**30
FIRST = 5  # s in a kernel that has run nothing, to the first view: a picture, a training or a question

# Runs cell after cell, as a learner does, until a view of ours is drawn: milliseconds, or NaN where none comes.
TO_VIEW = """async () => {
    const begun = performance.now(), { content } = jupyterapp.shell.currentWidget;
    const frame = () => new Promise(requestAnimationFrame);
    const isDrawn = (part) => part.getBoundingClientRect().height > 20;
    const drawn = () => [...document.querySelectorAll(".attnlab :is(canvas, svg, button)")].some(isDrawn);
    let running = false;
    for (content.activeCellIndex = 0; !drawn(); await frame()) {
        if (running) continue;
        if (content.activeCellIndex === content.widgets.length - 1) return NaN;
        running = true;
        jupyterapp.commands.execute("notebook:run-cell-and-select-next").finally(() => { running = false; });
    }
    await frame();
    return performance.now() - begun;
}"""


def measure(quick: bool = False) -> Iterator[Record]:
    """One lesson after the other, of a quick run the first alone."""
    paths = sorted((ROOT / "lessons").glob("[0-9]*.ipynb"))
    with chromium() as browser, Lab() as lab:
        for path in paths[:1] if quick else paths:
            (lab.root / path.name).write_bytes(path.read_bytes())
            yield from one(lab, browser, path.name)


def one(lab, browser, name: str) -> list[Record]:
    sent, peak = [], Peak(lab.process.pid)
    with peak, lab.open(watching(browser, sent), name) as notebook:
        begun = time.perf_counter()
        notebook.run_all()
        seconds = time.perf_counter() - begun
        notebook.page.wait_for_timeout(2000)
        training = live_training(notebook)
    return [
        Record(f"{name}, first view", first_view(lab, browser, name), FIRST, "s"),
        Record(f"{name}, all cells", seconds, 60, "s"),
        Record(f"{name}, bytes sent to the page", sum(sent) / MEGABYTE, 5, "MB"),
        Record(f"{name}, server and kernel memory", peak.bytes / GIBIBYTE, 1, "GiB"),
        *training,
    ]


def first_view(lab, browser, name: str) -> float:
    """Seconds, in a kernel of its own."""
    with lab.open(browser, name) as notebook:
        return notebook.page.evaluate(TO_VIEW) / 1000


class watching:
    """A browser whose pages note the size of every message from the kernel."""

    def __init__(self, browser, sent: list) -> None:
        self.browser, self.sent = browser, sent

    def new_context(self, **options) -> Any:
        context = self.browser.new_context(**options)
        context.on("page", lambda page: page.on("websocket", self._opened))
        return context

    def _opened(self, socket) -> None:
        if "/channels" in socket.url:
            socket.on("framereceived", lambda data: self.sent.append(len(data)))


class Peak:
    """The most memory that a process and its children held at one moment, looked at ten times a second."""

    def __init__(self, pid: int) -> None:
        self.process, self.bytes, self.over = psutil.Process(pid), 0, threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.over.set()
        self.thread.join()

    def _look(self) -> None:
        while not self.over.wait(0.1):
            held = 0
            for process in [self.process, *self.process.children(recursive=True)]:
                try:
                    held += process.memory_info().rss
                except psutil.Error:
                    continue  # it has just ended
            self.bytes = max(self.bytes, held)


FIND = "[name for name, made in globals().items() if type(made).__name__ == 'Training' and not name.startswith('_')]"


def live_training(notebook, rounds=2) -> list[Record]:
    """The lesson's training once more, started as its button starts it, to the end."""
    names = notebook.ask(FIND)
    if not names:
        return []
    seconds = [learn(notebook, names[0]) for _ in range(rounds)]
    result = notebook.ask(f"{names[0]}.result")
    reached = ", ".join(f"{name} {value:.3f}" for name, value in result.items())
    return [Record(f"{notebook.name}, live training to {reached}", max(seconds), 30, "s", span(seconds))]


def learn(notebook, name: str, limit=180) -> float:
    notebook.execute(f"{name}.reset(); {name}.play()")
    start = time.perf_counter()
    while time.perf_counter() - start < limit:
        if notebook.ask(f"{name}.state") in ("done", "failed"):
            break
        time.sleep(0.2)
    return time.perf_counter() - start
