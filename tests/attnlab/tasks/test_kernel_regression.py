"""Points along a line, and the score whose softmax is kernel regression."""

import math

import pytest
import torch

from attnlab.attention import attend
from attnlab.tasks.kernel_regression import measurements, nearness, wave


def test_places_are_in_order_and_values_near_the_wave():
    places, values = measurements(seed=3, points=200)
    assert places.shape == values.shape == (200, 1)
    assert 0 <= places.min() <= places.max() <= 5
    assert (places.diff(dim=0) >= 0).all()
    noise = values - wave(places)
    assert noise.std().item() == pytest.approx(0.3, rel=0.15)
    assert noise.mean().abs() < 0.07
    assert wave(torch.tensor(2.0)).item() == pytest.approx(math.sin(3) + 0.6)


def test_the_same_seed_measures_the_same():
    assert torch.equal(measurements(1)[1], measurements(1)[1])
    assert not torch.equal(measurements(1)[1], measurements(2)[1])
    with pytest.raises(ValueError, match="points to be a whole number of at least 1, got 0"):
        measurements(points=0)


def test_nearness_is_kernel_regression():
    key, value = measurements()
    asked, bandwidth = [0.0, 2.0, 4.9], 0.3
    found = attend(torch.tensor(asked)[:, None], key, value, score=nearness, temperature=bandwidth**2)
    for x, answer in zip(asked, found.context[:, 0].tolist(), strict=True):
        shares = [math.exp(-((x - float(k)) ** 2) / (2 * bandwidth**2)) for k in key]
        by_hand = sum(s * float(y) for s, y in zip(shares, value, strict=True)) / sum(shares)
        assert answer == pytest.approx(by_hand, abs=1e-5)
