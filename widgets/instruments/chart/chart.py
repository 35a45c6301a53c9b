"""Chart: a plotly figure without its weight. Plotly's script comes to a page once, whatever the number of charts."""

import html
import json
import re
from collections import Counter
from typing import Any

from traitlets import Dict, validate

from widgets.base.instrument import COLOURS, Instrument, library, numpy_of
from widgets.base.words import counted
from widgets.instruments.chart.attributes import layout_of, opened, trace_of, whole_trace
from widgets.instruments.chart.plain import merge, pack

ROLES = {role: colours["mark"] for role, colours in COLOURS["roles"].items()} | {"plain": COLOURS["plain"]}


def plotly_source() -> str:
    """Plotly's own script, as it ships with the package."""
    from plotly.offline import get_plotlyjs  # slow to import, and only needed when there is a chart

    return get_plotlyjs()


class Chart(Instrument):
    """A plotly figure in the page's own fonts and colours, changed in place.

        chart = Chart(figure(curve(losses, name="with attention"), x="training step", y="loss"))
        chart.update(traces={"with attention": {"y": longer}}, layout={"yaxis_range": [0, 1]})

    `figure` is a dict of plotly's form or a `plotly.graph_objects.Figure`; its template is replaced by our look, what
    it sets itself stays. Text is plain or Unicode. `traces` and `figure_layout` hold what changed since, as plotly
    names it; frames of pictures set these two. A trace is named by its index or its name.

    Errors: `ValueError` for what plotly does not know, for an unknown trace and for a formula between dollar signs.
    """

    bundle = "chart"

    spec = Dict(help="the figure as it was given").tag(sync=True, to_json=lambda value, owner: pack(value))
    traces = Dict(help="{index or name: changes}").tag(sync=True, to_json=lambda value, owner: pack(value))
    figure_layout = Dict(help="changes of the layout").tag(sync=True, to_json=lambda value, owner: pack(value))

    def __init__(self, figure, **traits) -> None:
        figure = as_dict(figure)
        if figure.keys() - {"data", "layout", "frames"}:
            raise ValueError(f"expected a figure's data and layout, got {', '.join(figure)}")
        if figure.get("frames"):
            raise ValueError("a chart plays no plotly frames: change it with chart.update()")
        traces = figure.get("data") or []
        traces = traces if isinstance(traces, list | tuple) else [traces]
        look = {name: value for name, value in as_dict(figure.get("layout") or {}).items() if name != "template"}
        spec = {"data": [whole_trace(as_dict(one)) for one in traces], "layout": layout_of(look)}
        super().__init__(spec=spec, libraries={"plotly": library("plotly", plotly_source)}, **traits)

    @validate("traces")
    def _known_traces(self, proposal) -> dict:
        changes = {}
        for key, change in proposal["value"].items():
            index = self._index(key)
            changes[str(index)] = trace_of(self.spec["data"][index]["type"], change)
        return changes

    @validate("figure_layout")
    def _known_layout(self, proposal) -> dict:
        return layout_of(proposal["value"])

    def _index(self, key) -> int:
        names = [trace.get("name", "") for trace in self.spec["data"]]
        if isinstance(key, str) and plain_text(key) in names:
            return names.index(plain_text(key))
        if key in names:
            return names.index(key)
        if str(key).isdigit() and int(key) < len(names):
            return int(key)
        raise ValueError(f"expected one of the traces {names} or an index below {len(names)}, got {key!r}")

    def update(self, traces=None, layout=None) -> None:
        """Change some attributes of some traces, and of the layout, in place; what is not named stays as it is."""
        changed = dict(self.traces)
        for key, change in (traces or {}).items():
            index = str(self._index(key))
            changed[index] = merge(changed.get(index, {}), change)
        self.show(traces=changed, figure_layout=merge(self.figure_layout, layout or {}))

    @property
    def figure(self) -> Any:
        """Today's figure, as a `plotly.graph_objects.Figure`: what was given and what changed since."""
        import plotly.graph_objects as go  # 20 MB of a kernel, for who wants to go on with it

        return go.Figure(self._today())

    def trace(self, name: str | int) -> dict:
        """One trace as it is seen now, by its name or its index (-1: the last one): `chart.trace("loss")["y"]`."""
        data = self._today()["data"]
        return data[name if isinstance(name, int) and name < 0 else self._index(name)]

    def _today(self) -> dict:
        data = [merge(trace, self.traces.get(str(i), {})) for i, trace in enumerate(self.spec["data"])]
        return {"data": data, "layout": merge(self.spec["layout"], self.figure_layout)}

    def __repr__(self) -> str:
        today = self._today()
        counts = Counter(map(kind_and_size, today["data"]))
        seen = ", ".join(in_words(kind, size, count) for (kind, size), count in counts.items()) or "nothing yet"
        title = readable(heading(today["layout"]))
        return f"Chart({json.dumps(title, ensure_ascii=False)}, {seen})" if title else f"Chart({seen})"


# Figures in a few lines


def as_dict(thing) -> dict:
    """A figure, a trace or a layout, one of plotly's own or a dict of the same form. ValueError for anything else."""
    found = thing.to_plotly_json() if hasattr(thing, "to_plotly_json") else thing
    if not isinstance(found, dict):
        raise ValueError(f"expected a plotly figure or a dict of that form, got {type(thing).__name__}")
    return found


def figure(*traces, x="", y="", title="", x_range=None, y_range=None, **layout) -> dict:
    """A figure of `curve`, `points` and `bars` (or any plotly traces) with named axes."""
    named = {"title": title, "xaxis_title": x, "yaxis_title": y}
    ranges = {"xaxis_range": x_range, "yaxis_range": y_range}
    look = {f"{name}_text": plain_text(text) for name, text in named.items() if text}
    look |= {name: limits for name, limits in ranges.items() if limits is not None}
    return {"data": list(traces), "layout": opened(look, layout)}


def curve(y, x=None, name="", role="", **style) -> dict:
    """A line through `y` [points], its name written at its end. `role`: query, key, value, context, or plain (grey)."""
    colour = {"line": {"color": colour_of(role)}} if role else {}
    return scatter(x, y, name, {"mode": "lines", **colour}, style)


def points(x, y, labels=None, name="", role="", **style) -> dict:
    """Marks at `x`, `y` [points], with a word beside each where `labels` are given."""
    colour = {"marker": {"color": colour_of(role)}} if role else {}
    text = {"text": [plain_text(label) for label in labels], "mode": "markers+text"} if labels is not None else {}
    return scatter(x, y, name, {"mode": "markers", "textposition": "middle right"} | text | colour, style)


def scatter(x, y, name: str, look: dict, style: dict) -> dict:
    """A trace of points; `style` has the last word."""
    return {"type": "scatter", "x": values(x), "y": values(y), "name": plain_text(name), **opened(look, style)}


def bars(heights, labels, name="", role="", **style) -> dict:
    """One bar for each of `labels`."""
    colour = {"marker": {"color": colour_of(role)}} if role else {}
    labels = [plain_text(label) for label in labels]
    return {"type": "bar", "x": labels, "y": values(heights), "name": plain_text(name), **opened(colour, style)}


def colour_of(role: str, opacity: float = 1.0) -> str:
    """As plotly takes it. `opacity`: 0 to 1."""
    if role not in ROLES:
        raise ValueError(f"expected a role of {list(ROLES)}, got {role!r}")
    red, green, blue = bytes.fromhex(ROLES[role][1:])
    return ROLES[role] if opacity == 1 else f"rgba({red},{green},{blue},{opacity})"


def plain_text(text) -> str:
    """A learner's text as plotly must be given it, so that nothing in it is read as markup."""
    return html.escape(str(text), quote=False)


def readable(text: str) -> str:
    """Plotly's text (a little HTML) as plain text."""
    return html.unescape(re.sub(r"<[^>]*>", " ", text)).strip()


def values(numbers) -> Any:
    """Numbers as plotly takes them: tensors become arrays, ranges lists."""
    return list(numbers) if isinstance(numbers, range) else numpy_of(numbers)


# In words


def text_of(title) -> str:
    text = title.get("text") if isinstance(title, dict) else title
    return text or ""


def heading(layout: dict) -> str:
    """What a figure is about: its title, else what its y axis counts."""
    return text_of(layout.get("title")) or text_of(layout.get("yaxis", {}).get("title"))


def numbers_of(trace: dict, side: str) -> Any:
    numbers = trace.get(side)
    return [] if numbers is None else numbers


def kind_and_size(trace: dict) -> tuple[str, tuple]:
    kind = trace.get("type", "scatter")
    if kind == "heatmap":
        rows = numbers_of(trace, "z")
        return kind, (len(rows), len(rows[0]) if len(rows) else 0)
    size = max((len(numbers_of(trace, side)) for side in ("x", "y", "z", "values", "labels")), default=0)
    if kind.startswith("scatter"):
        kind = "curve" if "lines" in (trace.get("mode") or "lines") else "points"
    return kind, (size,)


def in_words(kind: str, size: tuple, count: int) -> str:
    """`2 curves of 200 points`, `heatmap 3 × 5`."""
    times = "" if count == 1 else f"{count} times "
    if kind == "heatmap":
        return f"{times}heatmap {size[0]} × {size[1]}"
    if kind in ("points", "bar"):
        return times + counted(size[0], kind.removesuffix("s"))
    return f"{counted(count, kind)} of {counted(size[0], 'point')}"
