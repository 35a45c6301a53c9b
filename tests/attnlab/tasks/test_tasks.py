"""What holds for every task: nothing of the test in training, ids and texts go round, batches are what they say."""

import re
from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import unchecked

from attnlab.tasks import BOS, EOS, PAD, TASKS, Batch

# Few pairs where they are drawn, and few tests where they are slow to make: shape checks make every call slow.
FEW = {name: {} if name in ("names", "serbian") else {"pairs": 3_000} for name in TASKS}
FEW["phrasebook"] = {"pairs": 1_500, "tests": 200}
FEW["dates"] |= {"tests_per_locale": 15}
SMALL = {name: make(**FEW[name]) for name, make in TASKS.items()}
EVERY = pytest.mark.parametrize("task", SMALL.values(), ids=SMALL)
ALIGNED = pytest.mark.parametrize(
    "task", [task for name, task in SMALL.items() if name != "names"], ids=[name for name in SMALL if name != "names"]
)


@cache
def pairs_of(task):
    return task.pairs()


@EVERY
def test_no_test_item_in_training(task):
    trained = {source for source, _ in pairs_of(task)}
    held_out = [example.source for example in task.test]
    assert len(trained) > 1_000
    assert len(set(held_out)) > 100
    assert trained.isdisjoint(held_out)


@pytest.mark.parametrize("name", SMALL)
def test_same_data_every_time(name):
    task = SMALL[name]
    test, pairs = task.test, pairs_of(task)
    with unchecked():
        again, other = TASKS[name](**FEW[name]), TASKS[name](**FEW[name], seed=1)
        assert again.test == test
        assert again.pairs() == pairs
        assert again.source_vocabulary == task.source_vocabulary
        assert again.target_vocabulary == task.target_vocabulary
        assert other.pairs() != pairs


@EVERY
def test_vocabulary_begins_with_the_special_tokens(task):
    for vocabulary in (task.source_vocabulary, task.target_vocabulary):
        assert [vocabulary[PAD], vocabulary[BOS], vocabulary[EOS]] == ["<PAD>", "<BOS>", "<EOS>"]
        assert len(set(vocabulary)) == len(vocabulary)


@EVERY
def test_round_trip(task):
    for example in task.test:
        assert [task.source_vocabulary[i] for i in task.read(example.source)] == task.tokens(example.source)
        ids = task.target_ids(example.target)
        assert ids[0] == BOS
        assert ids[-1] == EOS
        assert task.write(ids) == example.target
        assert task.write([*ids.tolist(), 5, 5]) == example.target


@ALIGNED
def test_every_target_token_is_aligned_to_places_of_the_source(task):
    for example in task.test:
        places = task.alignment(example)
        assert len(places) == len(task.target_tokens(example.target))
        assert all(0 <= place < len(task.tokens(example.source)) for row in places for place in row)


@EVERY
def test_batch(task):
    batch = task.batch(13, torch.Generator().manual_seed(7))
    pairs = dict(pairs_of(task))
    assert isinstance(batch, Batch)
    assert batch.source.shape == (13, batch.source_lengths.max())
    for source, length, target in zip(*batch, strict=True):
        text = task.joint.join(task.source_vocabulary[i] for i in source[:length])
        assert pairs[text] == task.write(target)
        assert (source[length:] == PAD).all()
        assert target[0] == BOS
        assert (target == EOS).sum() == 1
    again = task.batch(13, torch.Generator().manual_seed(7))
    assert all(map(torch.equal, batch, again))


@EVERY
def test_collate_agrees_with_read(task):
    batch = task.collate(task.test[:11])
    for example, row, length in zip(task.test, batch.source, batch.source_lengths, strict=False):
        assert torch.equal(row[:length], task.read(example.source))


@EVERY
@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("", "got an empty text"),
        (" \t\n ", "got an empty text"),
        ("1" * 10_000, "characters, got 10000"),
        ("🚀", "🚀"),
        ("<script>alert(1)</script>", "<"),
        ("\x00", "\\u0000"),
    ],
)
def test_what_a_task_cannot_read(task, text, help):
    with pytest.raises(ValueError, match=re.escape(help)) as error:
        task.read(text)
    assert len(str(error.value)) < 400


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
@pytest.mark.parametrize("name", SMALL)
def test_any_text_is_read_or_explained(name, text):
    try:
        ids, message = SMALL[name].read(text), None
    except ValueError as error:
        ids, message = None, str(error)
    assert ids.min() > EOS if message is None else 20 < len(message) < 700


def test_a_lookup_asks_for_no_more_than_there_is():
    with pytest.raises(ValueError, match="3 keys make 6000 sources: too few to hold 3001 of them out"):
        TASKS["lookup"](keys=3, tests=3001)


@EVERY
def test_no_column_of_a_batch_is_padding_alone(task):
    batch = task.batch(3, torch.Generator().manual_seed(0))
    assert (batch.source != PAD).any(0).all()
    assert (batch.target != PAD).any(0).all()
