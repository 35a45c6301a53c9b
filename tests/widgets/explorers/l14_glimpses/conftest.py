"""The model that comes trained, and pictures that it never saw."""

import pytest
import torch

from attnlab.trained import CANVAS, glimpses


@pytest.fixture(scope="session")
def model():
    return glimpses().model


@pytest.fixture(scope="session")
def canvases():
    return CANVAS.unseen(40, torch.Generator().manual_seed(14))
