"""Dates of many languages to ISO: ``mardi 3 mars 1992`` to ``1992-03-03``.

Names and patterns come from Unicode's CLDR, which Babel carries. Day, month and year stand in another order in another
language, so a model must look where each of them is written. Since the data is generated, the right place is known for
every character.
"""

import random
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, cached_property
from typing import Literal, NamedTuple, TypeVar

import numpy as np
import torch
from babel import Locale
from babel.dates import get_day_names, get_month_names, tokenize_pattern
from jaxtyping import Int64
from torch import Tensor

from attnlab.checks import Size, checked
from attnlab.tasks.base import SPECIAL, Batch, Example, Task, quoted

LOCALES = [
    "en_US",
    "en_GB",
    "de",
    "fr",
    "es",
    "pt_BR",
    "it",
    "nl",
    "pl",
    "tr",
    "ru",
    "ja",
    "zh",
    "ko",
    "ar_EG",
    "fa",
    "hi",
    "sv",
]
NATIVE_DIGITS = {"ar_EG": "٠١٢٣٤٥٦٧٨٩", "fa": "۰۱۲۳۴۵۶۷۸۹", "hi": "०१२३४५६७८९"}
FIRST, LAST = date(1900, 1, 1), date(2100, 12, 31)

# What people type and CLDR does not list. "ddd" is our sign for an ordinal (3rd, 1er).
TYPED = {
    "en_US": ["MMMM ddd, y", "EEEE, MMMM ddd, y"],
    "en_GB": ["ddd MMMM y", "ddd 'of' MMMM y", "EEEE ddd MMMM y"],
    "de": ["d.M.y"],
    "fr": ["ddd MMMM y", "EEEE ddd MMMM y", "'le' d MMMM y", "'le' EEEE d MMMM y"],
    "pl": ["dd.MM.y"],
    "tr": ["dd.MM.y"],
    "ru": ["d MMMM y", "EEEE, d MMMM y", "dd.MM.y"],
    "ja": ["y/M/d", "y年M月d日 EEEE"],
    "zh": ["y年M月d日 EEEE"],
    "ar_EG": ["d/M/y"],
    "fa": ["y/M/d"],
    "hi": ["d MMMM, y"],
    "sv": ["y-MM-dd", "'den' d MMMM y"],
}
MARKS = "\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
INVISIBLE = dict.fromkeys(map(ord, MARKS))
DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")


Option = TypeVar("Option")


@checked
def normalise(text: str) -> str:
    """Lower case, plain spaces and dashes, composed accents, no invisible marks of direction.

    NFKC also turns full-width digits into plain ones; native digits of Arabic, Persian and Hindi stay.
    """
    text = unicodedata.normalize("NFKC", text).translate(INVISIBLE).translate(DASHES).lower()
    return " ".join(unicodedata.normalize("NFC", text.replace("i̇", "i")).split())


class Reading(NamedTuple):
    """What a typed text says: the numbers, and for each character its field."""

    year: int
    month: int
    day: int
    fields: tuple[str, ...]


@checked
@dataclass(frozen=True, eq=False)
class Form:
    """One way to write a date: pieces ``(field, {value: text})``; field "none" is a literal under the key None."""

    locale: str
    name: str
    pieces: tuple[tuple[str, dict], ...]

    def write(self, day: date) -> str:
        """The date in this form."""
        return "".join(table[value] for table, value in self._filled(day))

    def fields(self, day: date) -> tuple[str, ...]:
        """For each character of ``write(day)`` its field: day, month, year, weekday or none."""
        return tuple(
            field
            for (field, _), (table, value) in zip(self.pieces, self._filled(day), strict=True)
            for _ in table[value]
        )

    def _filled(self, day: date) -> list[tuple[dict, int | None]]:
        values = {"none": None, "day": day.day, "month": day.month, "year": day.year, "weekday": day.weekday()}
        return [(table, values[field]) for field, table in self.pieces]

    def read(self, text: str) -> Reading | None:
        """What a text in this form says; None for a text in another form."""
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        numbers = {
            field: next(value for value, spelled in table.items() if spelled == match[field])
            for field, table in self.pieces
            if field in ("month", "day")
        }
        fields = ["none"] * len(text)
        for field in match.groupdict():
            fields[match.start(field) : match.end(field)] = [field] * len(match[field])
        return Reading(int(match["year"]), numbers["month"], numbers["day"], tuple(fields))

    @cached_property
    def bare(self) -> "Form":
        """This form without accents, to find what somebody meant who left them out."""
        return Form(
            self.locale,
            self.name,
            tuple(
                (field, {value: _without_accents(text) for value, text in table.items()})
                for field, table in self.pieces
            ),
        )

    @cached_property
    def _pattern(self) -> re.Pattern:
        return re.compile("".join(_group(field, table) for field, table in self.pieces))


@dataclass(frozen=True)
class DateExample(Example):
    """A date as text. ``fields`` names for each source character day, month, year, weekday or none."""

    locale: str
    form: str
    day: date
    fields: tuple[str, ...]


@checked
def alignment(example: DateExample) -> list[frozenset[int]]:
    """For each target character the source positions of its field; a dash has none.

    It says which number a digit comes from, not which character: the 0 of 03 comes from the 3, and a model may
    read a digit from its neighbour's state.
    """
    places = {
        field: frozenset(i for i, name in enumerate(example.fields) if name == field)
        for field in ("year", "month", "day")
    }
    parts = ["year"] * 4 + ["dash"] + ["month"] * 2 + ["dash"] + ["day"] * 2
    return [places.get(part, frozenset()) for part in parts]


@checked
class Dates(Task):
    """Dates from 1900 to 2100 in 18 languages and regions to ISO. Of the days, a tenth occurs only in the test.

    ``seed`` decides which days are held out and which pairs are drawn.
    """

    name = "dates"

    def __init__(self, seed: int = 0, pairs: Size = 40_000, tests_per_locale: Size = 60) -> None:
        self.seed, self.size, self.tests_per_locale = seed, pairs, tests_per_locale
        self.target_vocabulary = [*SPECIAL, "-", *"0123456789"]

    @cached_property
    def source_vocabulary(self) -> list[str]:
        letters = {
            letter for form in self._all_forms for _, table in form.pieces for text in table.values() for letter in text
        }
        return [*SPECIAL, *sorted(letters)]

    @cached_property
    def days(self) -> tuple[list[date], list[date]]:
        """The days of training and of the test, each in order."""
        chance = random.Random(self.seed)
        everyday = [FIRST + timedelta(days=n) for n in range((LAST - FIRST).days + 1)]
        shuffled = sorted(everyday, key=lambda _: chance.random())
        held_out = len(everyday) // 10
        return sorted(shuffled[held_out:]), sorted(shuffled[:held_out])

    @cached_property
    def test(self) -> list[DateExample]:
        """Held-out dates, the same number of each locale, the languages in turn."""
        chance = random.Random(self.seed + 1)
        return [
            self.example(_pick(chance, forms(locale)), _pick(chance, self.days[1]))
            for _ in range(self.tests_per_locale)
            for locale in LOCALES
        ]

    def pairs(self) -> list[tuple[str, str]]:
        chance = random.Random(self.seed + 2)
        training = self.days[0]
        drawn = ((_pick(chance, forms(_pick(chance, LOCALES))), _pick(chance, training)) for _ in range(self.size))
        return [(form.write(day), day.isoformat()) for form, day in drawn]

    def example(self, form: Form, day: date) -> DateExample:
        """This date in this form."""
        return DateExample(form.write(day), day.isoformat(), form.locale, form.name, day, form.fields(day))

    def alignment(self, example: DateExample) -> list[frozenset[int]]:
        """See ``attnlab.tasks.dates.alignment``."""
        return alignment(example)

    def normalise(self, text: str) -> str:
        return normalise(text)

    def read(self, text: str) -> Int64[Tensor, " source"]:
        """Ids of a typed date. ValueError, with help, for what is no date in a known form."""
        ids = super().read(text)
        if self.recognise(text) is None:
            raise ValueError(self._no_date(normalise(text)))
        return ids

    def recognise(self, text: str) -> DateExample | None:
        """The date that a typed text means, or None. The weekday is read over, so a wrong one does no harm."""
        text = normalise(text)
        for form, reading in self._readings(text):
            day = _day(reading)
            if day:
                return DateExample(text, day.isoformat(), form.locale, form.name, day, reading.fields)
        return None

    @property
    def examples(self) -> str:
        return (
            'dates from 1900 to 2100 in 18 languages and regions, such as "3 mars 1992", "March 3, 1992", '
            '"1992年3月3日" or "٣ مارس ١٩٩٢"'
        )

    @cached_property
    def _all_forms(self) -> list[Form]:
        return [form for locale in LOCALES for form in forms(locale)]

    def _readings(self, text: str) -> Iterator[tuple[Form, Reading]]:
        if len(text) <= self.longest:
            for form in self._all_forms:
                if reading := form.read(text):
                    yield form, reading

    def _no_date(self, text: str) -> str:
        for _, reading in self._readings(text):
            if not FIRST.year <= reading.year <= LAST.year:
                return f"{quoted(text)}: the year {reading.year} lies outside of 1900 to 2100"
            return f"{quoted(text)}: there is no such day in the calendar"
        if re.fullmatch(r"\d{1,2}([/-])\d{1,2}\1\d{4}", text):
            return (
                f"{quoted(text)} is one day in one country and another day in another, so it is no form I know; "
                f"I know {self.examples}"
            )
        return f"{quoted(text)} is no date in a form I know{self._hint(text)}; I know {self.examples}"

    def _hint(self, text: str) -> str:
        bare = _without_accents(text)
        for form in self._all_forms:
            reading = form.bare.read(bare)
            if reading and (day := _day(reading)):
                return f', but "{form.write(day)}" is one'
        words = text.split()
        inside = (
            " ".join(words[i:j]).strip(".,!?;:")
            for size in range(len(words), 1, -1)
            for i in range(len(words) - size + 1)
            for j in [i + size]
        )
        found = next((part for part in inside if self.recognise(part)), None)
        return f', but "{found}" in it is one' if found else ""

    @cached_property
    def _pool(self) -> Batch:
        pairs = self.pairs()
        source, lengths = self._encode([source for source, _ in pairs], self.source_vocabulary)
        target, _ = self._encode([target for _, target in pairs], self.target_vocabulary)
        edge = torch.ones(len(pairs), 1, dtype=torch.long)
        return Batch(source, lengths, torch.cat([edge, target, 2 * edge], dim=1))

    def _encode(self, texts: list[str], vocabulary: list[str]) -> tuple[Tensor, Tensor]:
        letters = vocabulary[len(SPECIAL) :]
        table = np.zeros(max(map(ord, letters)) + 1, dtype=np.int64)
        table[[ord(letter) for letter in letters]] = np.arange(len(SPECIAL), len(vocabulary))
        lengths = np.array([len(text) for text in texts])
        ids = np.zeros((len(texts), lengths.max()), dtype=np.int64)
        letters_of_all = np.frombuffer("".join(texts).encode("utf-32-le"), dtype="<u4")
        ids[np.arange(lengths.max()) < lengths[:, None]] = table[letters_of_all]
        return torch.from_numpy(ids), torch.from_numpy(lengths)


@checked
@cache
def forms(locale: str) -> tuple[Form, ...]:
    """All forms in which dates of a locale are written here, each once."""
    if locale not in LOCALES:
        raise ValueError(f"expected one of {', '.join(LOCALES)}; got {locale!r}")
    cldr, native = Locale.parse(locale), NATIVE_DIGITS.get(locale, "0123456789")
    patterns = {name: cldr.date_formats[name].pattern for name in ("full", "long", "medium")}
    patterns |= {name: cldr.datetime_skeletons[name].pattern for name in ("yMMMd", "yMMMEd")}
    patterns |= {pattern: pattern for pattern in TYPED.get(locale, [])}
    found = {}
    for name, pattern in patterns.items():
        tokens = tokenize_pattern(pattern)
        spelled = any(isinstance(field, tuple) and field[0] in "ML" and field[1] > 2 for _, field in tokens)
        kinds = {"": _pieces(tokens, locale, native)}
        if spelled:
            kinds[" without points"] = _without_points(kinds[""])
        if name == "long":
            kinds[" with two digits"] = _pieces([_two_digits(token) for token in tokens], locale, native)
        if spelled and native != "0123456789":
            kinds[" with 0-9"] = _pieces(tokens, locale, "0123456789")
        for kind, pieces in kinds.items():
            contents = tuple((field, *table.items()) for field, table in pieces)
            found.setdefault(contents, Form(locale, name + kind, pieces))
    return tuple(found.values())


def _pieces(tokens: list, locale: str, digits: str) -> tuple[tuple[str, dict], ...]:
    return tuple(
        ("none", {None: _spelled(value)}) if kind == "chars" else _table(*value, locale, digits)
        for kind, value in tokens
    )


@cache
def _table(letter: str, width: int, locale: str, digits: str) -> tuple[str, dict]:
    native = str.maketrans("0123456789", digits)
    if letter == "y":
        return "year", {year: str(year).translate(native) for year in range(FIRST.year, LAST.year + 1)}
    if letter == "d" and width == 3:
        return "day", {day: _ordinal(day, locale) for day in range(1, 32)}
    if letter == "d":
        return "day", {day: f"{day:0{width}}".translate(native) for day in range(1, 32)}
    if letter in "ML" and width <= 2:
        return "month", {month: f"{month:0{width}}".translate(native) for month in range(1, 13)}
    sizes: dict[int, Literal["abbreviated", "wide"]] = {1: "abbreviated", 3: "abbreviated", 4: "wide"}
    context: Literal["stand-alone", "format"] = "stand-alone" if letter in "Lc" else "format"
    if letter in "ML":
        field, names = "month", get_month_names(sizes[width], context, locale)
    else:
        field, names = "weekday", get_day_names(sizes[width], context, locale)
    return field, {number: normalise(name) for number, name in sorted(names.items())}


def _ordinal(day: int, locale: str) -> str:
    if locale == "fr":
        return "1er" if day == 1 else str(day)
    return f"{day}{'th' if day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def _spelled(literal: str) -> str:
    text = normalise(f"|{literal}|")
    return text[1:-1]


def _two_digits(token: tuple) -> tuple:
    kind, value = token
    return (kind, (value[0], 2)) if kind == "field" and value in (("d", 1), ("M", 1), ("L", 1)) else token


def _without_accents(text: str) -> str:
    letters = unicodedata.normalize("NFD", text.replace("ı", "i"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _without_points(pieces: tuple) -> tuple:
    points = dict.fromkeys(map(ord, ".,،"))
    return tuple((field, {value: text.translate(points) for value, text in table.items()}) for field, table in pieces)


def _group(field: str, table: dict) -> str:
    if field == "none":
        return re.escape(table[None])
    if field == "year":
        return f"(?P<year>[{''.join(sorted(set(''.join(table.values()))))}]{{4}})"
    return f"(?P<{field}>{'|'.join(map(re.escape, table.values()))})"


def _day(reading: Reading) -> date | None:
    try:
        day = date(*reading[:3])
    except ValueError:
        return None
    return day if FIRST <= day <= LAST else None


def _pick(chance: random.Random, options: Sequence[Option]) -> Option:
    return options[int(chance.random() * len(options))]
