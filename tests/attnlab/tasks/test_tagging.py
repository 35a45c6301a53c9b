"""Taggings against loops; what a perfect and what a blind model get."""

import pytest
import torch
from seeds import seeded
from torch.nn.functional import one_hot

from attnlab.tasks import TAGGINGS, Back, LastLetters, Mirrored
from attnlab.tasks.tagging import NO_TARGET, accuracy, tagging_loss

EVERY = pytest.mark.parametrize("name", TAGGINGS)


def expected(task, letters, place):
    """The wanted letter or letters of one place."""
    if isinstance(task, Mirrored):
        return letters[len(letters) - 1 - place]
    if isinstance(task, Back):
        return letters[place - task.steps] if place >= task.steps else NO_TARGET
    return [letters[place - back] if place >= back else NO_TARGET for back in range(1, task.count + 1)]


VARIANTS = [Back(), Back(1, 5), Back(7, 3), Mirrored(), Mirrored(26), LastLetters(), LastLetters(1), LastLetters(8, 7)]


@pytest.mark.parametrize("task", VARIANTS, ids=lambda task: f"{task.name} {vars(task)}")
@pytest.mark.parametrize("length", [8, 13, 24])
def test_targets_as_by_a_loop(task, length):
    inputs, targets = task.batch(11, length, seeded())
    assert inputs.shape == (11, length)
    for letters, wanted in zip(inputs.tolist(), targets.tolist(), strict=True):
        assert wanted == [expected(task, letters, place) for place in range(length)]
    assert 0 <= inputs.min() <= inputs.max() < task.symbols == len(task.vocabulary)


def test_sequences_shorter_than_what_is_wanted():
    inputs, targets = LastLetters(5).batch(3, 2, seeded())
    assert targets.tolist() == [[[NO_TARGET] * 5, [first] + [NO_TARGET] * 4] for first in inputs[:, 0].tolist()]


@EVERY
def test_places_say_where_to_attend(name):
    task = TAGGINGS[name]()
    inputs, targets = task.batch(5, 13, seeded())
    places = task.places(13)
    for index in (places >= 0).nonzero().tolist():
        assert torch.equal(inputs[:, places[tuple(index)]], targets[(slice(None), *index)])
    assert torch.equal(places.expand(targets.shape) < 0, targets == NO_TARGET)


@EVERY
def test_same_seed_same_letters_and_all_equally_often(name):
    task = TAGGINGS[name]()
    first, again, other = (task.batch(500, 11, seeded(seed)) for seed in (1, 1, 2))
    assert all(map(torch.equal, first, again))
    assert not torch.equal(first.inputs, other.inputs)
    assert ((torch.bincount(first.inputs.flatten()) / 5_500 - task.chance).abs() < 0.015).all()
    assert len({tuple(row) for row in torch.cat([first.inputs, other.inputs]).tolist()}) == 1_000


@EVERY
def test_a_perfect_and_a_blind_model(name):
    task = TAGGINGS[name]()
    _, targets = task.batch(300, 17, seeded())
    perfect = 50.0 * one_hot(targets.clamp(min=0), task.symbols)
    assert accuracy(perfect, targets) == 1
    assert tagging_loss(perfect, targets).item() < 1e-6
    blind = torch.rand(*targets.shape, task.symbols, generator=seeded(1))
    assert accuracy(blind, targets) == pytest.approx(task.chance, abs=0.01)
    even = torch.zeros(*targets.shape, task.symbols)
    assert tagging_loss(even, targets).item() == pytest.approx(torch.tensor(task.symbols).log().item(), abs=1e-5)


def test_one_of_several_answers():
    """What an ablation looks at: each of the four answers by itself."""
    _, targets = LastLetters(count=4).batch(100, 9, seeded())
    logits = one_hot(targets.clamp(min=0), 16).float()
    logits[:, :, 2] = logits[:, :, 2].roll(1, -1)
    assert [accuracy(logits[:, :, k], targets[:, :, k]) for k in range(4)] == [1, 1, 0, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Back(0), "at least 1 step back, got 0"),
        (lambda: LastLetters(0), "at least 1 letter to name, got 0"),
        (lambda: Mirrored(1), "2 to 26 symbols, got 1"),
        (lambda: Back(2, 27), "2 to 26 symbols, got 27"),
        (lambda: Back(3).batch(2, 3, seeded()), "long enough to want a letter of them, got length 3"),
        (lambda: Mirrored().batch(2, 0, seeded()), "got length 0"),
        (lambda: Mirrored().batch(0, 5, seeded()), "size to be a whole number of at least 1, got 0"),
    ],
)
def test_what_cannot_be(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@EVERY
def test_on_every_device(name, device):
    task = TAGGINGS[name]()
    inputs, targets = task.batch(3, 11, seeded(device=device))
    assert inputs.device.type == targets.device.type == device.type
    assert accuracy(50.0 * one_hot(targets.clamp(min=0), 16), targets) == 1
