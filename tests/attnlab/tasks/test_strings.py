"""Copy, reverse, sort and lookup against loops over single symbols."""

import re

import oracles_tasks
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.tasks import Copy, Lookup, Reverse, Sort
from attnlab.tasks.reverse import same_length
from attnlab.tasks.strings import LETTERS, Strings

RULES = {"copy": Copy, "reverse": Reverse, "sort": Sort}
SMALL = {name: task(pairs=500) for name, task in RULES.items()}
EVERY = pytest.mark.parametrize("name", RULES)


@EVERY
def test_rewritten_and_aligned_as_by_a_loop(name):
    for task in (SMALL[name], RULES[name](symbols="abc", shortest=5, longest=7)):
        for example in task.test:
            target, places = getattr(oracles_tasks, f"{name}d" if name == "reverse" else name)(example.source)
            assert (example.target, task.alignment(example)) == (target, places)
        assert all(target == task.rewrite(source) for source, target in task.pairs())


@settings(deadline=None)
@given(st.text(alphabet="0123456789", min_size=1, max_size=12))
@pytest.mark.parametrize("name", RULES)
def test_digits_are_read_with_and_without_spaces(name, digits):
    task = SMALL[name]
    assert task.write(task.read(digits)) == digits
    assert torch.equal(task.read(" ".join(digits)), task.read(digits))


@EVERY
def test_every_length_equally_often(name):
    task = RULES[name](shortest=5, longest=7, pairs=3_000, tests_per_length=11)
    assert [len(example.source) for example in task.test] == [5] * 11 + [6] * 11 + [7] * 11
    lengths = [len(source) for source, _ in task.pairs()]
    assert all(900 < lengths.count(length) < 1100 for length in (5, 6, 7))
    for digit in "0123456789":
        share = sum(source.count(digit) for source, _ in task.pairs()) / sum(lengths)
        assert abs(share - 0.1) < 0.01


def test_the_three_tasks_have_the_same_sources():
    sources = [[source for source, _ in task.pairs()] for task in SMALL.values()]
    assert sources[0] == sources[1] == sources[2]


def test_letters():
    task = Sort(symbols=LETTERS, shortest=3, longest=9, pairs=500)
    assert task.target_ids("aez").tolist() == [1, 3, 7, 28, 2]
    assert task.read("Z E A").tolist() == [28, 7, 3]
    assert "3 to 9 of the symbols" in task.examples
    with pytest.raises(ValueError, match='"1" \\(DIGIT ONE\\), never seen in training'):
        task.read("ab1")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shortest": 8, "longest": 7}, "got shortest 8 and longest 7"),
        ({"shortest": 0}, "got shortest 0"),
        ({"shortest": 1}, "40 of a length are at most half of them; got shortest 1"),
        ({"symbols": "01"}, "strings of 2 symbols"),
        ({"symbols": "a"}, 'symbols without capitals, got "a"'),
        ({"symbols": ""}, 'got ""'),
        ({"symbols": "abca"}, 'got "abca"'),
        ({"symbols": "AB"}, 'got "AB"'),
        ({"symbols": "a b"}, 'got "a b"'),
    ],
)
@EVERY
def test_what_cannot_be(name, wrong, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        RULES[name](**wrong)


def test_a_rule_of_ones_own():
    class Doubled(Strings):
        name = "doubled"

        def rewrite(self, source):
            return "".join(2 * symbol for symbol in source)

        def alignment(self, example):
            return [frozenset({place // 2}) for place in range(len(example.target))]

    task = Doubled(pairs=100)
    batch = task.batch(7, torch.Generator().manual_seed(0))
    assert [len(row[row > 2]) for row in batch.target] == (2 * batch.source_lengths).tolist()


LOOKUP = Lookup(pairs=2_000)


def test_lookup_as_by_a_loop():
    for source, target in [*LOOKUP.pairs(), *((example.source, example.target) for example in LOOKUP.test)]:
        assert target == oracles_tasks.lookup(source)[0]
    for example in LOOKUP.test:
        assert LOOKUP.alignment(example) == oracles_tasks.lookup(example.source)[1]


def test_lookup_by_hand():
    task = Lookup(keys=3, pairs=100, tests=5)
    assert task.tokens("c4 a7 b1") == ["c4", "a7", "b1"]
    assert [task.source_vocabulary[token] for token in task.read("C4 A7, B1".replace(",", ""))] == ["c4", "a7", "b1"]
    assert len(task.source_vocabulary) == 3 + 30


def test_every_key_stands_everywhere_equally_often():
    """So the place says nothing: each of the 8 places holds each key in about 2000 / 8 = 250 sources."""
    for place in range(8):
        keys = [source[2 * place] for source, _ in LOOKUP.pairs()]
        assert all(180 < keys.count(key) < 320 for key in "abcdefgh")
    assert {len(source) for source, _ in LOOKUP.pairs()} == {16}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a1b2", "does not hold each key from a to h once"),
        ("a1a1b2c3d4e5f6g7", "hold each key from a to h once"),
        ("a1b2c3d4e5f6g7h", 'holds "h", which is no key with a digit'),
        ("12", 'holds "12", which is no key'),
        ("z9", 'holds "z9", which is no key'),
    ],
)
def test_what_lookup_cannot_read(text, message):
    with pytest.raises(ValueError, match=message):
        LOOKUP.read(text)


@pytest.mark.parametrize("keys", [2, 27])
def test_how_many_keys(keys):
    with pytest.raises(ValueError, match=f"expected 3 to 26 keys, got {keys}"):
        Lookup(keys=keys)


def test_fresh_strings_of_one_length_and_what_reverse_makes_of_them():
    task, chance, seen = Reverse(), torch.Generator().manual_seed(0), set()
    for _ in range(200):
        source, lengths, target = same_length(3, chance, longest=5)
        seen.add(source.shape[1])
        assert lengths.tolist() == [source.shape[1]] * 3
        for row, written in zip(source.tolist(), target, strict=True):
            text = "".join(task.source_vocabulary[token] for token in row)
            assert written.tolist() == task.target_ids(task.rewrite(text)).tolist()
    assert seen == {1, 2, 3, 4, 5}
