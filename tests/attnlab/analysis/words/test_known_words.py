"""Known words are found whole, in any case, and counted by their letters."""

import pytest

from attnlab.analysis.words.known_words import known_share, pieces, words_in

KNOWN = {"ant", "tea", "net", "at"}
TEXT = "Ant, tea2net at-tea ants"


def test_words_of_three_letters_or_more_count_whole():
    assert pieces(TEXT, KNOWN) == [
        ("Ant", True),
        (", ", False),
        ("tea", True),
        ("2", False),
        ("net", True),
        (" ", False),
        ("at", False),
        ("-", False),
        ("tea", True),
        (" ", False),
        ("ants", False),
    ]
    assert "".join(piece for piece, _ in pieces(TEXT, KNOWN)) == TEXT


def test_words_in_small_letters():
    assert words_in("Ant, TEA2net\nat ant") == {"ant", "tea", "net", "at"}


def test_share_by_loop():
    inside = 0
    for at, letter in enumerate(TEXT):  # a letter counts if the run of letters around it is a known word
        start = end = at
        while start > 0 and TEXT[start - 1].isalpha():
            start -= 1
        while end < len(TEXT) and TEXT[end].isalpha():
            end += 1
        word = TEXT[start:end].lower()
        inside += letter.isalpha() and len(word) > 2 and word in KNOWN
    assert known_share(TEXT, KNOWN) == pytest.approx(inside / len(TEXT))
    assert inside == 12


def test_an_empty_text_has_no_words():
    assert pieces("", KNOWN) == []
    assert known_share("", KNOWN) == 0
