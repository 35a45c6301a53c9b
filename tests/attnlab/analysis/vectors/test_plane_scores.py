"""The eight scores in the plane say what their weights say, computed by loops."""

import math

import pytest
import torch

from attnlab.alignment import SCORES
from attnlab.analysis.vectors.plane_scores import plane_scores

QUERY, KEYS = (1.2, -0.7), [(3.0, 0.6), (0.6, 0.8), (-1.0, 2.4), (-1.8, -0.9), (0.7, -1.6)]


def near(q, k):
    """-2 times the sum of tanh(side · (q - k) - 1) over four sides."""
    x, y = q[0] - k[0], q[1] - k[1]
    return -2 * sum(math.tanh(side - 1) for side in (x, -x, y, -y))


def by_hand(q, keys):
    dot = [q[0] * x + q[1] * y for x, y in keys]
    around = [2 * math.pi * j / len(keys) for j in range(len(keys))]
    return {
        "dot": dot,
        "scaled_dot": [s / math.sqrt(2) for s in dot],
        "content": [s / math.hypot(*q) / math.hypot(*k) for s, k in zip(dot, keys, strict=True)],
        "general": [q[0] * -y + q[1] * x for x, y in keys],
        "additive": [near(q, k) for k in keys],
        "perceptron": [near(q, k) for k in keys],
        "concat": [q[0] - 0.5 * q[1] + 0.5 * x + 0.5 * y for x, y in keys],
        "location": [q[0] * math.cos(a) + q[1] * math.sin(a) for a in around],
    }


def test_all_scores_are_there():
    assert set(plane_scores()) == set(SCORES)


@pytest.mark.parametrize("count", [5, 3])
def test_scores_by_loops(count):
    query, keys = torch.tensor([QUERY]), torch.tensor(KEYS[:count])
    for name, expected in by_hand(QUERY, KEYS[:count]).items():
        scores = plane_scores(count)[name](query, keys)
        assert scores[0].tolist() == pytest.approx(expected, abs=1e-5), name
        assert not scores.requires_grad


def test_random_numbers_go_on_undisturbed():
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    plane_scores()
    assert torch.equal(torch.rand(1), expected)


def test_no_keys_are_refused():
    with pytest.raises(ValueError, match="expected one key or more, got 0"):
        plane_scores(0)
