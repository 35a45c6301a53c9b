"""How much of a text stands in words that one knows: a measure of whether a model that writes letters makes words."""

import re
from collections.abc import Collection

from attnlab.checks import checked

LEAST = 3
"""Letters of a word that counts: one or two letters in a row are a word too easily."""


@checked
def words_in(text: str) -> set[str]:
    """The words of a text, in small letters from a to z."""
    return set(re.findall("[a-z]+", text.lower()))


@checked
def pieces(text: str, known: Collection[str]) -> list[tuple[str, bool]]:
    """The text cut into words and what stands between them; each piece with whether it is a known word.

    known: the words, in small letters. Letters are those from a to z.
    """
    cut = re.findall(r"[A-Za-z]+|[^A-Za-z]+", text)
    return [(piece, piece.isalpha() and len(piece) >= LEAST and piece.lower() in known) for piece in cut]


@checked
def known_share(text: str, known: Collection[str]) -> float:
    """The share of the text's characters that stand in known words, from 0 to 1; 0 of an empty text."""
    return sum(len(piece) for piece, is_known in pieces(text, known) if is_known) / max(1, len(text))
