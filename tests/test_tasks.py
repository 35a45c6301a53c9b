"""What holds for every task: nothing of the test in training, ids and texts go round, batches are what they say."""
import inspect
import re
import subprocess
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.tasks import BOS, EOS, PAD, TASKS, Batch


def small(task, **settings):
    """A task with few pairs where they are drawn: shape checks make every call slow."""
    drawn = "pairs" in inspect.signature(task).parameters
    return task(**settings, **({"pairs": 3_000} if drawn else {}))


SMALL = {name: small(task) for name, task in TASKS.items()}
EVERY = pytest.mark.parametrize("task", SMALL.values(), ids=SMALL)
ALIGNED = pytest.mark.parametrize(
    "task", [task for name, task in SMALL.items() if name != "names"], ids=[name for name in SMALL if name != "names"])


@EVERY
def test_no_test_item_in_training(task):
    trained = {source for source, _ in task.pairs()}
    held_out = [example.source for example in task.test]
    assert len(trained) > 1_000
    assert len(set(held_out)) > 100
    assert trained.isdisjoint(held_out)


@EVERY
def test_same_data_every_time(task):
    again = small(type(task))
    assert again.test == task.test
    assert again.pairs() == task.pairs()
    assert again.source_vocabulary == task.source_vocabulary
    assert again.target_vocabulary == task.target_vocabulary
    assert small(type(task), seed=1).pairs() != task.pairs()


def test_same_data_in_another_process():
    """The order of sets and dicts of strings changes with the hash seed of a process."""
    program = ("import hashlib; from attnlab.tasks import TASKS\n"
               "few = lambda name: {} if name in ('names', 'serbian') else {'pairs': 1_000}\n"
               "data = [(task.pairs(), task.test, task.source_vocabulary, task.target_vocabulary)\n"
               "        for task in (make(**few(name)) for name, make in TASKS.items())]\n"
               "print(hashlib.sha256(repr(data).encode()).hexdigest())")
    found = {subprocess.run([sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True,
                            text=True, check=True).stdout for seed in "12"}
    assert len(found) == 1


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
    pairs = {source: target for source, target in task.pairs()}
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
@pytest.mark.parametrize(("text", "help"), [
    ("", "got an empty text"), (" \t\n ", "got an empty text"), ("1" * 10_000, "characters, got 10000"),
    ("🚀", "🚀"), ("<script>alert(1)</script>", "<"), ("\x00", "\\u0000"),
])
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


def test_nothing_is_generated_before_it_is_used():
    program = ("import attnlab.tasks as t, sys\n"
               "lazy = {'test', '_pool', '_all', '_split', 'tokenizers', 'pydoc_data'}\n"
               "print(set().union(sys.modules, *(vars(make()) for make in t.TASKS.values())) & lazy)")
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "set()"
