"""How far a softmax is a choice, by loops and by autograd."""

import math
from inspect import unwrap

import pytest
import torch

from attnlab.alignment import dot, scaled_dot
from attnlab.analysis.learning.saturation import saturation
from attnlab.attention import attend, masked_softmax


def test_by_loops():
    scores = 2 * torch.randn(3, 5, 7, generator=torch.Generator().manual_seed(0))
    entropies, gradients, flat = [], [], scores.flatten().tolist()
    for row in scores.flatten(0, 1):
        entropies.append(-sum(float(w) * math.log(float(w)) for w in row.softmax(0)) / math.log(7))
        jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), row)
        gradients.append(float(jacobian.diagonal().sum()))
    mean = sum(flat) / len(flat)
    found = saturation(scores.softmax(-1), scores)
    assert found.variance == pytest.approx(sum((x - mean) ** 2 for x in flat) / (len(flat) - 1), rel=1e-4)
    assert found.entropy == pytest.approx(sum(entropies) / 15, abs=1e-5)
    assert found.gradient == pytest.approx(sum(gradients) / 15, abs=1e-5)


def test_ends():
    even, certain = torch.zeros(2, 4), torch.tensor([[500.0, 0, 0, 0], [0, 500.0, 0, 0]])
    allowed = torch.ones(2, 4, dtype=torch.bool)
    assert saturation(masked_softmax(even, allowed), even) == pytest.approx((0.0, 1.0, 0.75))
    assert saturation(masked_softmax(certain, allowed), certain)[1:] == pytest.approx((0.0, 0.0))


@pytest.mark.parametrize("width", [1, 16, 1024])
def test_variance_is_the_width_unless_divided(width):
    generator = torch.Generator().manual_seed(width)
    query, key = torch.randn(50, 6, width, generator=generator), torch.randn(50, 16, width, generator=generator)
    for score, variance in [(dot, width), (scaled_dot, 1)]:
        _, weights, scores = attend(query, key, key, score=score)
        assert saturation(weights, scores).variance == pytest.approx(variance, rel=0.15)


@pytest.mark.parametrize("shape", [(3, 1), (2, 5)])
def test_refused(shape):
    with pytest.raises(ValueError, match="expected weights and scores of one shape with two keys or more"):
        unwrap(saturation)(torch.ones(shape), torch.ones(3, 1))
