"""Fewer values of the controls: which stay, and which come first."""

import numpy as np

from widgets.base.thinning import STEPS, around, ends_first, every_second, same_text, thinned


def test_thinned_keeps_where_the_controls_stand():
    axes = {"a": ("slider", list(range(40))), "b": ("select", ["x", "y"]), "c": ("slider", list(range(11)))}
    start = {"a": 7, "b": "y", "c": 3}
    kept = thinned(axes, start, 100)
    assert np.prod([len(values) for values in kept.values()]) <= 100
    assert kept["b"] == ["x", "y"]
    for name in ("a", "c"):
        assert start[name] in kept[name]
        assert {axes[name][1][0], axes[name][1][-1]} <= set(kept[name])
    assert thinned(axes, start, 1) == {"a": [7], "b": ["y"], "c": [3]}


def test_thinned_to_less_is_a_part_of_thinned_to_more():
    axes = {"a": ("slider", list(range(40))), "c": ("slider", list(range(11)))}
    start = {"a": 7, "c": 3}
    more = thinned(axes, start, 200)
    less = thinned({name: ("slider", values) for name, values in more.items()}, start, 40)
    assert all(set(less[name]) <= set(more[name]) for name in less)


def test_every_second_ends():
    values = list(range(9))
    while len(values) > 1:
        shorter = every_second(values, 4)
        assert len(shorter) < len(values)
        assert 4 in shorter or len(shorter) == 1
        values = shorter


def test_of_a_long_stepper_only_what_is_about_it():
    values = list(range(1, 1001))
    assert around(values, 1) == values[:STEPS]
    assert around(values, 1000) == values[-STEPS:]
    found = around(values, 500)
    assert (len(found), found[STEPS // 2]) == (STEPS, 500)
    assert around([1, 2, 3], 2) == [1, 2, 3]


def test_ends_first():
    assert ends_first(list("abcdefghi")) == list("aiecgbdfh")
    assert [ends_first(list("abc")[:n]) for n in range(4)] == [[], ["a"], ["a", "b"], ["a", "c", "b"]]


def test_what_is_the_same_on_the_way_to_a_page():
    assert same_text(1, 1.0)
    assert same_text({"a": (1, 2)}, {"a": [1, 2.0]})
    assert not same_text(1, 1.5)
    assert not same_text([1], 1)
