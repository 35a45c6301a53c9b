"""Repeated random tokens: loops say what repeats, what can be known and where a head should look."""

import re

import oracles_tasks
import pytest
import torch
from seeds import seeded

from attnlab.tasks import FixedPeriod, Repeated
from attnlab.tasks.induction import after_copy, begun, looked_up, previous, share


@pytest.mark.parametrize(
    "task",
    [Repeated(), Repeated(7, 23, 3, 11), Repeated(5, 13, 1, 12), FixedPeriod(), FixedPeriod(11, 17, 5)],
    ids=lambda task: f"{task.name} {task.length}",
)
def test_sequences_repeat_a_segment(task):
    batch = task.batch(31, seeded())
    assert batch.inputs.shape == batch.targets.shape == batch.predictable.shape == (31, task.length - 1)
    for inputs, targets, period, predictable in zip(*(part.tolist() for part in batch), strict=True):
        sequence = [inputs[0], *targets]
        assert inputs == sequence[:-1]
        assert sequence == oracles_tasks.repeat(sequence[:period], task.length)
        assert predictable == [place >= period for place in range(task.length - 1)]
        assert task.shortest <= period <= task.longest
    assert 0 <= batch.inputs.min() <= batch.inputs.max() < task.symbols == len(task.vocabulary)


def test_periods_and_symbols_are_equally_frequent():
    batch = Repeated().batch(5_000, seeded())
    count = torch.bincount(batch.period)
    assert not count[:8].any()
    assert len(count) == 25
    assert ((count[8:] - 5_000 / 17).abs() < 80).all()
    share_of_each = torch.bincount(batch.inputs[:, :8].flatten()) / 40_000
    assert ((share_of_each - 1 / 32).abs() < 0.004).all()


def test_one_period():
    assert set(FixedPeriod(period=13).batch(50, seeded()).period.tolist()) == {13}


def test_same_seed_same_sequences():
    first, again, other = (Repeated().batch(7, seeded(seed)) for seed in (3, 3, 4))
    assert all(map(torch.equal, first, again))
    assert not torch.equal(first.inputs, other.inputs)


@pytest.mark.parametrize("tokens", [1, 2, 13, 47])
def test_after_copy_as_by_a_loop(tokens):
    period = torch.tensor([1, 2, 5, 8, 11, 23])
    for row, single in zip(after_copy(period, tokens), period.tolist(), strict=True):
        assert row.tolist() == oracles_tasks.after_copy(single, tokens)


def test_a_head_that_looks_after_the_copy_knows_the_target():
    """The token at each right place is the target, and every predictable place has one."""
    batch = Repeated().batch(41, seeded(5))
    right = after_copy(batch.period, 47)
    assert torch.equal(right.any(-1), batch.predictable)
    for row, query, key in right.nonzero().tolist():
        assert batch.inputs[row, key] == batch.targets[row, query]
        assert key <= query


@pytest.mark.parametrize("tokens", [1, 2, 7])
def test_previous(tokens):
    assert previous(tokens).tolist() == [[key == query - 1 for key in range(tokens)] for query in range(tokens)]


def test_share_of_hand_made_heads():
    """One head all right, one that looks at itself, one that looks everywhere."""
    batch = Repeated(symbols=9, length=24, shortest=12, longest=19).batch(17, seeded(2))
    right = after_copy(batch.period, 23)
    exact = right.float()  # one copy only, with periods from 12 on
    heads = torch.stack([exact, torch.eye(23).expand(17, 23, 23), torch.full((17, 23, 23), 1 / 23)], dim=1)
    assert torch.allclose(share(heads, right), torch.tensor([1, 0, 1 / 23]))
    assert share(previous(23).float().expand(17, 2, 23, 23), previous(23)).tolist() == [1, 1]


def test_share_as_by_a_loop():
    weights = torch.rand(3, 2, 7, 7, generator=seeded()).softmax(-1)
    right = torch.rand(3, 7, 7, generator=seeded(1)) < 0.2
    for head in range(2):
        total, count = 0.0, 0
        for row in range(3):
            for query in range(7):
                keys = [key for key in range(7) if right[row, query, key]]
                if keys:
                    count += 1
                    total += sum(weights[row, head, query, key].item() for key in keys)
        assert share(weights, right)[head].item() == pytest.approx(total / count, abs=1e-6)


def test_nothing_to_measure():
    with pytest.raises(ValueError, match="at least one query with a right place"):
        share(torch.ones(1, 1, 1, 1), previous(1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"symbols": 1}, "got 1 symbols"),
        ({"shortest": 0}, "shortest 0"),
        ({"shortest": 25}, "shortest 25, longest 24"),
        ({"longest": 48}, "longest 48 and length 48"),
    ],
)
def test_what_cannot_be(wrong, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Repeated(**wrong)


def test_a_batch_of_none():
    with pytest.raises(ValueError, match="size to be a whole number of at least 1, got 0"):
        Repeated().batch(0, seeded())


def test_on_every_device(device):
    batch = Repeated().batch(5, seeded(device=device))
    assert all(part.device.type == device.type for part in batch)
    right = after_copy(batch.period, 47)
    assert torch.equal(right.cpu(), after_copy(batch.period.cpu(), 47))
    assert share(right[:, None].float(), right).item() >= 1


def test_a_first_token_before_the_same_sequence():
    batch = Repeated(7, 23, 3, 11).batch(5, seeded())
    found = begun(batch, start=7)
    for i in range(5):
        assert found.inputs[i].tolist() == [7, *batch.inputs[i].tolist()]
        assert found.targets[i].tolist() == [int(batch.inputs[i, 0]), *batch.targets[i].tolist()]
        assert found.predictable[i].tolist() == [False, *batch.predictable[i].tolist()]
    assert torch.equal(found.period, batch.period)


@pytest.mark.parametrize("tokens", [1, 2, 3, 30])
def test_what_a_rule_that_looks_up_is_worth(tokens):
    batch = Repeated(5, 23, 3, 11).batch(20, seeded())
    right = []
    for row, targets, asked in zip(*(part.tolist() for part in (batch[0], batch[1], batch.predictable)), strict=True):
        for place in range(len(row)):
            copies = [
                earlier
                for earlier in range(tokens - 1, place)
                if row[earlier + 1 - tokens : earlier + 1] == row[max(0, place + 1 - tokens) : place + 1]
            ]
            if asked[place]:
                right.append(bool(copies) and targets[copies[-1]] == targets[place])
    assert looked_up(batch, tokens) == pytest.approx(sum(right) / len(right))
