"""Rows exchanged: how far they differ, and the furthest one that keeps the answer, against many that were drawn."""

import pytest
import torch

from attnlab.analysis.heads.swapped_rows import furthest_row, row_difference


def test_difference_in_words():
    one = torch.tensor([0.5, 0.5, 0.0])
    assert float(row_difference(one, one)) == 0
    assert float(row_difference(one, torch.tensor([0.0, 0.0, 1.0]))) == 1
    assert float(row_difference(one, torch.tensor([0.25, 0.5, 0.25]))) == pytest.approx(0.25)
    assert row_difference(torch.ones(2, 1, 3), torch.ones(5, 3)).shape == (2, 5)


@pytest.mark.parametrize("seed", range(8))
def test_no_row_that_keeps_the_answer_is_further(seed):
    generator = torch.Generator().manual_seed(seed)
    keys = 3 + seed % 4
    row = (2 * torch.randn(keys, generator=generator)).softmax(0)
    votes = 3 * torch.randn(keys, generator=generator)
    answer = float((row * votes).sum().sigmoid())
    found = furthest_row(row, votes, close=0.03)
    assert float(found.sum()) == pytest.approx(1, abs=1e-5)
    assert float(found.min()) >= 0
    assert abs(float((found * votes).sum().sigmoid()) - answer) <= 0.03 + 1e-4
    drawn = torch.distributions.Dirichlet(torch.full((keys,), 0.2)).sample((20_000,))
    keeps = (((drawn * votes).sum(-1)).sigmoid() - answer).abs() <= 0.03
    assert keeps.any()
    assert float(row_difference(drawn[keeps], row).max()) <= float(row_difference(found, row)) + 1e-5


def test_where_one_word_alone_says_the_same():
    row, votes = torch.tensor([0.9, 0.1, 0.0]), torch.tensor([8.0, 8.0, 8.0])
    assert furthest_row(row, votes).tolist() == [0, 0, 1]
    sure = torch.tensor([30.0, -30.0, 30.0])  # the probability is 1 but for rounding
    assert furthest_row(torch.tensor([1.0, 0, 0]), sure).tolist() == [0, 0, 1]


def test_its_own_row_where_there_is_no_other():
    row = torch.tensor([1.0, 0.0])
    assert furthest_row(row, torch.tensor([5.0, -5.0]), close=0.0).tolist() == [1, 0]


def test_bad_input():
    for row in ([0.5, 0.2], [1.5, -0.5]):
        with pytest.raises(ValueError, match="weights of 0 or more that sum to 1"):
            furthest_row(torch.tensor(row), torch.zeros(2))


def test_a_sure_answer_still_has_another_row():
    votes, row = torch.tensor([20.2, 33.9, 35.1, -34.9, -31.2]), torch.tensor([0.1, 0.4, 0.5, 0.0, 0.0])
    found = furthest_row(row, votes, close=0)
    assert row_difference(found, row) > 0.3
    answers = (torch.stack([found, row]).double() * votes.double()).sum(-1).sigmoid()
    assert answers.diff().abs() < 1e-8


def test_a_hundredth_is_close_unless_told_otherwise():
    row, votes = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([1.0, -1.0, 0.5])
    assert torch.equal(furthest_row(row, votes), furthest_row(row, votes, close=0.01))
