"""Chart in the kernel: what it takes and refuses, what it says in words, what lies on the wire."""

import gzip
import subprocess
import sys
from datetime import date, datetime

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from ipywidgets import Widget
from ipywidgets.widgets.widget import _instances as instances

from widgets.base.instrument import Library, library
from widgets.instruments.chart import attributes
from widgets.instruments.chart.chart import Chart, bars, curve, figure, points


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    Widget.close_all()


def two_curves():
    curves = curve(np.linspace(2, 1, 7), name="with"), curve(np.ones(5), name="without")
    return Chart(figure(*curves, x="step", y="loss"))


def test_words():
    assert repr(two_curves()) == 'Chart("loss", 1 curve of 7 points, 1 curve of 5 points)'
    assert repr(Chart(figure(*[curve(range(200))] * 2, title="Loss"))) == 'Chart("Loss", 2 curves of 200 points)'
    assert repr(Chart(figure(bars([1, 2, 3], "abc")))) == "Chart(3 bars)"
    assert repr(Chart(figure(points([1], [2])))) == "Chart(1 point)"
    assert repr(Chart(go.Figure(go.Heatmap(z=np.zeros((3, 5)))))) == "Chart(heatmap 3 × 5)"
    assert repr(Chart(figure(y="loss"))) == 'Chart("loss", nothing yet)'
    assert repr(Chart(figure(curve([1], name="a"), title="a <b> & c"))) == 'Chart("a <b> & c", 1 curve of 1 point)'


def test_plotly_comes_once_for_all_charts():
    first, second = two_curves(), two_curves()
    assert list(first.libraries) == ["chart", "plotly"]
    assert first.libraries == second.libraries
    assert sum(isinstance(widget, Library) for widget in instances.values()) == 2
    packed = library("plotly").source
    assert gzip.decompress(packed).startswith(b"/**\n* plotly.js v")
    assert len(packed) < 1.6e6


def test_update_by_index_and_by_name():
    chart = two_curves()
    second = {"x": [5, 6], "y": [0.5, 0.25], "line_dash": "dot"}
    chart.update(traces={0: {"y": torch.tensor([3.0, 2.0])}, "without": second})
    today = chart.figure
    assert list(today.data[0].y) == [3.0, 2.0]
    assert list(today.data[1].x) == [5, 6]
    assert today.data[1].line.dash == "dot"
    assert repr(chart) == 'Chart("loss", 2 curves of 2 points)'


def test_updates_add_up():
    chart = two_curves()
    chart.update(traces={0: {"y": [1.0]}}, layout={"xaxis_range": [0, 9]})
    chart.update(traces={1: {"y": [2.0]}}, layout={"xaxis": {"title": "steps done"}})
    chart.update(traces={0: {"name": "<i>&"}})
    today = chart.figure
    assert [list(trace.y) for trace in today.data] == [[1.0], [2.0]]
    assert (today.layout.xaxis.title.text, today.layout.xaxis.range) == ("steps done", (0, 9))
    assert today.layout.yaxis.title.text == "loss"


def test_state_holds_todays_data_as_bytes():
    """A page that is reloaded asks for the state, so the state must have it, not only messages."""
    chart = two_curves()
    chart.update(traces={"with": {"y": np.array([1.5, np.nan, np.inf])}})
    packed = chart.get_state()["traces"]["0"]["y"]
    assert packed["shape"] == [3]
    assert np.array_equal(np.frombuffer(packed["data"], packed["type"]), [1.5, np.nan, np.inf], equal_nan=True)


def test_an_update_sends_only_what_changed():
    chart = Chart(figure(points(np.arange(10_000.0), np.arange(10_000.0)), curve(np.zeros(3), name="a")))
    sent = []
    chart.comm.send = lambda data, buffers: sent.append((data, sum(len(b) for b in buffers or [])))
    chart.update(traces={"a": {"y": np.arange(211.0)}})
    [(data, size)] = sent
    assert size == 211 * 8
    assert len(str(data)) < 400


def test_many_cells_go_as_one_buffer_of_float32():
    chart = Chart(go.Figure(go.Heatmap(z=np.zeros((3, 5)))))
    packed = chart.get_state()["spec"]["data"][0]["z"]
    assert packed["shape"] == [3, 5]
    assert len(packed["data"]) == 3 * 5 * 4


def test_figure_from_a_dict_and_from_plotlys_packed_form():
    given = {"data": [{"type": "scatter", "y": np.arange(5)}], "layout": {"title": {"text": "t"}}}
    packed = go.Figure(given).to_dict()
    assert "bdata" in packed["data"][0]["y"]
    for form in (given, packed):
        assert repr(Chart(form)) == 'Chart("t", 1 curve of 5 points)'
        assert list(Chart(form).figure.data[0].y) == [0, 1, 2, 3, 4]


def test_dates_and_words_survive():
    chart = Chart(go.Figure(go.Bar(x=np.array(["a", "b"]), y=[1, float("nan")])))
    assert chart.get_state()["spec"]["data"][0] == {"type": "bar", "x": ["a", "b"], "y": [1, None]}
    days = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")
    chart = Chart(go.Figure(go.Scatter(x=days, y=[1, 2])))
    assert chart.get_state()["spec"]["data"][0]["x"][1].startswith("2020-01-02")
    chart = Chart(go.Figure(go.Scatter(x=[datetime(2020, 1, 2, 3), date(2020, 1, 5)], y=[np.float32(1.5), np.inf])))
    trace = chart.get_state()["spec"]["data"][0]
    assert [x[:10] for x in trace["x"]] == ["2020-01-02", "2020-01-05"]
    assert trace["y"] == [1.5, None]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Chart([1, 2]), "expected a plotly figure or a dict"),
        (lambda: Chart({"data": [{"type": "scater"}]}), "scater"),
        (lambda: Chart(figure(curve([1]), title=r"$\sqrt{d}$")), r"plain or Unicode text .*sqrt"),
        (lambda: Chart(figure(curve([1], name="$d$"))), "dollar signs"),
        (lambda: two_curves().update(layout={"title_text": r"loss of $\alpha$"}), "dollar signs"),
        (lambda: two_curves().update(traces={"nobody": {"y": [1]}}), r"one of the traces \['with', 'without'\]"),
        (lambda: two_curves().update(traces={2: {"y": [1]}}), "an index below 2, got 2"),
        (lambda: two_curves().update(traces={0: {"yy": [1]}}), "yy"),
        (lambda: two_curves().update(layout={"xaxis_rage": [0, 1]}), "xaxis_rage"),
        (lambda: curve([1], role="quarry"), "expected a role of .*query.* got 'quarry'"),
        (lambda: Chart(go.Figure(frames=[go.Frame(data=[])])), "frames"),
    ],
)
def test_errors_quote_what_came(wrong, said):
    with pytest.raises(ValueError, match=said):
        wrong()


def test_a_refused_update_changes_nothing():
    chart = two_curves()
    before = chart.get_state()
    with pytest.raises(ValueError, match="yy"):
        chart.update(traces={0: {"y": [1.0]}, 1: {"yy": [1]}})
    assert chart.get_state() == before


def test_film_state_is_what_the_trait_would_send():
    from widgets.base.frames import wire

    chart = two_curves()
    on_wire = wire(chart, "traces", {"without": {"y": np.arange(3.0)}})
    chart.update(traces={"without": {"y": np.arange(3.0)}})
    assert on_wire == chart.get_state()["traces"]


def test_bundle_has_the_whole_name():
    chart = Chart(figure(curve(range(7)), title="a title of many words " * 9))
    data, _ = chart._repr_mimebundle_()
    assert data["text/plain"] == repr(chart)
    assert len(repr(chart)) > 110


def test_plotlys_script_is_packed_at_the_first_chart_and_plotly_is_not_asked():
    program = (
        "import sys; from widgets.base.instrument import _libraries; "
        "from widgets.instruments.chart.chart import Chart, bars, curve, figure, points; "
        "assert not _libraries; Chart({}); "
        "chart = Chart(figure(curve([1, 2]), points([1], [2], 'a'), bars([3], 'b'), y='loss', xaxis_dtick=1)); "
        "chart.update({0: {'y': [2.0, 1.0], 'line_dash': 'dot'}}, {'yaxis_range': [0, 1]}); "
        "assert 'plotly' in _libraries and 'plotly.graph_objs' not in sys.modules; "
        "Chart({'data': [{'type': 'pie', 'values': [1]}]}); "
        "assert 'plotly.graph_objs' in sys.modules and 'plotly.graph_objs.mesh3d' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", program], check=True)


VALUES = [
    *[-200, -1, 0, 0.5, 1, 3, 12, 400, 1e9, True, False, "", "a", "<b>7</b>", "x", "y", "reversed", [], {}, [{}]],
    *["#1A2b3C", "rgb(1, 2, 3)", "rgba(1,2,3,0.5)", "rgba(1,2,3)", "rgb(1,2,3,0.5)", "rgb(999,0,0)", {"text": "t"}],
    *[[1, 2.5], [2, 1], [1], [0, None, "a"], ["a", "b"], ["#112233", "#445566"], ["top left", "middle right"]],
    *[np.array([1.0, np.nan]), np.array([-1.0, 2.0]), np.zeros((2, 2), np.float32)],
]  # fmt: skip


def words_of(test) -> list:
    """The words that a test of the tables allows, each alone and two in a list."""
    words = next((cell.cell_contents for cell in getattr(test, "__closure__", None) or ()), ())
    if callable(words):
        return words_of(words)
    return [*words, list(words[:2])]


def places(table: dict, above=()):
    """(names from the outermost to the innermost, its test) for each attribute of a table."""
    for name, test in table.items():
        yield (*above, name), test
        if isinstance(test, dict):
            yield from places(test, (*above, name))
        if isinstance(test, list):
            yield from ((path, inner) for path, inner in places(test[0], (*above, name)))


def nested(path, value, table):
    """{"xaxis": {"range": value}} for ("xaxis", "range"), a list of one dict where the table has one."""
    if not path:
        return value
    first, *rest = path
    inner = table[first][0] if isinstance(table[first], list) else table[first]
    value = nested(rest, value, inner if isinstance(inner, dict) else {})
    return {first: [value] if isinstance(table[first], list) and rest else value}


def equal(one, other) -> bool:
    """Of the same kind, too: what travels to the page."""
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(equal(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("kind", ["scatter", "bar", "layout"])
def test_the_tables_take_nothing_that_plotly_refuses_or_holds_otherwise(kind):
    table = attributes.LAYOUT if kind == "layout" else attributes.TRACES[kind]
    ask = attributes.layout_by_plotly if kind == "layout" else lambda change: attributes.trace_by_plotly(kind, change)
    taken = set()
    for path, test in places(table):
        for value in [*VALUES, *words_of(test)]:
            change = nested(path, value, table)
            found = attributes.known(attributes.opened(change), table)
            if found is not None:
                taken.add(path)
                assert equal(found, ask(change)), change
    assert taken == {path for path, _ in places(table)}, "some entry takes nothing: its values are not among these"


def test_a_trace_as_it_is_seen_now():
    chart = Chart(figure(curve([1, 2, 3], name="loss"), curve([3, 2, 1], name="accuracy")))
    chart.update(traces={"loss": {"y": [5, 7, 11]}})
    assert list(chart.trace("loss")["y"]) == [5, 7, 11]
    assert list(chart.trace(1)["y"]) == list(chart.trace(-1)["y"]) == [3, 2, 1]
    with pytest.raises(ValueError, match="expected one of the traces"):
        chart.trace("nothing")
