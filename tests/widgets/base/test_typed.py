"""What was typed is read, or refused in a sentence."""

import pytest

from widgets.base.typed import letters_in, words_in


def test_words_and_letters():
    assert words_in("  <b>dog</b>  犬 ", most=8) == ["<b>dog</b>", "犬"]
    assert words_in("a " * 8, most=8) == ["a"] * 8
    assert words_in("a " + "x" * 20, most=2) == ["a", "x" * 20]
    assert letters_in(" CabB ", list("abc"), 4) == ["c", "a", "b", "b"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "expected 2 to 8 words, got 0"),
        ("dog", "expected 2 to 8 words, got 1"),
        ("a b c d e f g h i", "expected 2 to 8 words, got 9"),
        ("a " + "x" * 21, f"expected words of at most 20 letters, got {'x' * 20}…"),
    ],
)
def test_other_words_are_refused(line, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        words_in(line, most=8)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "expected 3 letters, got 0"),
        ("abca", "expected 3 letters, got 4"),
        ("abd", "expected letters from a to c, got “d”"),
        ("a b", "expected letters from a to c, got “␣”"),
        ("<b>", "expected letters from a to c, got “<”"),
    ],
)
def test_other_letters_are_refused(line, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        letters_in(line, list("abc"), 3)
