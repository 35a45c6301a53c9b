"""Every place of a feature map looks at every place."""

import pytest
import torch

from attnlab import specs
from attnlab.specs.vision.feature_map_attention import feature_map_attention
from attnlab.trace import record
from attnlab.vision.feature_map_attention import FeatureMapAttention

MAPS = torch.randn(2, 5, 3, 4, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def layer():
    torch.manual_seed(0)
    layer = FeatureMapAttention(5, 2)
    layer.gain.data.fill_(0.7)
    return layer


def test_in_loops(layer):
    W = [convolution.weight[..., 0, 0] for convolution in (layer.places.key, layer.places.query, layer.places.value)]

    def loops(maps):
        return feature_map_attention(maps, *W, layer.output.weight[..., 0, 0], layer.gain.item())

    torch.testing.assert_close(layer(MAPS), specs.each(loops, MAPS), atol=1e-5, rtol=1e-5)


def test_it_begins_as_nothing_and_its_gain_learns():
    layer = FeatureMapAttention(5, 2)
    assert torch.equal(layer(MAPS), MAPS)
    layer(MAPS).square().sum().backward()
    assert layer.gain.grad.item() != 0
    assert not layer.places.query.weight.grad.any()  # until the gain has left 0


def test_record_hears_it(layer):
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 5, 3), layer)
    with record(model) as trace:
        model(torch.randn(2, 1, 5, 6))
    [attention] = trace["1.places"]
    assert attention.weights.shape == (2, 12, 12)
    torch.testing.assert_close(attention.weights.sum(-1), torch.ones(2, 12))


def test_places_have_no_order(layer):
    """Rows and columns turned around: the same vectors at the turned places."""
    torch.testing.assert_close(layer(MAPS.flip(2, 3)), layer(MAPS).flip(2, 3), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(layer(MAPS.mT), layer(MAPS).mT, atol=1e-5, rtol=1e-5)


def test_every_place_reaches_every_place(layer):
    maps = MAPS[:1].clone().requires_grad_()
    layer(maps)[0, :, 0, 0].sum().backward()
    assert (maps.grad != 0).any(dim=1).all()


def test_on_every_device(device, layer):
    expected = layer(MAPS)
    torch.testing.assert_close(layer.to(device)(MAPS.to(device)).cpu(), expected, atol=1e-4, rtol=1e-4)


def test_other_channels(layer):
    with pytest.raises(ValueError, match=r"maps with 5 channels, got shape \[2, 4, 3, 4\]"):
        layer(MAPS[:, :4])
