"""Frames: packed once, sent in slices, refused where they are too large or too slow."""

import numpy as np
import pytest
from traitlets import TraitError

from widgets.base import frames
from widgets.base.frames import Frames, pack, wire
from widgets.base.instrument import pack_array
from widgets.instruments.matrix.matrix import Matrix


def picture(*numbers, word="same"):
    return {"matrix": {"values": pack_array(np.float32(numbers))}, "caption": {"sentence": [[word, "key"]]}}


def test_equal_values_are_stored_once():
    packed = Frames()
    for i, numbers in enumerate([(1, 2, 3), (4, 5, 6), (1, 2, 3)]):
        packed.add(i, picture(*numbers))
    assert len(packed) == 3
    assert bytes(packed.bytes) == np.float32([1, 2, 3, 4, 5, 6]).tobytes()
    assert packed.table == [
        {"shape": [3], "data": {"bytes": [0, 12]}},
        [["same", "key"]],
        {"shape": [3], "data": {"bytes": [12, 24]}},
    ]
    assert [frame["matrix"]["values"] for _, frame in packed.frames] == [0, 2, 0]
    assert packed.size > 24


def test_equal_bytes_of_another_shape_are_another_value():
    packed = Frames()
    packed.add(0, {"a": {"x": pack_array(np.zeros((2, 3), "f4"))}})
    packed.add(1, {"a": {"x": pack_array(np.zeros((3, 2), "f4"))}})
    assert len(packed.table) == 2


@pytest.fixture
def clock(monkeypatch):
    """Time that only passes when it is told to."""

    class Clock:
        now = 0.0

        def pictures(self, *seconds):
            for i, spent in enumerate(seconds):
                self.now += spent
                yield i, picture(i)

    here = Clock()
    monkeypatch.setattr(frames, "perf_counter", lambda: here.now)
    monkeypatch.setattr(frames, "thread_time", lambda: here.now)
    return here


@pytest.mark.parametrize(
    ("seconds", "total", "came", "refused"),
    [
        ([0.009] * 40, 40, 12, ""),  # 0.36 s of work: in slices of 0.1 s
        ([0.001] * 40, 40, 40, ""),
        ([0.011] * 40, 40, 2, "slow"),
        ([0.05] + [0.001] * 39, 40, 40, ""),  # the first one warmed something up
        ([0.3], 1, 1, ""),
        ([0.3], 2, 1, "slow"),
    ],
)
def test_slices_and_slow_frames(clock, seconds, total, came, refused):
    packed, why = pack(clock.pictures(*seconds), total)
    assert (len(packed), why) == (came, refused)


def test_too_many_frames():
    frames = ((i, picture(*range(i, i + 13_000))) for i in range(100))
    packed, why = pack(frames, 100)
    assert why == "large"
    assert len(packed) < 10


def test_too_many_positions():
    packed, why = pack(((i, pytest.fail("computed")) for i in range(1001)), 1001)
    assert (len(packed), why) == (0, "large")


def test_one_large_picture_is_not_too_many_frames():
    packed, why = pack([(0, picture(*range(13_000)))], 1)
    assert (len(packed), why) == (1, "")


def test_wire_is_what_the_part_would_send():
    matrix = Matrix(np.zeros((2, 3)))
    sent = wire(matrix, "values", [[1, 2, 3], [4, 5, 6]])
    assert sent["shape"] == [1, 1, 2, 3]
    assert bytes(sent["data"]) == np.arange(1, 7, dtype="f4").tobytes()
    assert wire(matrix, "query_labels", ["a", "b"]) == ["a", "b"]
    assert wire(matrix, "mask", None) is None


def test_wire_of_a_frame_with_another_shape():
    matrix = Matrix(np.zeros((2, 3)), query_labels=["a", "b"])
    assert wire(matrix, "values", np.zeros((5, 7)))["shape"] == [1, 1, 5, 7]
    assert wire(matrix, "query_labels", list("abcde")) == list("abcde")


def test_wire_of_a_wrong_value():
    with pytest.raises(TraitError, match="expected 2 to 4 axes"):
        wire(Matrix(), "values", [1, 2, 3])
