"""The benchmark's own parts: what is counted, how it is said, and the network that is far away."""

import json
import math
import socket
import sys
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as bench
from benchmarks import any_model, views
from benchmarks.imports import seconds
from benchmarks.proxy import Far
from benchmarks.report import Record, latencies, percentile, table, verdict, write
from lessons.lab import PATIENCE


def test_percentile_is_one_of_the_numbers():
    numbers = [7, 1, 5, 3, 9, 2, 8, 4, 6, 10]
    assert percentile(numbers, 0.5) == 5
    assert percentile(numbers, 0.95) == 10
    assert percentile([4], 0.95) == 4
    assert percentile(range(1, 101), 0.95) == 95
    assert math.isnan(percentile([], 0.5))


def test_latencies_of_all_rounds_and_their_spread():
    p50, p95 = latencies("key", [[10, 20, 30], [11, 12, 13]], 20, 33)
    assert (p50.name, p50.value, p50.limit, p50.spread) == ("key, p50", 12, 20, (12, 20))
    assert (p95.value, p95.limit, p95.spread) == (30, 33, (13, 30))


def test_verdict():
    assert verdict(Record("a", 20, 20, "ms")) == "ok"
    assert verdict(Record("a", 20.1, 20, "ms")) == "MORE"
    assert verdict(Record("a", math.nan, 20, "ms")) == "MORE"
    assert verdict(Record("a", 20.1, None, "ms")) == ""


def test_table_and_json(tmp_path):
    records = [
        Record("key to picture", 17.25, 33.0, "ms", (16.0, 19.5), 14),
        Record("torch", 0.701, None, "s"),
        Record("lost", math.nan, 1, "s"),
    ]
    first, second, *_ = table(records).splitlines()
    assert first.split() == ["what", "measured", "at", "most", "bare", "text", "unit", "spread"]
    assert second.split() == ["key", "to", "picture", "17.2", "33.0", "14.0", "ms", "16.0", "to", "19.5", "ok"]
    write(records, tmp_path / "latest.json")
    assert json.loads((tmp_path / "latest.json").read_text(encoding="utf-8")) == [
        {"name": "key to picture", "value": 17.25, "limit": 33.0, "unit": "ms"},
        {"name": "torch", "value": 0.701, "limit": None, "unit": "s"},
        {"name": "lost", "value": None, "limit": 1, "unit": "s"},
    ]


def test_half_written_records_never_replace_whole_ones(tmp_path, monkeypatch):
    write([Record("old", 1, None, "s")], tmp_path / "latest.json")

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("benchmarks.report.os.replace", stopped)
    with pytest.raises(KeyboardInterrupt):
        write([Record("new", 1, None, "s")], tmp_path / "latest.json")
    assert [record["name"] for record in json.loads((tmp_path / "latest.json").read_text(encoding="utf-8"))] == ["old"]


def test_bare_text_stands_beside_a_limit_in_milliseconds():
    p50, p95 = latencies("key", [[10, 20, 30]], 20, 33, [[5, 6, 7]])
    assert (p50.bare, p95.bare) == (6, 7)
    assert latencies("key", [[10, 20, 30]])[0].bare is None


# A run, and one that is stopped


def part(*records, then=None):
    def measure(quick):
        yield from records
        if then:
            raise then

    return SimpleNamespace(ABOUT="3 minutes", measure=measure)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """What a run of these parts prints and writes. SIGTERM stays as it is."""

    def run(parts):
        monkeypatch.setattr(bench, "PARTS", parts)
        monkeypatch.setattr(bench, "ROOT", tmp_path)
        monkeypatch.setattr(bench, "LATEST", tmp_path / "latest.json")
        monkeypatch.setattr(bench, "write", lambda records: write(records, tmp_path / "latest.json"))
        monkeypatch.setattr(bench.signal, "signal", lambda *_: None)
        monkeypatch.setattr("sys.argv", ["benchmarks"])
        try:
            code = bench.main()
        except BaseException as stopped:
            code = stopped
        written = json.loads((tmp_path / "latest.json").read_text(encoding="utf-8"))
        return code, capsys.readouterr().out, [record["name"] for record in written]

    return run


FAST, SLOW = Record("fast", 1, 2, "s"), Record("slow", 3, 2, "s")


def test_a_run_says_how_long_each_part_takes_and_fails_where_a_limit_is_passed(run):
    code, out, written = run({"first": part(FAST), "second": part(SLOW)})
    assert code
    assert out.index("first: about 3 minutes") < out.index("second: about 3 minutes") < out.index("MORE")
    assert written == ["fast", "slow"]
    assert not run({"first": part(FAST)})[0]


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit(143), RuntimeError("no browser")])
def test_a_stopped_run_keeps_what_it_has_measured(run, stop):
    code, out, written = run({"first": part(FAST), "second": part(SLOW, then=stop), "third": part(FAST)})
    assert code is stop
    assert written == ["fast", "slow"]
    assert "slow" in out.splitlines()[4], "the table is printed as well"
    assert "third" not in out


class FakeView:
    """Answers each key after as many milliseconds as its cell says."""

    pressed: list = []

    def __init__(self, notebook, cell, kind):
        self.ms = notebook.milliseconds[cell - 1]

    def look(self):
        pass

    def press(self):
        pass

    def presses(self, events):
        self.pressed.append(self.ms)
        return [self.ms] * events

    def drag(self):
        return {"ms": 1000, "pictures": 1000 / self.ms}


@pytest.fixture
def seen(monkeypatch):
    """The records of `views` by name, where the answers take so long: bare text 20, plotly 200, ours 10 ..."""

    @contextmanager
    def opened(lab, browser, file, cells):
        milliseconds = [20, 100, 200, 12, 10] if len(cells) == 6 else [20, 30 if "chart" in file else 4]
        yield SimpleNamespace(milliseconds=milliseconds, page=SimpleNamespace(wait_for_timeout=lambda ms: None))

    monkeypatch.setattr(views, "opened", opened)
    monkeypatch.setattr(views, "View", FakeView)
    monkeypatch.setattr(FakeView, "pressed", [])
    return [*views.compare(None, None, 4, 2, (8, 32)), *views.chart(None, None, 4, 2), *views.film(None, None, 4, 2)]


def test_views_are_limited_by_what_the_bare_text_takes(seen):
    limits = {record.name: (record.value, record.limit) for record in seen if record.limit and record.unit == "times"}
    assert limits == {
        "Explorer without a film / bare text, median over n = 8, 32": (0.5, 1.0),
        "Explorer without a film / interact + new plotly figure, median over n = 8, 32": (0.05, 0.11),
        "Chart / bare text, p50": (1.5, 2),
        "film / bare text, n=32, p50": (0.2, 0.5),
    }
    beside = {record.name: record.bare for record in seen}
    assert beside["Explorer without a film n=8, key to picture, p50"] == 20
    assert beside["Chart, key to picture, p95"] == beside["film n=32, key to picture, p95"] == 20


def test_the_yardsticks_of_views_are_written_first(seen):
    names = [record.name for record in seen]
    assert names[0] == "bare text n=8, key to picture, p50"
    ours = names.index("Explorer without a film n=8, key to picture, p50")
    assert all(names.index(f"{name} n=8, key to picture, p50") < ours for name in views.COMPARED if name != views.OURS)
    assert FakeView.pressed[:5] == [20, 100, 200, 12, 10], "all take turns"
    assert FakeView.pressed[5:10] == FakeView.pressed[:5]


@pytest.fixture
def echo():
    """A server that sends back what it gets, until the other side has finished."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        connection, _ = listening.accept()
        with connection:
            while data := connection.recv(65536):
                connection.sendall(data)

    thread = threading.Thread(target=serve)
    thread.start()
    yield listening.getsockname()[1]
    thread.join(PATIENCE)
    listening.close()
    assert not thread.is_alive()


def test_far_delays_each_way_and_loses_nothing(echo):
    with Far(echo, 0.1) as far, socket.create_connection(("127.0.0.1", far.port), timeout=PATIENCE) as near:
        start = time.perf_counter()
        near.sendall(b"question")
        assert near.recv(100) == b"question"
        assert time.perf_counter() - start >= 0.2
        sent = bytes(range(256)) * 4001
        threading.Thread(target=lambda: (near.sendall(sent), near.shutdown(socket.SHUT_WR))).start()
        got = b""
        while data := near.recv(65536):
            got += data
        assert got == sent


def test_far_does_not_add_up_the_delays_of_a_row_of_messages(echo):
    """Added up they would be 20 s and more; half of it is time enough for any machine."""
    with Far(echo, 0.1) as far, socket.create_connection(("127.0.0.1", far.port), timeout=PATIENCE) as near:
        for i in range(100):
            near.sendall(bytes([i]) * 10)
            time.sleep(0.01)
        sent = time.perf_counter()
        got = b""
        while len(got) < 1000:
            got += near.recv(65536)
        assert time.perf_counter() - sent < 10
        assert got == b"".join(bytes([i]) * 10 for i in range(100))


def test_far_where_nobody_listens_closes():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Far(port, 0.01) as far, socket.create_connection(("127.0.0.1", far.port), timeout=PATIENCE) as near:
        assert near.recv(10) == b""


def test_import_time_is_that_of_the_import_alone():
    assert seconds("import time; time.sleep(0.1)") >= 0.1
    start = time.perf_counter()
    assert seconds("pass") < (time.perf_counter() - start) / 2, "the start of the interpreter is counted"


# The longest text


def test_the_longest_text_is_the_last_one_with_a_picture():
    asked = []

    def picture_of(name, tokens):
        asked.append(tokens)
        return [900.0, 64e6] if tokens <= 128 else None

    *records, last = any_model.longest("BertViz", (128, 256, 512), picture_of)
    assert asked == [128, 256], "none is tried beyond the first miss"
    assert [(record.name.split(", ")[1], record.value) for record in records[:2]] == [
        ("128 tokens", 900),
        ("128 tokens", 64),
    ]
    assert records[2].name.startswith("BertViz, 256 tokens")
    assert math.isnan(records[2].value)
    assert (last.value, last.unit) == (128, "tokens")
    *_, last = any_model.longest("BertViz", (128,), lambda name, tokens: None)
    assert last.value == any_model.TOKENS, "shorter ones have been drawn before"


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("print('a warning'); print([7, 8])", [7, 8]),
        ("import sys; print([7, 8]); sys.exit(1)", None),
        ("import os; os.abort()", None),
    ],
)
def test_what_takes_itself_down_is_a_miss(code, answer):
    assert any_model.answer_of([sys.executable, "-c", code], seconds=PATIENCE) == answer


def test_what_takes_too_long_is_a_miss():
    code = "import time; time.sleep(60); print([7, 8])"
    assert any_model.answer_of([sys.executable, "-c", code], seconds=0.5) is None
