"""Untrained models for the tests of lesson 15, and a few held-out digits."""

import pytest
import torch
from seeing import DIGITS, a_vit

from attnlab.tasks.far_marks import far_marks
from attnlab.vision.feature_map_attention import FeatureMapAttention
from attnlab.vision.small_cnn import PlaceReader, pointwise


@pytest.fixture(scope="session")
def model():
    return a_vit()


@pytest.fixture(scope="session")
def models(model):
    return {"with positions": model, "without": a_vit(place="none")}


@pytest.fixture(scope="session")
def digits():
    return DIGITS


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
