"""What is right in a figure, without asking plotly, whose check takes 20 MB of each kernel.

The tables hold what the charts of the lessons are made of, and of each the values that are surely right: fewer than
plotly takes. Whatever else a figure holds is plotly's to judge, and so are its words for what is wrong.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from widgets.instruments.chart.plain import merge, plain

COLOUR = re.compile(r"#[0-9A-Fa-f]{6}|rgba?\(\s*\d+\s*,\s*\d+\s*,\s*\d+\s*(,\s*[\d.]+\s*)?\)")


def a_number(value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def not_negative(value) -> bool:
    return a_number(value) and value >= 0


def a_share(value) -> bool:
    return a_number(value) and 0 <= value <= 1


def a_text(value) -> bool:
    return isinstance(value, str)


def a_switch(value) -> bool:
    return isinstance(value, bool)


def a_colour(value) -> bool:
    return isinstance(value, str) and COLOUR.fullmatch(value) is not None


def one_of(*words: str) -> Callable:
    return lambda value: isinstance(value, str) and value in words


def each(holds: Callable) -> Callable:
    """One value, or a list of them."""
    return lambda value: all(map(holds, value)) if isinstance(value, list) else holds(value)


def data(value) -> bool:
    """A row of numbers or texts; None where there is none."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, list) and all(one is None or isinstance(one, str) or a_number(one) for one in value)


def sizes(value) -> bool:
    return bool((value >= 0).all()) if isinstance(value, np.ndarray) else each(not_negative)(value)


def an_interval(value) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(a_number, value))


def beside(value) -> bool:
    """In shares of a chart's side."""
    return a_number(value) and -2 <= value <= 3


FONT = {"color": a_colour, "size": lambda value: a_number(value) and value >= 1}
LINE = {
    "color": a_colour,
    "width": not_negative,
    "dash": one_of("solid", "dot", "dash", "longdash", "dashdot", "longdashdot"),
}
OUTLINE = {"color": a_colour, "width": not_negative}
SIDES = [f"{up} {across}" for up in ("top", "middle", "bottom") for across in ("left", "center", "right")]
ANY_TRACE = {
    "x": data,
    "y": data,
    "name": a_text,
    "text": each(a_text),
    "customdata": data,
    "opacity": a_share,
    "error_y": {
        "type": one_of("data", "constant", "percent"),
        "symmetric": a_switch,
        "array": data,
        "arrayminus": data,
        "color": a_colour,
        "thickness": not_negative,
        "width": not_negative,
        "visible": a_switch,
    },
    "showlegend": a_switch,
    "visible": a_switch,
    "cliponaxis": a_switch,
    "hoverinfo": one_of("skip", "none", "all", "text", "name", "x", "y", "x+y"),
    "hovertemplate": a_text,
    "texttemplate": a_text,
    "textfont": FONT,
}
TRACES = {
    "scatter": ANY_TRACE
    | {
        "mode": one_of("lines", "markers", "lines+markers", "text", "markers+text", "lines+text", "lines+markers+text"),
        "line": LINE | {"shape": one_of("linear", "spline", "hv", "vh")},
        "marker": {
            "color": each(a_colour),
            "size": sizes,
            "symbol": one_of("circle", "circle-open", "square", "diamond", "cross", "x", "line-ns", "line-ns-open"),
            "opacity": each(a_share),
            "line": OUTLINE,
        },
        "textposition": each(one_of(*SIDES)),
        "fill": one_of("none", "tozeroy", "tozerox", "tonexty", "toself"),
        "fillcolor": a_colour,
    },
    "bar": ANY_TRACE
    | {
        "marker": {
            "color": each(a_colour),
            "opacity": each(a_share),
            "line": OUTLINE,
            "pattern": {"shape": one_of("", "/", "x", "-", "|"), "size": not_negative, "fgcolor": a_colour},
        },
        "orientation": one_of("v", "h"),
        "insidetextanchor": one_of("end", "middle", "start"),
        "textposition": one_of("inside", "outside", "auto", "none"),
        "width": sizes,
    },
}
TITLE = {"text": a_text}
AXIS = {
    "title": TITLE,
    "range": an_interval,
    "type": one_of("-", "linear", "log", "category"),
    "tickvals": data,
    "ticktext": data,
    "dtick": lambda value: a_number(value) and value > 0,
    "showticklabels": a_switch,
    "showgrid": a_switch,
    "zeroline": a_switch,
    "visible": a_switch,
    "automargin": a_switch,
    "scaleanchor": one_of("x", "y"),
    "scaleratio": not_negative,
    "constrain": one_of("range", "domain"),
    "tickformat": a_text,
    "tickmode": one_of("auto", "linear", "array"),
    "tickangle": lambda value: a_number(value) and -180 <= value <= 180,
    "exponentformat": one_of("none", "power", "SI"),
    "autorange": lambda value: a_switch(value) or one_of("reversed")(value),
}
PLACED = {"xref": one_of("x", "paper"), "yref": one_of("y", "paper")}
SHAPE = PLACED | {
    "type": one_of("line", "rect", "circle"),
    **dict.fromkeys(("x0", "x1", "y0", "y1"), a_number),
    "line": LINE,
    "fillcolor": a_colour,
    "opacity": a_share,
    "layer": one_of("below", "above"),
}
ANCHORS = {
    "xanchor": one_of("auto", "left", "center", "right"),
    "yanchor": one_of("auto", "top", "middle", "bottom"),
}
NOTE = PLACED | ANCHORS | {"x": a_number, "y": a_number, "text": a_text, "showarrow": a_switch, "font": FONT}
LAYOUT = {
    "title": TITLE,
    "xaxis": AXIS,
    "yaxis": AXIS,
    "height": lambda value: a_number(value) and value >= 10,
    "width": lambda value: a_number(value) and value >= 10,
    "showlegend": a_switch,
    "margin": dict.fromkeys("lrtb", not_negative),
    "barmode": one_of("stack", "group", "overlay", "relative"),
    "bargap": a_share,
    "hovermode": one_of("x", "y", "closest"),
    "legend": ANCHORS | {"orientation": one_of("v", "h"), "x": beside, "y": beside},
    "font": FONT,
    "shapes": [SHAPE],
    "annotations": [NOTE],
}


# Plotly's names that have an underscore of their own, and any other, with what is within it.
NAME = re.compile(r"(error_[xyz]|(?:plot|paper)_bgcolor|copy_[yz]style|[^_]+)(?:_(.*))?")


def opened(*changes: dict) -> dict:
    """As plotly reads names with an underscore: `{"line_color": ...}` is `{"line": {"color": ...}}`; what comes later
    has the last word."""
    found: dict = {}
    for name, value in (item for change in changes for item in change.items()):
        first, rest = named.groups() if (named := NAME.fullmatch(name)) else (name, None)
        found = merge(found, {first: opened({rest: value}) if rest else opened_within(value)})
    return found


def opened_within(value) -> Any:
    if isinstance(value, list):
        return [opened_within(one) if isinstance(one, dict) else one for one in value]
    return opened(value) if isinstance(value, dict) else value


def known(change: dict, table: dict) -> dict | None:
    """The attributes, without those that are None or empty. None where the table cannot tell."""
    found = {}
    for name, value in change.items():
        if value is None:
            continue
        value = judged(value, table.get(name))
        if value is None:
            return None
        if not isinstance(value, dict) or value:
            found[name] = value
    return found


def judged(value, test) -> Any:
    """The value of one attribute; None where its place in the table, a test or a table of its own, cannot tell."""
    if test is TITLE and isinstance(value, str):
        return {"text": value}
    if isinstance(test, dict):
        return known(value, test) if isinstance(value, dict) else None
    if isinstance(test, list):
        parts = [judged(one, test[0]) for one in value] if isinstance(value, list) else [None]
        return parts if parts and None not in parts else None
    return value if test and test(value) else None


def trace_of(kind: str, change: dict) -> dict:
    """The attributes of a trace as plotly holds them, in plain values; its type is not one of them.

    ValueError, in plotly's words, for what plotly does not know, and for a formula.
    """
    change = plain({name: value for name, value in change.items() if name != "type"})
    found = known(opened(change), TRACES[kind]) if kind in [*TRACES] else None
    return trace_by_plotly(kind, change) if found is None else found


def whole_trace(trace: dict) -> dict:
    """The same of a trace with its type."""
    kind = trace.get("type", "scatter")
    return {"type": kind, **trace_of(kind, trace)}


def layout_of(change: dict) -> dict:
    """The same of a layout."""
    change = plain(change)
    found = known(opened(change), LAYOUT)
    return layout_by_plotly(change) if found is None else found


def trace_by_plotly(kind: str, change: dict) -> dict:
    """What plotly makes of a trace; imported where it is asked."""
    import plotly.graph_objects as go

    # Without a template: plotly's own is made of every kind of trace there is, in 130 modules.
    [trace] = go.Figure([{**change, "type": kind}], {"template": "none"}).data
    return plain({name: value for name, value in trace.to_plotly_json().items() if name != "type"})


def layout_by_plotly(change: dict) -> dict:
    """What it makes of a layout."""
    import plotly.graph_objects as go

    return plain(go.Layout(**change).to_plotly_json())
