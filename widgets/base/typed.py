"""What a learner has typed, read as words or as letters; or a ValueError in a sentence, which becomes the banner."""

from collections.abc import Sequence

from widgets.base.words import quote

LONGEST = 20  # letters of a word: labels have no room for more


def words_in(line: str, most: int) -> list[str]:
    """The words of a line. Raises ValueError for fewer than two, for more than `most`, and for very long ones."""
    words = line.split()
    if not 2 <= len(words) <= most:
        raise ValueError(f"expected 2 to {most} words, got {len(words)}")
    if long := [word for word in words if len(word) > LONGEST]:
        raise ValueError(f"expected words of at most {LONGEST} letters, got {long[0][:LONGEST]}…")
    return words


def letters_in(line: str, known: Sequence[str], count: int) -> list[str]:
    """The letters of a line, small ones. Raises ValueError for one that is not `known` and for another number."""
    letters = list(line.strip().lower())
    if strange := [letter for letter in letters if letter not in known]:
        raise ValueError(f"expected letters from {known[0]} to {known[-1]}, got {quote(strange[0])}")
    if len(letters) != count:
        raise ValueError(f"expected {count} letters, got {len(letters)}")
    return letters
