"""The sentence under a picture."""

import json
import math
from pathlib import Path

import pytest

from widgets.base.words import (
    a_digit,
    all_of,
    as_markdown,
    context,
    counted,
    enumerated,
    error_message,
    from_to,
    key,
    most_read,
    number,
    one_or_more,
    percent,
    plain,
    query,
    quote,
    row_and_column,
    say,
    shares,
    shortened,
    token_label,
    value,
    visible,
)

# The scripts write the same words: their tests read the same cases.
CASES = json.loads((Path(__file__).parents[2] / "support" / "word_cases.json").read_text(encoding="utf-8"))


def test_runs():
    runs = say("A ", query("q"), key("k"), value("v"), context("c"), ".")
    assert runs == [["A ", ""], ["q", "query"], ["k", "key"], ["v", "value"], ["c", "context"], [".", ""]]
    assert plain(runs) == "A qkvc."


def test_errors_in_words():
    assert error_message(ValueError("expected 3, got 4")) == "expected 3, got 4"
    assert error_message(ValueError()) == "ValueError"
    assert error_message(KeyError("x")) == "KeyError: 'x'"


@pytest.mark.parametrize(("token", "shown"), CASES["visible"])
def test_visible(token, shown):
    assert visible(token) == shown


QUOTED = [("cat", "“cat”"), (" ", "“␣”"), ("", "“∅”"), ("the cat", "“the cat”"), ("\n", "“↵”"), ("<b>", "“<b>”")]


@pytest.mark.parametrize(("token", "quoted"), QUOTED)
def test_quote(token, quoted):
    assert quote(token) == quoted


def test_what_a_row_reads_most():
    assert plain(say(*most_read([0.1, 0.7, 0.2], 2, ["a", "the cat", "c"]))) == "“the cat” with 70\u202f% of its weight"
    assert most_read([0.1, 0.2, 0.7], 2, ["a", "b", "c"])[0] == ["itself", "key"]


@pytest.mark.parametrize(("share", "words"), CASES["percent"])
def test_percent(share, words):
    assert percent(share) == words


def test_markdown_shows_the_very_letters():
    assert as_markdown("W_q · [a] * <b> `c` $x$ ~ | \\ &amp;") == r"W\_q · \[a\] \* \<b\> \`c\` \$x\$ \~ \| \\ \&amp;"
    assert as_markdown("one\n# two") == "one # two"


def test_shares():
    assert say(*shares({"one": 0.12, "two": 0.001})) == [
        ["one", "query"],
        [" 12\u202f%", ""],
        [", ", ""],
        ["two", "query"],
        [" under 1\u202f%", ""],
    ]
    assert shares({}) == []


@pytest.mark.parametrize(
    ("x", "decimals", "words"), [*CASES["number"], (math.inf, 2, "∞"), (-math.inf, 2, "−∞"), (math.nan, 2, "NaN")]
)
def test_number(x, decimals, words):
    assert number(x, decimals) == words


def test_labels_of_tokens_can_be_seen_and_are_short():
    assert token_label(" the\n") == "␣the↵"
    assert token_label("\x07") == "·"
    assert token_label("a" * 12) == "a" * 12
    assert token_label("a" * 30) == "a" * 11 + "…"


def test_a_long_text_is_shortened_to_so_many_letters():
    assert shortened("the cat", 7) == "the cat"
    assert shortened("the cat", 6) == "the c…"


def test_how_many():
    assert [counted(many, "head") for many in (0, 1, 2)] == ["0 heads", "1 head", "2 heads"]
    assert [one_or_more(many, "head") for many in (1, 2)] == ["one head", "2 heads"]


def test_cells_are_told_from_one():
    assert row_and_column(1, 4) == "row 2, column 5"


def test_lists_in_a_sentence():
    assert [enumerated(["a", "b", "c", "d"][:count]) for count in range(4)] == [
        [],
        ["a"],
        ["a", " and ", "b"],
        ["a", ", ", "b", " and ", "c"],
    ]


def test_digits_have_their_article():
    assert [a_digit(digit) for digit in (1, 8)] == ["a 1", "an 8"]


def test_all_and_what_became_of_a_number():
    assert [all_of(many) for many in (2, 3)] == ["both", "all 3"]
    assert [from_to("1 %", now) for now in ("1 %", "2 %")] == ["keeps 1 %", "goes from 1 % to 2 %"]
