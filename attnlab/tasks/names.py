"""Names of countries, currencies and languages, letter by letter: ``germany`` to ``allemagne``.

The counter-example: nothing in the letters of one name says what another is called. Names like these are facts, not a
rule; a model can know those of the training by heart, and no others.
The names come from Unicode's CLDR, which Babel carries.
"""

import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from babel import Locale, UnknownLocaleError

from attnlab.checks import checked
from attnlab.tasks.base import SPECIAL, Example, Task, quoted

KINDS = ("territories", "currencies", "languages")
RARE = 10


@checked
def normalise(text: str) -> str:
    """Lower case, composed accents, single plain spaces: that a language writes its names with capitals is no matter
    of this task."""
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).lower()).split())


@checked
class Names(Task):
    """Names in one language to another, all in lower case; about a tenth of them occurs only in the test.

    Names that tell each other's translation (``old french``, ``french guiana`` and ``french``) stand on one side, see
    ``kin``. A name with a letter that fewer than ten names have is for training only: nobody could learn it.

    source, target: locales of CLDR such as "en", "de", "pt_BR", "sr_Latn". ``seed`` decides which names are held out.
    Raises ValueError for an unknown locale.
    """

    name = "names"

    def __init__(self, source: str = "en", target: str = "fr", seed: int = 0) -> None:
        self.locales, self.seed = (_locale(source), _locale(target)), seed

    @cached_property
    def test(self) -> list[Example]:
        """Held-out names."""
        return [Example(source, target) for source, target in self._split[1]]

    def pairs(self) -> list[tuple[str, str]]:
        return self._split[0]

    @cached_property
    def source_vocabulary(self) -> list[str]:
        return [*SPECIAL, *sorted({letter for source, _ in self._all for letter in source})]

    @cached_property
    def target_vocabulary(self) -> list[str]:
        return [*SPECIAL, *sorted({letter for _, target in self._all for letter in target})]

    def normalise(self, text: str) -> str:
        return normalise(text)

    @property
    def examples(self) -> str:
        return (
            f"names of countries, currencies and languages in {self.locales[0].english_name}, such as "
            f"{quoted(self.test[0].source)}"
        )

    @cached_property
    def _all(self) -> list[tuple[str, str]]:
        """Each name once; of two translations the first."""
        found = {}
        for kind in KINDS:
            ours, theirs = (getattr(locale, kind) for locale in self.locales)
            for code in sorted(ours.keys() & theirs.keys()):
                found.setdefault(normalise(ours[code]), normalise(theirs[code]))
        if len(found) < 20 * RARE:
            raise ValueError(
                f"expected two languages with at least {20 * RARE} names in common, got {len(found)} for "
                f"{self.locales[0]} and {self.locales[1]}"
            )
        return list(found.items())

    @cached_property
    def _split(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        chance, held_out, names = random.Random(self.seed), set(), self._all
        sides = [_common(side) for side in zip(*names, strict=True)]
        for family in sorted(kin(names), key=lambda _: chance.random()):
            learnable = all(set(text) <= common for pair in family for text, common in zip(pair, sides, strict=True))
            if learnable and len(held_out) + len(family) <= len(names) // 10:
                held_out.update(family)
        return [pair for pair in names if pair not in held_out], [pair for pair in names if pair in held_out]


@checked
def kin(names: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Families of names: two are kin where, in one of the two languages, all words of one occur in the other.

    Words are runs of letters, so ``brazilian cruzeiro (1990–1993)`` is kin to ``brazilian cruzeiro``. Kin of kin are
    one family. A single word may still stand on both sides (``guernsey`` beside ``jersey pound``).
    """
    family = {pair: [pair] for pair in names}
    for side in (0, 1):
        words = {pair: frozenset(re.findall(r"[^\W\d_]+", pair[side])) for pair in names}
        holders = defaultdict(list)
        for pair in names:
            for word in words[pair]:
                holders[word].append(pair)
        for pair in names:
            rarest = min(words[pair], key=lambda word: (len(holders[word]), word), default="")
            for other in holders.get(rarest, []):
                if words[pair] <= words[other] and family[pair] is not family[other]:
                    _merge(family, pair, other)
    return list({id(members): members for members in family.values()}.values())


def _merge(family: dict, pair: tuple[str, str], other: tuple[str, str]) -> None:
    family[pair].extend(family[other])
    for member in family[other]:
        family[member] = family[pair]


def _common(texts: Iterable[str]) -> set[str]:
    count = defaultdict(int)
    for text in texts:
        for letter in set(text):
            count[letter] += 1
    return {letter for letter, names in count.items() if names >= RARE}


def _locale(name: str) -> Locale:
    try:
        return Locale.parse(name)
    except (UnknownLocaleError, ValueError, TypeError) as error:
        raise ValueError(
            f'expected a locale of CLDR such as "en", "fr", "de", "ja", "pt_BR" or "sr_Latn", got {name!r}'
        ) from error
