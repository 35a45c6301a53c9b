"""Endings are changed as in other names."""

from attnlab.analysis import by_ending

LEARNED = [("estonia", "estonie"), ("latvia", "lettonie"), ("albania", "albanie"), ("kuna", "kuna"), ("peso", "peso")]


def test_the_longest_known_ending_counts():
    assert by_ending(LEARNED, ["armenia", "cuna", "luna"]) == ["armenie", "cuna", "luna"]


def test_the_most_frequent_change_counts():
    assert by_ending([("ca", "ce"), ("da", "de"), ("fa", "fu")], ["la"]) == ["le"]


def test_what_has_no_known_ending_stays():
    assert by_ending(LEARNED, ["brazil", ""]) == ["brazil", ""]


def test_a_name_that_is_known_is_known():
    assert by_ending(LEARNED, ["latvia", "albania"]) == ["lettonie", "albanie"]
