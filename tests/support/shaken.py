"""Models whose random weights hide no mistake."""

import torch


def shaken(model, amount=0.3):
    """The same model, each of its numbers moved at random: those that start at 0, at 1 or near 0 hide mistakes."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += amount * torch.randn_like(parameter)
    return model.eval()
