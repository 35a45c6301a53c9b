"""Serbian names from Cyrillic letters to Latin ones: ``њемачки`` to ``njemački``.

The same kind of data as ``names``, but with a rule behind it: every letter has its own transcription. So here a model
can be right about names that it never saw.
"""

from attnlab.checks import checked
from attnlab.tasks.base import Example
from attnlab.tasks.names import Names

LATIN = dict(
    zip(
        "абвгдђежзијклљмнњопрстћуфхцчџш",
        [
            "a",
            "b",
            "v",
            "g",
            "d",
            "đ",
            "e",
            "ž",
            "z",
            "i",
            "j",
            "k",
            "l",
            "lj",
            "m",
            "n",
            "nj",
            "o",
            "p",
            "r",
            "s",
            "t",
            "ć",
            "u",
            "f",
            "h",
            "c",
            "č",
            "dž",
            "š",
        ],
        strict=True,
    )
)


@checked
def latin(text: str) -> str:
    """The rule itself: letter by letter; all other signs stay as they are."""
    return "".join(LATIN.get(letter, letter) for letter in text)


@checked
class Serbian(Names):
    """Names of countries, currencies and languages from Serbian Cyrillic to Serbian Latin, in lower case.

    All of CLDR's pairs follow the rule (``latin``). Names that share their words stand on one side, as in ``Names``.
    ``seed`` decides which names are held out.
    """

    name = "serbian"

    def __init__(self, seed: int = 0) -> None:
        super().__init__("sr_Cyrl", "sr_Latn", seed)

    def alignment(self, example: Example) -> list[frozenset[int]]:
        """For each Latin letter the place of the Cyrillic one; l and j of љ come from one place."""
        return [frozenset({place}) for place, letter in enumerate(example.source) for _ in LATIN.get(letter, letter)]
