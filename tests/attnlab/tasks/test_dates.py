"""Dates: every form of every language is read back rightly, fields lie where they are written, help is helpful."""

import re
from collections import defaultdict
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.tasks.dates import FIRST, LAST, LOCALES, NATIVE_DIGITS, Dates, alignment, forms, normalise

TASK = Dates(pairs=4_000)
MARCH = date(1992, 3, 3)
ALL_FORMS = [form for locale in LOCALES for form in forms(locale)]


def fields_of(example, field):
    return "".join(letter for letter, name in zip(example.source, example.fields, strict=True) if name == field)


@pytest.mark.parametrize("form", ALL_FORMS, ids=lambda form: f"{form.locale} {form.name}")
def test_third_of_march_is_recognised_in_every_form(form):
    example = TASK.recognise(form.write(MARCH))
    assert (example.day, example.target) == (MARCH, "1992-03-03")
    assert len(TASK.read(example.source)) == len(example.source)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(ALL_FORMS), st.dates(FIRST, LAST))
def test_every_date_is_recognised_in_every_form(form, day):
    text = form.write(day)
    assert normalise(text) == text
    assert form.read(text)[:3] == (day.year, day.month, day.day)
    assert form.read(text).fields == form.fields(day)
    assert TASK.recognise(text).day == day


def test_one_text_is_never_two_dates():
    """Two forms may write the same text, but never for two days."""
    days = [FIRST + timedelta(days=1777 * n) for n in range(41)]
    days += [date(1992, month, day) for month in range(1, 13) for day in (3, 12)]
    meant = defaultdict(set)
    for day in days:
        for form in ALL_FORMS:
            meant[form.write(day)].add(day)
    assert all(len(found) == 1 for found in meant.values())


def test_all_readings_of_a_text_agree():
    for example in TASK.test[::7]:
        readings = {reading[:3] for form in ALL_FORMS if (reading := form.read(example.source))}
        assert readings == {(example.day.year, example.day.month, example.day.day)}


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("3 mars 1992", "1992-03-03"),
        ("mardi 3 mars 1992", "1992-03-03"),
        ("le 3 mars 1992", "1992-03-03"),
        ("1er mai 2024", "2024-05-01"),
        ("14 juillet 1989", "1989-07-14"),
        ("3. März 1992", "1992-03-03"),
        ("Dienstag, 3. März 1992", "1992-03-03"),
        ("3.3.1992", "1992-03-03"),
        ("03.03.1992", "1992-03-03"),
        ("1. Jan. 2000", "2000-01-01"),
        ("31.12.2100", "2100-12-31"),
        ("1992年3月3日", "1992-03-03"),
        ("１９９２年３月３日", "1992-03-03"),
        ("1992年3月3日（火）", "1992-03-03"),
        ("1992年3月3日火曜日", "1992-03-03"),
        ("1992/03/03", "1992-03-03"),
        ("1992年3月3日星期二", "1992-03-03"),
        ("1992년 3월 3일", "1992-03-03"),
        ("٣ مارس ١٩٩٢", "1992-03-03"),
        ("الثلاثاء، ٣ مارس ١٩٩٢", "1992-03-03"),
        ("3 مارس 1992", "1992-03-03"),
        ("٠٤\u200f/١٢\u200f/١٩٩٢", "1992-12-04"),
        ("۳ مارس ۱۹۹۲", "1992-03-03"),
        ("سه\u200cشنبه ۳ مارس ۱۹۹۲", "1992-03-03"),
        ("३ मार्च १९९२", "1992-03-03"),
        ("3 मार्च 1992", "1992-03-03"),
        ("March 3, 1992", "1992-03-03"),
        ("march 3 1992", "1992-03-03"),
        ("Mar 3, 1992", "1992-03-03"),
        ("3 March 1992", "1992-03-03"),
        ("July 4th, 1976", "1976-07-04"),
        ("the 3rd of March 1992", None),
        ("3rd of March 1992", "1992-03-03"),
        ("22nd November 1963", "1963-11-22"),
        ("11th May 1999", "1999-05-11"),
        ("TUESDAY, MARCH 3, 1992", "1992-03-03"),
        ("  tuesday ,march 3, 1992", None),
        ("3 de marzo de 1992", "1992-03-03"),
        ("3 de março de 1992", "1992-03-03"),
        ("3 marzo 1992", "1992-03-03"),
        ("3 maart 1992", "1992-03-03"),
        ("3 marca 1992", "1992-03-03"),
        ("3 Mart 1992 Salı", "1992-03-03"),
        ("3 NİSAN 1992", "1992-04-03"),
        ("3 марта 1992\u202fг.", "1992-03-03"),
        ("3 марта 1992", "1992-03-03"),
        ("den 3 mars 1992", "1992-03-03"),
        ("1992-03-03", "1992-03-03"),
        ("1992–03–03", "1992-03-03"),
        ("3  mars\u00a01992 ", "1992-03-03"),
        ("3 fe\u0301vrier 1992", "1992-02-03"),
        ("29 février 2000", "2000-02-29"),
        ("lundi 3 mars 1992", "1992-03-03"),
    ],
)
def test_what_people_type(text, iso):
    example = TASK.recognise(text)
    assert (example.target if example else None) == iso


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("3/3/1992", "one day in one country and another day in another"),
        ("04-05-2006", "one day in one country and another day in another"),
        ("30 février 1992", "no such day"),
        ("29 February 1900", "no such day"),
        ("3 mars 1789", "the year 1789 lies outside of 1900 to 2100"),
        ("3. März 2101", "2101 lies outside"),
        ("3 fevrier 1992", 'but "3 février 1992" is one'),
        ("3 mart 1992 sali", 'but "3 mart 1992 salı" is one'),
        ("on 3 March 1992.", 'but "3 march 1992" in it is one'),
        ("hello", "I know dates from 1900 to 2100"),
        ("\u202e3 mars\u200f", "no date in a form I know"),
        ("\u202e\u200f", "got an empty text"),
        ("1992", "no date in a form I know"),
        ("3 mars 🚀", '"🚀" (ROCKET), never seen in training'),
        ("3 mars 1992 <img src=x onerror=alert(1)>", '"<" (LESS-THAN SIGN)'),
        ("3 Μαρτίου 1992", "GREEK SMALL LETTER MU"),
    ],
)
def test_help(text, help):
    with pytest.raises(ValueError, match=re.escape(help)):
        TASK.read(text)
    assert TASK.recognise(text) is None


def test_fields_of_hand_written_dates():
    cases = {
        "mardi 3 mars 1992": ("wwwww", "d", "mmmm", "yyyy", "wwwww.d.mmmm.yyyy"),
        "1992年12月3日": ("", "d", "mm", "yyyy", "yyyy.mm.d."),
        "march 13th, 2001": ("", "dddd", "mmmmm", "yyyy", "mmmmm.dddd..yyyy"),
        "3 mart 1992 salı": ("wwww", "d", "mmmm", "yyyy", "d.mmmm.yyyy.wwww"),
        "1992. 3. 14.": ("", "dd", "m", "yyyy", "yyyy..m..dd."),
        "terça-feira, 3 de mar. de 1992": None,
    }
    for text, expected in cases.items():
        if expected is None:
            assert TASK.recognise(text) is None  # a full weekday with an abbreviated month is no form of CLDR
            continue
        letters = "".join({"none": "."}.get(name, name[0]) for name in TASK.recognise(text).fields)
        assert letters == expected[-1]


def test_alignment_of_hand_written_dates():
    example = TASK.recognise("3 mars 1992")
    day, month, year = frozenset({0}), frozenset({2, 3, 4, 5}), frozenset({7, 8, 9, 10})
    nothing = frozenset()
    assert alignment(example) == [year] * 4 + [nothing] + [month] * 2 + [nothing] + [day] * 2
    example = TASK.recognise("1992年12月3日")
    day, month, year = frozenset({8}), frozenset({5, 6}), frozenset({0, 1, 2, 3})
    assert TASK.alignment(example) == [year] * 4 + [nothing] + [month] * 2 + [nothing] + [day] * 2


def test_fields_of_all_tests_say_the_target():
    """An independent reading: digits of the marked fields, as int reads them in any script."""
    for example in TASK.test:
        assert len(example.fields) == len(example.source)
        assert int(fields_of(example, "year")) == example.day.year
        digits = "".join(letter for letter in fields_of(example, "day") if letter.isdigit())
        assert int(digits) == example.day.day
        month = fields_of(example, "month")
        assert int(month) == example.day.month if month.isdigit() else len(month) >= 2


def test_a_tenth_of_the_days_is_held_out():
    training, held_out = TASK.days
    assert len(training) + len(held_out) == 73_414
    assert len(held_out) == 7_341
    assert set(training).isdisjoint(held_out)
    assert {example.day for example in TASK.test} <= set(held_out)
    assert {target for _, target in TASK.pairs()} <= {day.isoformat() for day in training}


def test_test_has_each_locale_equally_often():
    count = defaultdict(int)
    for example in TASK.test:
        count[example.locale] += 1
    assert set(count.values()) == {60}
    assert list(count) == LOCALES
    assert len(LOCALES) >= 16


@pytest.mark.parametrize("locale", NATIVE_DIGITS)
def test_native_digits(locale):
    written = [form.write(MARCH) for form in forms(locale)]
    assert any(set(text) & set(NATIVE_DIGITS[locale]) for text in written)
    assert not any(set(text) & set(NATIVE_DIGITS[locale]) and set(text) & set("0123456789") for text in written)


def test_vocabulary_holds_every_character_of_training():
    assert {letter for source, _ in TASK.pairs() for letter in source} == set(TASK.source_vocabulary[3:])
