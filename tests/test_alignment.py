from inspect import unwrap

import oracles
import pytest
import torch

from attnlab.alignment import SCORES, Additive, dot

SIZES = (5, 5, 7)  # query_dim, key_dim, dim


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_single_numbers(name):
    score = SCORES[name](*SIZES)
    query, key = torch.randn(2, 3, 5), torch.randn(2, 11, 5)
    expected = oracles.SCORES[name](score)
    scores = score(query, key)
    for b in range(2):
        for i in range(3):
            for j in range(11):
                wanted = expected(query[b, i].tolist(), key[b, j].tolist(), j)
                assert scores[b, i, j].item() == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("name", SCORES)
def test_every_axis_before_the_last_two_is_a_batch(name):
    score = SCORES[name](*SIZES)
    query, key = torch.randn(2, 3, 5, 5), torch.randn(2, 1, 7, 5)
    scores = score(query, key)
    assert scores.shape == (2, 3, 5, 7)
    torch.testing.assert_close(scores[1, 2], score(query[1, 2], key[1, 0]))


def test_additive_takes_queries_and_keys_of_different_sizes():
    assert Additive(3, 5, 7)(torch.randn(2, 3), torch.randn(11, 5)).shape == (2, 11)


def test_additive_with_keys_projected_once():
    score, query, key = Additive(3, 5, 7), torch.randn(2, 3), torch.randn(11, 5)
    projected = score.project(key)
    assert projected.shape == (11, 7)
    assert torch.equal(score.compare(query, projected), score(query, key))


def test_sizes_that_differ():
    with pytest.raises(ValueError, match="size 5, got 3"):
        unwrap(dot)(torch.randn(2, 5), torch.randn(7, 3))


def test_additive_names_the_size_that_is_wrong():
    score = Additive(3, 5, 7)
    with pytest.raises(ValueError, match="queries of size 3, got 2"):
        score(torch.randn(2, 2), torch.randn(11, 5))
    with pytest.raises(ValueError, match="keys of size 5, got 2"):
        score(torch.randn(2, 3), torch.randn(11, 2))


@pytest.mark.parametrize("name", ["dot", "scaled_dot"])
def test_factories_of_products_refuse_different_sizes(name):
    with pytest.raises(ValueError, match=f"{name} needs .* queries of 3, keys of 5"):
        SCORES[name](3, 5, 7)
