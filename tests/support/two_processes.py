"""A script for torchrun: trains a small model and writes, from each process, its losses and its last parameters."""

import json
import sys
from functools import partial
from pathlib import Path

import torch
from torch import nn

from attnlab.distributed import averaged, own_part, processes, rank, replicated, size
from attnlab.optimisers import adamw, muon
from attnlab.training import fit


def trained(optimiser, rows, device):
    torch.manual_seed(0 if size() == 1 else rank())  # others than process 0 start wrong: they must be put right
    model = nn.Sequential(nn.Linear(3, 7), nn.Tanh(), nn.Linear(7, 5), nn.Tanh(), nn.Linear(5, 1)).to(device).double()
    replica = replicated(model)

    def loss(generator):
        x = own_part(torch.randn(rows, 3, generator=generator)).to(device).double()
        return (replica(x).squeeze(-1) - x.sum(-1)).square().mean()

    losses = [step.loss for step in averaged(fit(model, loss, 60, rate=2e-2, optimiser=optimiser))]
    return {"losses": losses, "parameters": torch.cat([p.detach().flatten() for p in model.parameters()]).tolist()}


def found(rows, device):
    return {
        "processes": size(),
        "adamw": trained(partial(adamw, clip=0.5), rows, device),
        "muon": trained(muon, rows, device),
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    with processes() as device:
        Path(sys.argv[1], f"process{rank()}.json").write_text(
            json.dumps(found(int(sys.argv[2]), device)), encoding="utf-8"
        )
    threads = [path.read_text(encoding="utf-8").strip() for path in Path("/proc/self/task").glob("*/comm")]  # on Linux
    assert not any("gloo" in name for name in threads), f"threads that could abort the process at its end: {threads}"
