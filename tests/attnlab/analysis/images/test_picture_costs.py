"""Counts against those by hand; what grows with the picture and what does not."""

import pytest
import torch

from attnlab.analysis.images.picture_costs import SmallConvolutional, picture_cost
from attnlab.vision.glimpses import RecurrentAttention, mean_gaze


def test_multiply_adds_of_the_convolutional_network_by_hand():
    network, height, width = SmallConvolutional(5, 3), 13, 11
    expected, inputs = 0, 1
    for channels in (3, 6, 12):
        for _ in range(height * width * channels):
            expected += inputs * 9
        inputs, height, width = channels, height // 2, width // 2
    for batch in (1, 7):
        found = picture_cost(network, torch.zeros(batch, 13, 11), 1)
        assert found.multiply_adds == expected + 12 * 5
        assert found.seconds > 0


def test_multiply_adds_of_glimpses_by_hand_whatever_the_picture():
    size, scales, dim, classes = 3, 2, 7, 5
    model = RecurrentAttention(classes, size, scales, dim)
    location, baseline = dim * dim + dim * 2, dim
    glimpse = scales * size * size * dim + 2 * dim + 2 * dim * dim
    core, action = 2 * dim * 3 * dim, dim * classes
    expected = 4 * (location + baseline + glimpse + core + action)
    for side in (5, 13, 41):
        found = picture_cost(
            lambda pictures: model(pictures, mean_gaze(model.location), 4), torch.zeros(3, side, side), 1
        )
        assert found.multiply_adds == expected


def test_the_convolutional_network_answers_pictures_of_every_size():
    network = SmallConvolutional()
    assert network(torch.rand(3, 4, 29)).shape == (3, 10)
    with pytest.raises(ValueError, match=r"at least 4 x 4 pixels, got \[1, 3, 9\]"):
        network(torch.rand(1, 3, 9))


def test_no_pictures():
    with pytest.raises(ValueError, match="at least one picture"):
        picture_cost(SmallConvolutional(), torch.zeros(0, 9, 9))
