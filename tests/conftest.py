"""For all tests: one thread each, as in the lessons, and helpers of this folder importable from the folders below."""

from pathlib import Path

import jaxtyping
import pytest
import shapes
import torch
from elsewhere import CUDA

torch.set_num_threads(1)
jaxtyping.jaxtyped = shapes.jaxtyped  # before attnlab is imported


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """The progress folder of one test alone: it is not there yet."""
    monkeypatch.setenv("ATTNLAB_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(params=["cpu", CUDA])
def device(request, monkeypatch) -> torch.device:
    """Each device that the library must run on; a GPU with products in 32 bits, as on the CPU, also in recurrent
    networks and convolutions."""
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
    return torch.device(request.param)
