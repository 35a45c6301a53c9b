"""Fresh weights, made larger or smaller, to see what their size does to a network."""

from typing import TypeVar

import torch
from torch import nn

from attnlab.checks import checked

AnyModule = TypeVar("AnyModule", bound=nn.Module)


@checked
def scale_weights(module: AnyModule, matrices: int | float, others: int | float = 1.0) -> AnyModule:
    """The same module, changed in place: all matrices times `matrices`, all other parameters times `others`.

    A matrix is a parameter with two axes; the others are biases, gains and shifts, so `others=0` takes biases away.
    """
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(matrices if parameter.ndim == 2 else others)
    return module
