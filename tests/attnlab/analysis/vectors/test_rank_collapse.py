"""Cosines of all pairs, against loops, and what attention without a residual connection makes of them."""

import math

import pytest
import torch

from attnlab.analysis.vectors.rank_collapse import cosine_similarities, hidden_states, mean_cosine

TOKENS, DIM = 5, 3


@pytest.fixture
def x():
    return torch.randn(2, TOKENS, DIM, generator=torch.Generator().manual_seed(0))


def cosine(a, b):
    dot = sum(p * q for p, q in zip(a, b, strict=True))
    return dot / math.sqrt(sum(p * p for p in a)) / math.sqrt(sum(q * q for q in b))


def test_cosines_one_by_one(x):
    found = cosine_similarities(x)
    for text in range(2):
        for i in range(TOKENS):
            for j in range(TOKENS):
                expected = cosine(x[text, i].tolist(), x[text, j].tolist())
                assert float(found[text, i, j]) == pytest.approx(expected, abs=1e-6)


def test_the_mean_counts_every_pair_of_two_places_once(x):
    for text, mean in zip(x.tolist(), mean_cosine(x).tolist(), strict=True):
        pairs = [cosine(text[i], text[j]) for i in range(TOKENS) for j in range(i)]
        assert mean == pytest.approx(sum(pairs) / len(pairs), abs=1e-6)


def test_one_direction_and_right_angles():
    torch.testing.assert_close(mean_cosine(torch.tensor([[1.0, 2], [10, 20], [0.1, 0.2]])), torch.tensor(1.0))
    torch.testing.assert_close(mean_cosine(torch.eye(3)), torch.tensor(0.0))
    assert mean_cosine(torch.zeros(3, 2)) == 0, "vectors that are gone have no direction"


def test_one_vector_has_nothing_to_be_compared_with():
    with pytest.raises(ValueError, match="at least two vectors to compare, got 1"):
        mean_cosine(torch.ones(1, 4))


def test_states_before_the_first_layer_and_after_each(x):
    states = hidden_states([lambda x: x + 1, lambda x: 2 * x], x[0])
    torch.testing.assert_close(states, torch.stack([x[0], x[0] + 1, 2 * (x[0] + 1)]))
    assert torch.equal(hidden_states([], x[0]), x[:1])


def test_averages_of_averages_become_one_vector():
    weights = torch.rand(4, 6, 6, generator=torch.Generator().manual_seed(0)).softmax(dim=-1)
    x = torch.randn(6, 8, generator=torch.Generator().manual_seed(1))
    means = mean_cosine(hidden_states([lambda x, w=w: w @ x for w in weights], x)).tolist()
    assert means[0] < 0.3
    assert means == sorted(means)
    assert means[-1] > 0.999


def test_the_length_of_tiny_vectors_does_not_matter():
    x = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(cosine_similarities(1e-30 * x), cosine_similarities(x))
