"""What the exercises of turned queries and keys share."""

import torch
from torch import Tensor


def close(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-3, atol=1e-4)


def base_frequencies(dim: int, base: float = 10000.0) -> Tensor:
    return base ** (-torch.arange(0, dim, 2) / dim)
