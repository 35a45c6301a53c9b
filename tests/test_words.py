"""The sentence under a picture."""

import math

import pytest

from widgets.words import context, key, number, percent, plain, query, quote, say, value, visible


def test_runs():
    runs = say("A ", query("q"), key("k"), value("v"), context("c"), ".")
    assert runs == [["A ", ""], ["q", "query"], ["k", "key"], ["v", "value"], ["c", "context"], [".", ""]]
    assert plain(runs) == "A qkvc."


@pytest.mark.parametrize(("token", "shown"), [("cat", "cat"), (" the\n", "␣the↵"), ("", "∅"), ("\x07", "·")])
def test_visible(token, shown):
    assert visible(token) == shown


QUOTED = [("cat", "“cat”"), (" ", "“␣”"), ("", "“∅”"), ("the cat", "“the cat”"), ("\n", "“↵”"), ("<b>", "“<b>”")]


@pytest.mark.parametrize(("token", "quoted"), QUOTED)
def test_quote(token, quoted):
    assert quote(token) == quoted


@pytest.mark.parametrize(("share", "words"), [
    (0.0, "0\u202f%"), (0.6234, "62\u202f%"), (1.0, "100\u202f%"), (0.004, "under 1\u202f%"),
    (0.9951, "over 99\u202f%"),
])
def test_percent(share, words):
    assert percent(share) == words


@pytest.mark.parametrize(("x", "decimals", "words"), [
    (-1.25, 1, "−1.2"), (0.0004, 2, "0.00"), (-0.0004, 2, "0.00"), (3, 0, "3"), (1e9, 1, "1000000000.0"),
    (math.inf, 2, "∞"), (-math.inf, 2, "−∞"), (math.nan, 2, "NaN"),
])
def test_number(x, decimals, words):
    assert number(x, decimals) == words
