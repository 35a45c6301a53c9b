"""The networks to compare with: what they can see, and how large they are."""

import re

import pytest
import torch
from torch.nn.functional import cross_entropy

from attnlab.tasks.far_marks import at_places, far_marks
from attnlab.training import fit
from attnlab.vision.feature_map_attention import FeatureMapAttention
from attnlab.vision.small_cnn import PlaceReader, SmallCNN, pointwise


def size(model):
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize("side", [5, 6, 7, 8, 28])
def test_logits(side):
    model = SmallCNN(side, 3, 5, classes=4, channels=2)
    assert model(torch.randn(7, 2, side, side)).shape == (7, 4)
    with pytest.raises(ValueError, match=rf"of \[2, {side}, {side}\], got \[7, 2, {side}, {side + 1}\]"):
        model(torch.randn(7, 2, side, side + 1))


def test_equal_parameters():
    attention, local = PlaceReader(FeatureMapAttention(6, 5), 6), PlaceReader(pointwise(6, 10), 6)
    assert size(attention) == size(local) + 1  # the gain


@pytest.mark.usefixtures("as_a_learner")
@pytest.mark.parametrize(
    ("images", "message"),
    [
        (torch.zeros(2, 3, 12, 12), "images [batch, 1, height, width] of 2 pixels or more, got [2, 3, 12, 12]"),
        (torch.zeros(2, 1, 12, 0), "got [2, 1, 12, 0]"),
        (torch.zeros(2, 1, 12, 12, dtype=torch.uint8), "images to be a tensor of real numbers"),
        (torch.full((2, 1, 12, 12), 200.0), "images of numbers from 0 to 1, got 200; divide bytes by 255"),
    ],
)
def test_images_that_no_place_reader_takes(images, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        PlaceReader(pointwise(6, 10), 6)(images)


def seen(between):
    """Which pixels an answer at the place (2, 3) of a 6 x 6 map depends on."""
    torch.manual_seed(0)
    model = PlaceReader(between, 6).eval()
    image = torch.rand(1, 1, 12, 12, requires_grad=True)
    model(image)[0, :, 2, 3].square().sum().backward()
    return image.grad[0, 0] != 0


def test_without_attention_an_answer_sees_its_neighbourhood():
    inside = torch.zeros(12, 12, dtype=torch.bool)
    inside[2:8, 4:10] = True  # the cell holds rows 4 and 5, columns 6 and 7
    assert not (seen(pointwise(6, 10)) & ~inside).any()
    layer = FeatureMapAttention(6, 5)
    layer.gain.data.fill_(1)
    assert seen(layer).float().mean() > 0.9


def test_neither_mark_sees_the_other():
    """An answer where the first mark stands does not change when the second one is wiped away."""
    images, places, _ = far_marks(200, torch.Generator().manual_seed(0))
    model = PlaceReader(pointwise(6, 10), 6).eval()
    wiped = images.clone()
    for image, (row, column) in zip(wiped[:, 0], places[:, 1].tolist(), strict=True):
        image[row - 1 : row + 2, column - 1 : column + 2] = 0
    before, after = (at_places(model(pictures), places)[:, 0] for pictures in (images, wiped))
    torch.testing.assert_close(before, after)
    assert not torch.equal(images, wiped)


def test_the_gain_leaves_0():
    torch.manual_seed(0)
    model = PlaceReader(FeatureMapAttention(8, 8), 8)

    def loss(generator):
        images, places, others = far_marks(32, generator)
        return cross_entropy(at_places(model(images), places).flatten(0, 1), others.flatten())

    for _ in fit(model, loss, 3, rate=1e-2):
        pass
    assert model[5].gain.item() != 0
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_on_every_device(device):
    torch.manual_seed(0)
    model, images = SmallCNN(8, 3, 5), torch.randn(2, 1, 8, 8)
    expected = model(images)
    torch.testing.assert_close(model.to(device)(images.to(device)).cpu(), expected, atol=1e-4, rtol=1e-4)
