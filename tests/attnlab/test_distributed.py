"""Two processes with half a batch each learn what one process learns with the whole batch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import two_processes
from torch import nn

from attnlab.distributed import averaged, own_part, processes, rank, replicated, size
from attnlab.training import Step

SCRIPT = Path(two_processes.__file__)
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


@pytest.fixture(scope="module")
def alone_and_two(tmp_path_factory):
    """On the CPU, so that it is the same everywhere."""
    folder = tmp_path_factory.mktemp("processes")
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*TORCHRUN, "--log-dir", tmp_path_factory.mktemp("logs"), SCRIPT, folder, "22"],
        cwd=SCRIPT.parent.parent,
        env=environment,
        timeout=200,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    two = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.iterdir())]
    return two_processes.found(22, torch.device("cpu")), two


@pytest.mark.parametrize("optimiser", ["adamw", "muon"])
def test_the_same_curve(alone_and_two, optimiser):
    alone, two = alone_and_two
    assert [alone["processes"], *(one["processes"] for one in two)] == [1, 2, 2]
    expected = alone[optimiser]["losses"]
    assert expected[-1] < 0.3 * expected[0]
    for one in two:
        assert one[optimiser]["losses"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("optimiser", ["adamw", "muon"])
def test_the_same_model_in_every_process(alone_and_two, optimiser):
    alone, (first, second) = alone_and_two
    assert first[optimiser]["parameters"] == second[optimiser]["parameters"]
    assert first[optimiser]["parameters"] == pytest.approx(alone[optimiser]["parameters"], abs=1e-9)


def test_alone_nothing_changes():
    model, batch, step = nn.Linear(2, 3), torch.arange(5), Step(1, 0.5)
    with processes():
        assert (rank(), size()) == (0, 1)
        assert replicated(model) is model
        assert torch.equal(own_part(batch), batch)
        assert list(averaged([step])) == [step]


def test_a_batch_that_cannot_be_shared(monkeypatch):
    monkeypatch.setattr("attnlab.distributed.size", lambda: 2)
    with pytest.raises(ValueError, match=r"2 processes can share evenly, got shape \[5\]"):
        own_part(torch.arange(5))
    monkeypatch.setattr("attnlab.distributed.rank", lambda: 1)
    assert own_part(torch.arange(6)).tolist() == [3, 4, 5]
