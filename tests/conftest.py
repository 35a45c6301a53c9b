"""For all tests: one thread each, as in the lessons, and helpers of this folder importable from the folders below."""

from pathlib import Path

import jaxtyping
import pytest
import shapes
import torch

torch.set_num_threads(1)
jaxtyping.jaxtyped = shapes.jaxtyped  # before attnlab is imported

NO_CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """The progress folder of one test alone: it is not there yet."""
    monkeypatch.setenv("ATTNLAB_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=[pytest.mark.cuda, NO_CUDA])])
def device(request) -> torch.device:
    """Each device that the library must run on."""
    return torch.device(request.param)
