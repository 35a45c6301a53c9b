"""Slider to picture in JupyterLab: explorers, Chart and films, beside `interact` with matplotlib and with plotly.

The limits are those of an explorer's own slider, the one that lessons have. A Matrix and a bare text behind a slider of
ipywidgets show what that slider and Jupyter themselves take on this machine at this moment.
"""

from statistics import median

from benchmarks.page import View, opened
from benchmarks.proxy import Far
from benchmarks.report import Record, latencies, percentile, span

COMMON = """%matplotlib inline
import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import torch
from ipywidgets import HTML, FloatSlider, VBox, interact
from attnlab.attention import attend
from widgets.chart import Chart, curve, figure
from widgets.matrix import Matrix
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
EXPLORER = """from widgets.controls import slider as handle
from widgets.explorer import Explorer
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

SIZES = (8, 32, 64, 128)
OURS = "Explorer without a film"
COMPARED = ((OURS, "canvas"), ("Matrix behind an ipywidgets slider", "canvas"), ("bare text", "text"),
            ("interact + matplotlib", "image"), ("interact + new plotly figure", "plotly"))


def measure(lab, browser, events=24, rounds=3, sizes=SIZES) -> list[Record]:
    records = []
    for n in sizes:
        records += compare(lab, browser, n, events, rounds)
    records += chart(lab, browser, events, rounds)
    records += film(lab, browser, events, rounds)
    return records + far_away(lab, browser, rounds)


def compare(lab, browser, n, events, rounds) -> list[Record]:
    """All ways take turns in one page, so that a busy moment of the machine meets all of them."""
    cells = [COMMON.format(n=n), LIVE, MATRIX, TEXT, INTERACT_MATPLOTLIB, INTERACT_PLOTLY]
    times = {name: [] for name, _ in COMPARED}
    drags = {name: [] for name, _ in COMPARED}
    with opened(lab, browser, f"compare{n}.ipynb", cells) as notebook:
        views = [(name, View(notebook, cell, kind)) for cell, (name, kind) in enumerate(COMPARED, 1)]
        for _ in range(rounds):
            for name, view in views:
                times[name].append(view.presses(events))
                drags[name].append(view.drag())
    records = latencies(f"{OURS} n={n}, key to picture", times[OURS], 20, 33)
    records += between(OURS, n, drags[OURS], 1000 / 55)
    for name, _ in COMPARED[1:]:
        limit = 0.25 if "plotly" in name else None
        ratios = [percentile(ours, 0.5) / percentile(theirs, 0.5)
                  for ours, theirs in zip(times[OURS], times[name], strict=True)]
        records += latencies(f"{name} n={n}, key to picture", times[name])
        records += between(name, n, drags[name], None)
        records.append(Record(f"{OURS} / {name} n={n}, p50", median(ratios), limit, "times", span(ratios)))
    return records


def between(name, n, drags, limit) -> list[Record]:
    """Milliseconds from picture to picture while the hand moves."""
    each = [drag["ms"] / max(1, drag["pictures"]) for drag in drags]
    return [Record(f"{name} n={n}, between pictures of a drag", median(each), limit, "ms", span(each))]


def chart(lab, browser, events, rounds) -> list[Record]:
    with opened(lab, browser, "chart.ipynb", [COMMON.format(n=8), CHART]) as notebook:
        view = View(notebook, 1, "chart")
        return latencies("Chart, key to picture", [view.presses(events) for _ in range(rounds)], None, 50)


def film(lab, browser, events, rounds) -> list[Record]:
    with opened(lab, browser, "film.ipynb", [COMMON.format(n=32), FILM]) as notebook:
        view = View(notebook, 1, "canvas")
        view.look()
        view.press()
        notebook.page.wait_for_timeout(2000)
        times = [view.presses(events) for _ in range(rounds)]
        drags = [view.drag() for _ in range(rounds)]
    return latencies("film n=32, key to picture", times, None, 16) + between("film", 32, drags, 1000 / 55)


def far_away(lab, browser, rounds, seconds=0.15) -> list[Record]:
    """A drag where 150 ms lie between page and kernel, each way."""
    cells = [COMMON.format(n=32), FILM]
    with Far(lab.port, seconds) as far, opened(lab, browser, "far.ipynb", cells, port=far.port) as notebook:
        view = View(notebook, 1, "canvas")
        view.look()
        view.press()
        notebook.page.wait_for_timeout(3000)  # the first grab is over
        drags = [view.drag() for _ in range(rounds)]
        notebook.page.wait_for_timeout(1500)
    return latencies("drag with 150 ms to the kernel, move to picture", [drag["times"] for drag in drags], None, 33)
