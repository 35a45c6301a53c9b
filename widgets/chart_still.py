"""The still of a chart: curves, marks, bars and heatmaps on matplotlib axes, in the same look."""

import numpy as np

from .chart import ROLES, numbers_of, readable, text_of

COLOURS = ["#3B4592", "#AE5B41", "#666666", *ROLES.values()]
WIDTH = 0.7  # of all bars of one label together


def draw(axes, data: list, layout: dict) -> bool:
    """A figure's traces and names on `axes`; False where no trace has a still."""
    bars = [trace for trace in data if trace.get("type") == "bar" and len(numbers_of(trace, "y"))]
    drawn = draw_bars(axes, bars, [colour_of(trace, data.index(trace)) for trace in bars])
    for i, trace in enumerate(data):
        kind = trace.get("type", "scatter")
        if kind == "heatmap" and len(numbers_of(trace, "z")):
            axes.imshow(np.array(trace["z"], dtype=float), aspect="auto", origin="lower", cmap="Blues")
            drawn = True
        elif kind in ("scatter", "scattergl") and len(numbers_of(trace, "y")):
            draw_curve(axes, trace, colour_of(trace, i))
            drawn = True
    if drawn:
        name(axes, layout)
    return drawn


def colour_of(trace: dict, index: int) -> str:
    own = trace.get("marker", {}).get("color") or trace.get("line", {}).get("color")
    return own if isinstance(own, str) and own.startswith("#") else COLOURS[index % len(COLOURS)]


def draw_curve(axes, trace: dict, colour: str) -> None:
    """A line or marks; its name stands at its end."""
    y = finite(trace["y"])
    x = places(trace, len(y))
    mode = trace.get("mode") or "lines"
    line = {"linestyle": "-" if "lines" in mode else "", "marker": "o" if "markers" in mode or len(y) == 1 else ""}
    axes.plot(x, y, color=colour, markersize=4, linewidth=1.6, **line)
    seen = np.flatnonzero(~np.isnan(y))
    if "text" in mode:
        left = "left" in str(trace.get("textposition", ""))
        for at, height, text in zip(x, y, trace.get("text") or [], strict=False):
            axes.annotate(readable(text), (at, height), (-6 if left else 6, 0), textcoords="offset points",
                          fontsize=8, va="center", ha="right" if left else "left")
    elif trace.get("name") and len(seen):
        axes.annotate(readable(trace["name"]), (x[seen[-1]], y[seen[-1]]), (5, 0), textcoords="offset points",
                      color=colour, fontsize=9, va="center")


def draw_bars(axes, traces: list, colours: list) -> bool:
    """Bars of several traces side by side over their common labels."""
    labels = list(dict.fromkeys(label for trace in traces for label in places(trace, len(trace["y"]))))
    each = WIDTH / max(1, len(traces))
    for i, (trace, colour) in enumerate(zip(traces, colours, strict=True)):
        at = [labels.index(label) for label in places(trace, len(trace["y"]))]
        left = np.array(at) + (i - (len(traces) - 1) / 2) * each
        axes.bar(left, finite(trace["y"]), each, color=colour, label=readable(trace.get("name") or ""))
    if traces:
        axes.set_xticks(range(len(labels)), [str(label) for label in labels])
        axes.axhline(0, color="0.8", linewidth=0.8)
    if len(traces) > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(traces), frameon=False, fontsize=9, borderpad=0)
    return bool(traces)


def name(axes, layout: dict) -> None:
    title = readable(text_of(layout.get("title")))
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold", pad=22 if axes.get_legend() else 8)
    for side in "xy":
        axis = layout.get(f"{side}axis", {})
        getattr(axes, f"set_{side}label")(readable(text_of(axis.get("title"))), fontsize=9)
        if axis.get("type") == "log":
            getattr(axes, f"set_{side}scale")("log")
        if axis.get("range") is not None and axis.get("type") in (None, "linear", "log"):
            ends = axis["range"]  # of a logarithmic axis: powers of ten
            getattr(axes, f"set_{side}lim")([10.0**end for end in ends] if axis.get("type") == "log" else ends)
    axes.tick_params(length=0, labelsize=9)
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color="0.92")


def places(trace: dict, count: int) -> list:
    """Where the numbers of a trace stand: its x, else 0, 1, 2 ..."""
    x = numbers_of(trace, "x")
    return [readable(v) if isinstance(v, str) else v for v in x] if len(x) else list(range(count))


def finite(numbers) -> np.ndarray:
    """Numbers, with nan for what cannot be drawn."""
    array = np.array([np.nan if v is None or isinstance(v, str) else v for v in numbers], dtype=float)
    return np.where(np.isfinite(array), array, np.nan)
