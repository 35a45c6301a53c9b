"""Untrained models for the tests of lesson 15, and a few held-out digits."""

import pytest
import torch
from seeing import DIGITS, a_vit, place_readers

from attnlab.tasks.far_marks import far_marks


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
    return place_readers()


@pytest.fixture(scope="session")
def marks():
    return far_marks(5, torch.Generator().manual_seed(3))
