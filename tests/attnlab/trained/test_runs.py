"""A training comes to its end as `fit` leaves it; what is right is counted."""

import torch
from torch import nn
from torch.nn.functional import one_hot

from attnlab.optimisers import muon
from attnlab.schedules import cool_down
from attnlab.trained.runs import fitted, share_exact, share_right
from attnlab.training import fit


def test_a_training_is_run_to_its_end():
    models = []
    for _ in range(2):
        torch.manual_seed(0)
        models.append(nn.Linear(3, 2))
    one, other = models
    settings = 5, 0.02, 7, muon, cool_down
    assert fitted(one, lambda g: one(torch.randn(4, 3, generator=g)).square().mean(), *settings) is one
    steps = list(fit(other, lambda g: other(torch.randn(4, 3, generator=g)).square().mean(), *settings))
    assert len(steps) == 5
    assert torch.equal(one.weight, other.weight)


class Parrot(nn.Linear):
    """Writes what it reads."""

    def forward(self, source, lengths, target):
        return one_hot(source, 9)


def test_shares():
    assert share_right(torch.tensor([0, 1, 2]), torch.tensor([0, 1, 1])) == 0.667
    assert share_right(torch.tensor([True]), torch.tensor([True])) == 1
    source, target = torch.tensor([[3, 4], [3, 5], [6, 7]]), torch.tensor([[1, 3, 4], [1, 3, 4], [1, 6, 7]])
    assert share_exact(Parrot(1, 1), (source, torch.tensor([2, 2, 2]), target)) == 0.6667
