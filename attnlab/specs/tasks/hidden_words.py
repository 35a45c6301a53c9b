"""Words that are hidden. tokens, others [batch, tokens]: ids; asked: which are asked for; chance: from 0 to 1."""

import torch
from torch import Tensor

HIDDEN, NOT_ASKED = 1, -100


def hide(
    tokens: Tensor, asked: Tensor, chance: Tensor, others: Tensor, hidden: float = 0.8, replaced: float = 0.1
) -> Tensor:
    """[2, batch, tokens]: what the model reads, and what it is asked for."""
    inputs, targets = tokens.clone(), torch.full_like(tokens, NOT_ASKED)
    for row in range(tokens.shape[0]):
        for place in range(tokens.shape[1]):
            if asked[row, place]:
                targets[row, place] = tokens[row, place]
                if chance[row, place] < hidden:
                    inputs[row, place] = HIDDEN
                elif chance[row, place] < hidden + replaced:
                    inputs[row, place] = others[row, place]
    return torch.stack([inputs, targets])
