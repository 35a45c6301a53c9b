"""Few-shot rules against loops; the baselines against who really looks up or mirrors."""

import random

import oracles_tasks
import pytest
import torch
from seeds import seeded
from torch.nn.functional import one_hot

from attnlab.tasks import LetterMapping, Votes
from attnlab.tasks.few_shot import accuracy


def pairs_of(shots):
    """Questions and answers of each sequence, read off inputs and targets together."""
    assert torch.equal(shots.inputs[:, 1:], shots.targets[:, :-1])
    tokens = torch.cat([shots.inputs[:, :1], shots.targets], dim=1).tolist()
    assert [row[1::2] for row in tokens] == shots.answers.tolist()
    return [list(zip(row[::2], row[1::2], strict=True)) for row in tokens]


@pytest.mark.parametrize("task", [LetterMapping(), LetterMapping(keys=3, pairs=5), LetterMapping(26, 11)])
def test_each_sequence_has_one_mapping(task):
    mappings = []
    for pairs in pairs_of(task.batch(200, seeded())):
        assert len(pairs) == task.pairs
        mapping = dict(pairs)
        assert all(mapping[key] == value for key, value in pairs)
        assert len(mapping) <= task.keys
        assert max(*mapping, *mapping.values()) < len(task.vocabulary) == 26
        mappings.append(mapping)
    assert len({tuple(sorted(mapping.items())) for mapping in mappings}) == 200


def test_letters_are_equally_frequent():
    shots = LetterMapping().batch(3_000, seeded())
    for part in (shots.inputs[:, ::2], shots.answers):
        assert ((torch.bincount(part.flatten(), minlength=26) / part.numel() - 1 / 26).abs() < 0.005).all()


def test_lookup_is_what_a_table_gives():
    task, guess = LetterMapping(), random.Random(0)
    right = [0] * task.pairs
    for pairs in pairs_of(task.batch(4_000, seeded())):
        table = {}
        for place, (key, value) in enumerate(pairs):
            right[place] += table.get(key, int(guess.random() * 26)) == value
            table[key] = value
    for place, count in enumerate(right):
        assert count / 4_000 == pytest.approx(task.lookup(place), abs=0.03)
    assert task.lookup(0) == 1 / 26


@pytest.mark.parametrize(("bits", "count"), [(2, 4), (3, 14), (4, 48)])
def test_all_votes(bits, count):
    task = Votes(bits, pairs=2, held_out=1)
    written = {"".join(str(int(answer)) for answer in row) for row in task.functions}
    assert written == oracles_tasks.votes(bits)
    assert len(written) == len(task.functions) == count
    assert torch.equal(task.functions.flip(1), ~task.functions)  # odd: the opposite input has the opposite answer


def test_held_out_votes():
    task, other = Votes(), Votes(seed=1)
    training, unseen = task.split
    assert (len(training), len(unseen)) == (39, 9)
    assert {tuple(row.tolist()) for row in training}.isdisjoint(tuple(row.tolist()) for row in unseen)
    assert not torch.equal(unseen, other.split[1])
    assert torch.equal(unseen, Votes().split[1])


@pytest.mark.parametrize("part", ["batch", "unseen"])
@pytest.mark.parametrize("task", [Votes(), Votes(3, pairs=8, held_out=2), Votes(4, pairs=16)])
def test_sequences_follow_a_function_of_their_side_without_repetition(task, part):
    functions = task.split[part == "unseen"].tolist()
    used = set()
    for pairs in pairs_of(getattr(task, part)(400, seeded())):
        inputs = [question for question, _ in pairs]
        assert len(set(inputs)) == len(inputs) == task.pairs
        fitting = [
            i
            for i, function in enumerate(functions)
            if all(function[question] == (task.vocabulary[answer] == "yes") for question, answer in pairs)
        ]
        assert fitting
        used.update(fitting)
    assert len(used) == len(functions)


def test_vocabulary_of_votes():
    task = Votes()
    assert task.vocabulary[5] == "0101"
    assert task.vocabulary[16:] == ["no", "yes"]
    shots = task.batch(500, seeded())
    assert shots.inputs[:, ::2].max() == 15
    assert set(shots.answers.flatten().tolist()) == {16, 17}
    assert ((torch.bincount(shots.inputs[:, ::2].flatten()) / 6_000 - 1 / 16).abs() < 0.015).all()


def test_mirror_is_what_turning_the_opposite_answer_gives():
    task, guess = Votes(pairs=16), random.Random(0)
    right = [0] * 16
    for pairs in pairs_of(task.unseen(4_000, seeded())):
        table = {}
        for place, (question, answer) in enumerate(pairs):
            opposite = table.get(15 - question)
            answered = 33 - opposite if opposite else 16 + int(guess.random() * 2)
            right[place] += answered == answer
            table[question] = answer
    for place, count in enumerate(right):
        assert count / 4_000 == pytest.approx(task.mirror(place), abs=0.03)
    assert [task.mirror(0), task.mirror(15), task.lookup(7)] == [0.5, 1, 0.5]
    assert [round(task.mirror(n), 2) for n in range(9)] == [0.5, 0.53, 0.57, 0.6, 0.63, 0.67, 0.7, 0.73, 0.77]


@pytest.mark.parametrize("task", [LetterMapping(pairs=3), Votes(pairs=3)])
def test_accuracy_by_examples(task):
    shots = task.batch(50, seeded())
    logits = one_hot(shots.targets, len(task.vocabulary)).float()
    logits[:, 2] = logits[:, 2].roll(1, -1)  # after one example: wrong
    logits[:, 1] = 0  # questions do not count
    assert accuracy(logits, shots).tolist() == [1, 0, 1]


@pytest.mark.parametrize("task", [LetterMapping(), Votes()])
def test_same_seed_same_sequences(task):
    first, again, other = (task.batch(7, seeded(seed)) for seed in (3, 3, 4))
    assert all(map(torch.equal, first, again))
    assert not torch.equal(first.inputs, other.inputs)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LetterMapping(keys=0), "got 0 keys"),
        (lambda: LetterMapping(keys=27), "got 27 keys"),
        (lambda: LetterMapping().batch(0, seeded()), "size to be a whole number of at least 1, got 0"),
        (lambda: Votes().unseen(-1, seeded()), "size to be a whole number of at least 1, got -1"),
        (lambda: LetterMapping(pairs=0), "0 pairs"),
        (lambda: Votes(bits=1), "got 1 bits"),
        (lambda: Votes(bits=7), "got 7 bits"),
        (lambda: Votes(pairs=17), "4 bits and 17 pairs"),
        (lambda: Votes(held_out=48), "1 to 47 of the 48 functions of 4 bits, got 48"),
        (lambda: Votes(held_out=0), "got 0"),
        (lambda: Votes().mirror(16), "expected 0 to 15 examples, got 16"),
    ],
)
def test_what_cannot_be(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("task", [LetterMapping(), Votes()])
def test_on_every_device(task, device):
    shots = task.batch(5, seeded(device=device))
    assert shots.inputs.device.type == shots.targets.device.type == device.type
    logits = one_hot(shots.targets, len(task.vocabulary)).float()
    assert accuracy(logits, shots).cpu().tolist() == [1.0] * task.pairs
