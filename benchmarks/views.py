"""Slider to picture in JupyterLab: explorers, Chart and films, beside `interact` with matplotlib and with plotly.

The limits are those of an explorer's own slider, the one that lessons have. What the slider of ipywidgets and Jupyter
themselves take on this machine at this moment is seen by a bare text behind such a slider: ours are limited by ratios
to it, in the same page and round. Limits in milliseconds are those of an idle, fast machine.
"""

from collections.abc import Iterator
from statistics import median

from benchmarks.page import View, browser, opened
from benchmarks.proxy import Far
from benchmarks.report import Record, latencies, percentile, span
from lessons.lab import Lab

COMMON = """%matplotlib inline
import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import torch
from ipywidgets import HTML, FloatSlider, VBox, interact
from attnlab.attention import attend
from widgets.instruments.chart.chart import Chart, curve, figure
from widgets.instruments.matrix.matrix import Matrix
torch.set_num_threads(1)
n = {n}
query, key, value = torch.randn(3, n, 16, generator=torch.Generator().manual_seed(0))
def weights(temperature):
    return attend(query, key, value, temperature=temperature).weights
def slider():
    return FloatSlider(1.0, min=0.1, max=4.0, step=0.01)
def follow(view, change):
    handle = slider()
    handle.observe(lambda moved: change(moved.new), "value")
    return VBox([handle, view])"""
MATRIX = """matrix = Matrix(weights(1.0))
follow(matrix, lambda t: matrix.show(values=weights(t)))"""
TEXT = """text = HTML("1.0")
follow(text, lambda t: setattr(text, "value", str(t)))"""
INTERACT_MATPLOTLIB = """@interact(t=slider())
def matplotlib_picture(t):
    plt.imshow(weights(t))
    plt.show()"""
INTERACT_PLOTLY = """@interact(t=slider())
def plotly_picture(t):
    go.Figure(go.Heatmap(z=weights(t).numpy())).show()"""
CHART = """steps = np.arange(200)
chart = Chart(figure(curve(np.exp(-steps / 50), name="weight"), x="key", y="weight", y_range=(0, 1)))
follow(chart, lambda t: chart.update(traces={0: {"y": np.exp(-steps / 50 / t)}}))"""
EXPLORER = """from widgets.base.controls import slider as handle
from widgets.base.explorer import Explorer
class Sharpness(Explorer):
    temperature = handle(1.0, 0.1, 4.0, step={step}, help="divides the scores")
    def views(self): return {{"matrix": Matrix(weights(1.0))}}
    def compute(self, state): return weights(state.temperature)
    def picture(self, state, result): return {{"matrix": {{"values": result}}}}
    def sentence(self, state, result): return [f"The temperature is {{state.temperature}}."]
    def code(self, state): return f"attend(query, key, value, temperature={{state.temperature}})"
sharpness = Sharpness()
sharpness"""
FILM = EXPLORER.format(step=0.1)
LIVE = EXPLORER.format(step=0.001)  # too many positions for a film: each picture is computed when the hand is there

ABOUT = "17 minutes"
SIZES = (8, 32, 64, 128)
TEXT_NAME, PLOTLY_NAME, OURS = "bare text", "interact + new plotly figure", "Explorer without a film"
# The yardsticks come first, so that a run that is stopped has them.
COMPARED = {
    TEXT_NAME: (TEXT, "text"),
    "interact + matplotlib": (INTERACT_MATPLOTLIB, "image"),
    PLOTLY_NAME: (INTERACT_PLOTLY, "plotly"),
    "Matrix behind an ipywidgets slider": (MATRIX, "canvas"),
    OURS: (LIVE, "canvas"),
}
LIMITS = {TEXT_NAME: 1.0, PLOTLY_NAME: 0.11}  # ours / theirs, median over the sizes


def measure(quick: bool = False) -> Iterator[Record]:
    events, rounds, sizes = (6, 1, (8, 128)) if quick else (24, 3, SIZES)
    with browser() as chrome, Lab() as lab:
        yield from compare(lab, chrome, events, rounds, sizes)
        yield from chart(lab, chrome, events, rounds)
        yield from film(lab, chrome, events, rounds)
        yield from far_away(lab, chrome, rounds)


def compare(lab, chrome, events, rounds, sizes) -> Iterator[Record]:
    """All ways at all sizes, then what the ratios to the yardsticks are over the sizes."""
    ratios = {}
    for n in sizes:
        times = {}
        for name, times[name], drags in in_turn(lab, chrome, f"compare{n}.ipynb", n, COMPARED, events, rounds):
            limits = (20, 33, times[TEXT_NAME]) if name == OURS else ()
            yield from latencies(f"{name} n={n}, key to picture", times[name], *limits)
            yield between(f"{name} n={n}", drags, 1000 / 55 if name == OURS else None)
        for name, theirs in times.items():
            if name != OURS:
                record = ratio(f"{OURS} / {name} n={n}", times[OURS], theirs)
                ratios.setdefault(name, []).append(record.value)
                yield record
    for name, limit in LIMITS.items():
        yield Record(
            f"{OURS} / {name}, median over n = {', '.join(map(str, sizes))}",
            median(ratios[name]),
            limit,
            "times",
            span(ratios[name]),
        )


def in_turn(lab, chrome, file, n, ways, events, rounds) -> Iterator[tuple[str, list[list[float]], list[dict]]]:
    """Of each way its name, the milliseconds of its keys and its drags, a list of each round.

    All take turns in one page, so that a busy moment of the machine meets all of them.
    """
    times, drags = {name: [] for name in ways}, {name: [] for name in ways}
    with opened(lab, chrome, file, [COMMON.format(n=n), *(cell for cell, _ in ways.values())]) as notebook:
        views = {name: View(notebook, cell, kind) for cell, (name, (_, kind)) in enumerate(ways.items(), 1)}
        for view in views.values():
            view.look()
            view.press()
        notebook.page.wait_for_timeout(2000)  # the first grab is over: a film has come
        for number in range(rounds):
            for name, view in views.items():
                times[name].append(view.presses(events))
                drags[name].append(view.drag())
                if number == rounds - 1:
                    yield name, times[name], drags[name]


def ratio(name, ours, theirs, limit=None) -> Record:
    """Of the middle times of each round."""
    ratios = [percentile(mine, 0.5) / percentile(other, 0.5) for mine, other in zip(ours, theirs, strict=True)]
    return Record(f"{name}, p50", median(ratios), limit, "times", span(ratios))


def between(name, drags, limit) -> Record:
    """Milliseconds from picture to picture while the hand moves."""
    each = [drag["ms"] / max(1, drag["pictures"]) for drag in drags]
    return Record(f"{name}, between pictures of a drag", median(each), limit, "ms", span(each))


def chart(lab, chrome, events, rounds) -> Iterator[Record]:
    ways = {TEXT_NAME: (TEXT, "text"), "Chart": (CHART, "chart")}
    (_, bare, _), (_, ours, _) = in_turn(lab, chrome, "chart.ipynb", 8, ways, events, rounds)
    yield from latencies("Chart, key to picture", ours, None, 50, bare)
    yield ratio(f"Chart / {TEXT_NAME}", ours, bare, 2)


def film(lab, chrome, events, rounds) -> Iterator[Record]:
    ways = {TEXT_NAME: (TEXT, "text"), "film": (FILM, "canvas")}
    (_, bare, _), (_, ours, drags) = in_turn(lab, chrome, "film.ipynb", 32, ways, events, rounds)
    yield from latencies("film n=32, key to picture", ours, None, 16, bare)
    yield between("film n=32", drags, 1000 / 55)
    yield ratio(f"film / {TEXT_NAME}, n=32", ours, bare, 0.5)


def far_away(lab, chrome, rounds, seconds=0.15) -> Iterator[Record]:
    """A drag where 150 ms lie between page and kernel, each way."""
    cells = [COMMON.format(n=32), FILM]
    with Far(lab.port, seconds) as far, opened(lab, chrome, "far.ipynb", cells, port=far.port) as notebook:
        view = View(notebook, 1, "canvas")
        view.look()
        view.press()
        notebook.page.wait_for_timeout(3000)  # the first grab is over
        drags = [view.drag() for _ in range(rounds)]
        notebook.page.wait_for_timeout(1500)
    yield from latencies("drag with 150 ms to the kernel, move to picture", [drag["times"] for drag in drags], None, 33)
