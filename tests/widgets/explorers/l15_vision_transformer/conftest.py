"""Untrained models for the tests of lesson 15, and a few held-out digits."""

import pytest
import torch

from attnlab.positions import POSITIONS
from attnlab.tasks.digits import Digits, split
from attnlab.tasks.far_marks import far_marks
from attnlab.vision.feature_map_attention import FeatureMapAttention
from attnlab.vision.small_cnn import PlaceReader, pointwise
from attnlab.vision.vit import vit


def small(place="learned"):
    """A ViT whose class token and positions are as large as if they were trained."""
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        model = vit(28, size=7, dim=8, heads=2, layers=2, place=POSITIONS[place])
        for parameter in model.parameters():
            parameter.data += 0.3 * torch.randn(parameter.shape)
    return model


@pytest.fixture(scope="session")
def model():
    return small()


@pytest.fixture(scope="session")
def models(model):
    return {"with positions": model, "without": small("none")}


@pytest.fixture(scope="session")
def digits():
    return Digits(*(part[:7] for part in split()[1]))


@pytest.fixture(scope="session")
def readers():
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        found = {
            "self-attention": PlaceReader(FeatureMapAttention(6, 5), 6),
            "no attention": PlaceReader(pointwise(6, 10), 6),
        }
        found["self-attention"][5].gain.data.fill_(1.5)
    return {name: [one.eval()] for name, one in found.items()}


@pytest.fixture(scope="session")
def marks():
    return far_marks(5, torch.Generator().manual_seed(3))
