"""Shares by length and by kind, counted by loops."""

from inspect import unwrap

import pytest
import torch

from attnlab.analysis.learning.accuracy import (
    accuracy_by_kind,
    length_at,
    right_answers,
    share_by_length,
    weight_on_right,
)


@pytest.mark.parametrize(
    ("shares", "length"),
    [
        ([0.4, 0.2, 0.0, 0.0], 2.0),  # begins below
        ([1.0, 0.8, 0.4, 0.2], 3.75),  # a quarter of the way from 0.4 back to 0.8
        ([1.0, 0.5, 0.5, 0.4], 4.0),  # at the level is not below it
        ([1.0, 1.0, 1.0, 0.98], None),
        ([1.0, 0.0, 1.0, 1.0], 2.5),  # the first fall counts
    ],
)
def test_length_at_half(shares, length):
    assert length_at(range(2, 6), torch.tensor(shares)) == (length if length is None else pytest.approx(length))


def test_share_by_length_by_loops():
    generator = torch.Generator().manual_seed(3)
    lengths, right = torch.randint(2, 9, (60,), generator=generator) * 2, torch.rand(60, generator=generator) < 0.4
    expected = []
    for length in sorted(set(lengths.tolist())):
        hits = [hit for hit, own in zip(right.tolist(), lengths.tolist(), strict=True) if own == length]
        expected.append(sum(hits) / len(hits))
    assert share_by_length(right, lengths).tolist() == pytest.approx(expected)


def test_share_by_length_needs_a_length_for_each_example():
    with pytest.raises(ValueError, match="expected a length for each of 3 examples, got 2"):
        unwrap(share_by_length)(torch.ones(3, dtype=torch.bool), torch.tensor([1, 2]))


def test_length_at_another_level_and_between_far_lengths():
    assert length_at([10, 20], [1.0, 0.0], level=0.25) == pytest.approx(17.5)


def test_length_at_needs_a_share_for_each_length():
    with pytest.raises(ValueError, match="expected a share for each of 3 lengths, got 2"):
        length_at([1, 2, 3], [1.0, 0.0])


@pytest.fixture
def asked():
    """Values [3, 7] and the place of the right one, [3, 2, 5]."""
    generator = torch.Generator().manual_seed(0)
    return torch.randint(11, (3, 7), generator=generator), torch.randint(7, (3, 2, 5), generator=generator)


def test_right_answers_by_loops(asked):
    values, right = asked
    found = right_answers(values, right)
    assert all(found[b, k, q] == values[b, right[b, k, q]] for b in range(3) for k in range(2) for q in range(5))


def test_right_answers_refuse_places_that_no_key_has(asked):
    values, right = asked
    with pytest.raises(ValueError, match="expected places from 0 to 2 for 3 rows"):
        unwrap(right_answers)(values[:, :3], right)
    with pytest.raises(ValueError, match="for 2 rows of values"):
        unwrap(right_answers)(values[:2], right)


def test_shares_of_each_kind_by_loops(asked):
    values, right = asked
    generator = torch.Generator().manual_seed(1)
    targets, weights = right_answers(values, right), torch.rand(3, 2, 5, 7, generator=generator)
    logits = torch.rand(3, 2, 5, 11, generator=generator)
    logits[0].scatter_(2, targets[0].unsqueeze(2), 2.0)  # the first example is right
    for kind in range(2):
        pairs = [(b, q) for b in range(3) for q in range(5)]
        hits = sum(max(range(11), key=logits[b, kind, q].tolist().__getitem__) == targets[b, kind, q] for b, q in pairs)
        mass = sum(float(weights[b, kind, q, right[b, kind, q]]) for b, q in pairs)
        assert accuracy_by_kind(logits, targets)[kind].item() == pytest.approx(int(hits) / 15)
        assert weight_on_right(weights, right)[kind].item() == pytest.approx(mass / 15)
