"""Patches in another order, against loops over patches and pixels."""

import pytest
import torch
from shaken import shaken

from attnlab.analysis.images.shuffled_patches import right_when_shuffled, shuffled
from attnlab.positions import POSITIONS
from attnlab.vision.vit import vit

IMAGES = torch.rand(5, 2, 4, 6, generator=torch.Generator().manual_seed(0))
ORDER = [3, 5, 0, 1, 4, 2]


def test_in_loops():
    found = shuffled(IMAGES, 2, ORDER)
    for place, patch in enumerate(ORDER):
        for row in range(2):
            for column in range(2):
                to = 2 * (place // 3) + row, 2 * (place % 3) + column
                come = 2 * (patch // 3) + row, 2 * (patch % 3) + column
                assert torch.equal(found[..., to[0], to[1]], IMAGES[..., come[0], come[1]])


def test_shuffled_back():
    back = torch.tensor(ORDER).argsort().tolist()
    assert torch.equal(shuffled(shuffled(IMAGES, 2, ORDER), 2, back), IMAGES)
    assert torch.equal(shuffled(IMAGES, 2, range(6)), IMAGES)


def test_without_positions_the_order_is_nothing():
    images = torch.rand(4, 1, 6, 6, generator=torch.Generator().manual_seed(1))
    order = torch.randperm(9, generator=torch.Generator().manual_seed(2)).tolist()
    for place, equal in (("none", True), ("learned", False)):
        torch.manual_seed(0)
        model = shaken(vit(6, size=2, dim=8, heads=2, layers=2, place=POSITIONS[place]))
        with torch.no_grad():
            assert torch.allclose(model(images), model(shuffled(images, 2, order)), atol=1e-5) == equal


def test_right_when_shuffled():
    def darker(images):  # class 1 where the left half holds more ink
        left, right = images[..., :1].sum((1, 2, 3)), images[..., 1:].sum((1, 2, 3))
        return torch.stack([right, left], dim=1)

    images = torch.tensor([[1.0, 0], [1, 0], [0, 1], [1, 0]]).view(4, 1, 1, 2)
    labels = torch.tensor([1, 1, 0, 0])
    assert right_when_shuffled(darker, images, labels, 1, [0, 1]) == 0.75
    assert right_when_shuffled(darker, images, labels, 1, [1, 0]) == 0.25


def test_bad_input():
    for order in ([0, 1], [0, 0, 1, 2, 3, 4], [1, 2, 3, 4, 5, 6]):
        with pytest.raises(ValueError, match="names each of 0 to 5 once, got"):
            shuffled(IMAGES, 2, order)
    with pytest.raises(ValueError, match="divides 4 x 6 pixels"):
        shuffled(IMAGES, 4, ORDER)
    with pytest.raises(ValueError, match="at least one picture"):
        right_when_shuffled(lambda images: images, IMAGES[:0], torch.zeros(0, dtype=torch.long), 2, ORDER)
