"""Names and Serbian letters: nothing of the test can be read off the training; the Serbian rule, written otherwise."""

import re
import unicodedata

import oracles_tasks
import pytest
import torch

from attnlab.tasks import Names, Serbian
from attnlab.tasks.base import Example
from attnlab.tasks.names import kin
from attnlab.tasks.serbian import latin

TASKS = {"en-fr": Names(), "serbian": Serbian(), "es-pt": Names("es", "pt"), "seed 1": Names(seed=1)}
EVERY = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)


def words(text):
    return set(re.findall(r"[^\W\d_]+", text))


@EVERY
def test_no_name_of_the_test_holds_or_is_held_by_one_of_the_training(task):
    """Neither in the one language nor in the other, in whatever order, with or without years."""
    for side in (0, 1):
        trained = [words(pair[side]) for pair in task.pairs()]
        for example in task.test:
            tested = words((example.source, example.target)[side])
            assert not any(tested <= other or other <= tested for other in trained if other), example


@EVERY
def test_a_tenth_is_held_out(task):
    everything = {*task.pairs(), *((example.source, example.target) for example in task.test)}
    assert len(everything) == len(task.pairs()) + len(task.test) > 1_000
    assert 0.09 < len(task.test) / len(everything) <= 0.1
    assert len({source for source, _ in everything}) == len(everything)


@EVERY
def test_lower_case_and_composed(task):
    for source, target in task.pairs():
        for text in (source, target):
            assert text == unicodedata.normalize("NFC", text.lower()).strip()
            assert "  " not in text


@EVERY
def test_every_letter_of_the_test_is_learned(task):
    for side in (0, 1):
        trained = [letter for pair in task.pairs() for letter in set(pair[side])]
        tested = {letter for example in task.test for letter in (example.source, example.target)[side]}
        assert tested <= set(trained)


def test_known_names():
    pairs = dict([*TASKS["en-fr"].pairs(), *((e.source, e.target) for e in TASKS["en-fr"].test)])
    assert pairs["germany"] == "allemagne"
    assert pairs["swiss franc"] == "franc suisse"
    assert pairs["old french"] == "ancien français"
    assert TASKS["en-fr"].write(TASKS["en-fr"].target_ids("côte d’ivoire")) == "côte d’ivoire"
    assert TASKS["en-fr"].tokens(" Côte  D’IVOIRE") == list("côte d’ivoire")


@pytest.mark.parametrize(
    ("names", "families"),
    [
        ([("french", "français"), ("old french", "ancien français"), ("german", "allemand")], [2, 1]),
        ([("ruble (1990–1991)", "a"), ("ruble (2000)", "b"), ("euro", "c")], [2, 1]),
        ([("a b", "x"), ("b c", "y")], [1, 1]),
        ([("a", "x"), ("b", "x y")], [2]),  # kin in the other language
        ([("a b", "1 x"), ("b a c", "2 y"), ("c", "3 z"), ("d", "4 w")], [3, 1]),  # kin of kin
        ([("1990", "–"), ("1991", "—")], [1, 1]),  # no words at all
        ([("a", "x"), ("a b", "y"), ("a c", "z"), ("c d", "w")], [3, 1]),
    ],
)
def test_kin(names, families):
    found = kin(names)
    assert sorted(map(len, found), reverse=True) == families
    assert sorted(pair for family in found for pair in family) == sorted(names)


def test_the_serbian_rule_has_no_exception():
    task = TASKS["serbian"]
    for source, target in [*task.pairs(), *((example.source, example.target) for example in task.test)]:
        assert latin(source) == target == oracles_tasks.serbian(source)[0]


def test_serbian_alignment():
    task = TASKS["serbian"]
    for example in task.test:
        assert task.alignment(example) == oracles_tasks.serbian(example.source)[1]
    assert task.alignment(Example("њоџ", "njodž")) == [{0}, {0}, {1}, {2}, {2}]


@pytest.mark.parametrize("arguments", [("xx", "fr"), ("en", "klingon"), ("", "fr"), ("../en", "fr")])
def test_no_such_language(arguments):
    with pytest.raises(ValueError, match='expected a locale of CLDR such as "en", "fr"'):
        Names(*arguments)


def test_too_few_names():
    with pytest.raises(ValueError, match=r"at least 200 names in common, got \d+ for en and vo"):
        Names("en", "vo").pairs()


def test_help():
    with pytest.raises(ValueError, match="names of countries, currencies and languages in English, such as"):
        TASKS["en-fr"].read("Москва")
    with pytest.raises(ValueError, match="in Serbian"):
        TASKS["serbian"].read("¿")
    assert torch.is_tensor(TASKS["serbian"].read("Србија"))
