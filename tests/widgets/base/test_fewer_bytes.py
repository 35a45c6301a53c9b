"""Numbers in fewer bytes, and read back."""

import numpy as np
from wire import in_full

from widgets.base.fewer_bytes import columns_of, halved, lighter, packed_size


def test_two_bytes_keep_three_digits_and_what_is_no_number():
    numbers = np.float32([1 / 3, -2e-5, 123.456, 0, np.inf, np.nan, 1e3, 1e-3])
    packed = halved({"shape": [8], "data": memoryview(numbers.view(np.uint8))})
    assert len(packed["halves"]) == 16
    found = np.frombuffer(in_full(packed)["data"], np.float32)
    np.testing.assert_allclose(found, numbers, rtol=2**-11)
    assert halved({"page": b"1234"}) == {"page": b"1234"}, "bytes that are no numbers stay"
    for others in ({"shape": [1], "type": "int32", "data": b"1234"}, {"shape": [2, 4], "data": b"an image"}):
        assert halved(others) == others
    nothing = in_full(halved({"shape": [0], "data": b""}))
    assert nothing == {"shape": [0], "data": b""}


def test_seven_digits_in_four_bytes():
    numbers = np.array([1 / 3, 1e30])
    found = lighter({"y": [{"type": "float64", "shape": [2], "data": numbers.tobytes()}]})["y"][0]
    assert (found["type"], found["shape"]) == ("float32", [2])
    assert np.frombuffer(found["data"], np.float32).tolist() == numbers.astype(np.float32).tolist()


def test_columns_one_after_another():
    assert np.frombuffer(columns_of([[1, 2], [3, 65535]], 2), np.uint16).tolist() == [1, 3, 2, 65535]
    assert columns_of([], 3) == b""


def test_what_repeats_packs_well():
    assert packed_size({"data": bytes(10_000)}) < 200
