"""The benchmark's own parts: what is counted, how it is said, and the network that is far away."""

import json
import math
import socket
import threading
import time

import pytest

from benchmarks.imports import seconds
from benchmarks.proxy import Far
from benchmarks.report import Record, latencies, percentile, table, verdict, write


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
    records = [Record("key to picture", 17.25, 33.0, "ms", (16.0, 19.5)), Record("torch", 0.701, None, "s"),
               Record("lost", math.nan, 1, "s")]
    first, second, *_ = table(records).splitlines()
    assert first.split() == ["what", "measured", "at", "most", "unit", "spread"]
    assert second.split() == ["key", "to", "picture", "17.2", "33.0", "ms", "16.0", "to", "19.5", "ok"]
    write(records, tmp_path / "latest.json")
    assert json.loads((tmp_path / "latest.json").read_text()) == [
        {"name": "key to picture", "value": 17.25, "limit": 33.0, "unit": "ms"},
        {"name": "torch", "value": 0.701, "limit": None, "unit": "s"},
        {"name": "lost", "value": None, "limit": 1, "unit": "s"},
    ]


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
    thread.join(10)
    listening.close()
    assert not thread.is_alive()


def test_far_delays_each_way_and_loses_nothing(echo):
    with Far(echo, 0.1) as far, socket.create_connection(("127.0.0.1", far.port), timeout=10) as near:
        start = time.perf_counter()
        near.sendall(b"question")
        assert near.recv(100) == b"question"
        assert 0.2 <= time.perf_counter() - start < 1.5
        sent = bytes(range(256)) * 4001
        threading.Thread(target=lambda: (near.sendall(sent), near.shutdown(socket.SHUT_WR))).start()
        got = b""
        while data := near.recv(65536):
            got += data
        assert got == sent


def test_far_does_not_add_up_the_delays_of_a_row_of_messages(echo):
    with Far(echo, 0.1) as far, socket.create_connection(("127.0.0.1", far.port), timeout=10) as near:
        start = time.perf_counter()
        for i in range(20):
            near.sendall(bytes([i]) * 10)
            time.sleep(0.01)
        got = b""
        while len(got) < 200:
            got += near.recv(65536)
        assert time.perf_counter() - start < 1.5
        assert got == b"".join(bytes([i]) * 10 for i in range(20))


def test_far_where_nobody_listens_closes():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Far(port, 0.01) as far, socket.create_connection(("127.0.0.1", far.port), timeout=10) as near:
        assert near.recv(10) == b""


def test_import_time_is_that_of_the_import_alone():
    assert 0.1 < seconds("import time; time.sleep(0.1)") < 0.5
