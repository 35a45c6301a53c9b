"""Scaled weights: matrices by one factor, everything else by another."""

import torch
from torch import nn

from attnlab.analysis.learning.initialisation import scale_weights


def test_matrices_and_others_are_scaled_apart():
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5), nn.Linear(5, 2))
    before = {name: parameter.detach().clone() for name, parameter in module.named_parameters()}
    assert scale_weights(module, 2.5, others=0.5) is module
    for name, parameter in module.named_parameters():
        factor = 2.5 if name in ("0.weight", "2.weight") else 0.5
        torch.testing.assert_close(parameter, factor * before[name])
        assert parameter.requires_grad


def test_others_stay_unless_asked():
    module = nn.Linear(2, 2)
    bias = module.bias.detach().clone()
    scale_weights(module, 0)
    assert not module.weight.any()
    assert torch.equal(module.bias, bias)
