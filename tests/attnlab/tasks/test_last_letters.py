"""The last four letters, all at once: who is asked what, and what falls without a head."""

import pytest
import torch

from attnlab.tasks.last_letters import (
    COUNT,
    LENGTH,
    SYMBOLS,
    LetterNamer,
    habits,
    loss_of_names,
    lost_without,
    right_names,
    strings,
)
from attnlab.tasks.tagging import NO_TARGET, accuracy, tagging_loss


@pytest.fixture
def asked():
    return strings(20, torch.Generator().manual_seed(3))


def by_hand():
    """Four heads that look exactly one to four back: nothing is learned."""
    model = LetterNamer(4, dim=128)
    for parameter in model.parameters():
        parameter.data.zero_()
    places, letters = torch.arange(LENGTH), torch.arange(SYMBOLS)
    model.embedding.weight.data[letters, letters] = 1
    model.positions.table.data[places, SYMBOLS + places] = 1
    for head in range(COUNT):
        rows = 32 * head
        model.attention.query.weight.data[rows + places, SYMBOLS + places] = 200
        model.attention.key.weight.data[rows + places[head + 1 :], SYMBOLS + places[: -head - 1]] = 1
        model.attention.value.weight.data[rows + letters, letters] = 1
        model.answer.weight.data[SYMBOLS * head + letters, rows + letters] = 1
    model.attention.output.weight.data[:] = torch.eye(128)
    return model.eval()


def test_the_answers_are_the_letters_before(asked):
    for string, wanted in zip(asked.inputs.tolist(), asked.targets.tolist(), strict=True):
        for place, letters in enumerate(wanted):
            assert letters == [string[place - k] if place >= k else NO_TARGET for k in range(1, COUNT + 1)]


def test_a_start_depends_on_the_seed_and_not_on_the_number_of_heads():
    one, four, other = LetterNamer(1), LetterNamer(4), LetterNamer(4, seed=1)
    assert torch.equal(one.attention.query.weight, four.attention.query.weight)
    assert not torch.equal(four.attention.query.weight, other.attention.query.weight)


def test_loss_and_shares_are_those_of_tagging(asked):
    model = LetterNamer(2, seed=1)
    logits = model(asked.inputs)
    assert right_names(model, asked).mean().item() == pytest.approx(accuracy(logits, asked.targets), abs=0.02)
    fresh = strings(64, torch.Generator().manual_seed(7))
    wanted = tagging_loss(model(fresh.inputs), fresh.targets)
    torch.testing.assert_close(loss_of_names(model, torch.Generator().manual_seed(7)), wanted)


def test_heads_set_by_hand_are_named_and_each_loses_its_own_answer(asked):
    model = by_hand()
    assert right_names(model, asked).tolist() == [1, 1, 1, 1]
    names = [f"{k} before" for k in range(1, COUNT + 1)]
    assert [head.name for head in habits(model, asked)] == names
    assert [lost_without(model, head, asked) for head in range(COUNT)] == [[name] for name in names]


def test_a_head_that_is_not_there(asked):
    with pytest.raises(ValueError, match="expected heads from 0 to 1"):
        lost_without(LetterNamer(2), 2, asked)
