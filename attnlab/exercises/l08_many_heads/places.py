"""What the exercises that move numbers share."""

import torch
from torch import Tensor


def _origin(number: Tensor, x: Tensor) -> list[int]:
    return (x == number).nonzero()[0].tolist()


def displaced(result: Tensor, expected: Tensor, x: Tensor) -> str | None:
    """Where the first number in a wrong place came from."""
    if not torch.equal(result.flatten().sort().values, x.flatten().sort().values):
        return None
    place = (result != expected).nonzero()[0].tolist()
    right, found = (_origin(numbers[tuple(place)], x) for numbers in (expected, result))
    return f"all numbers are there, but not in their places: at {place} expected x{right}, got x{found}"


def random_tensor(*sizes: int) -> Tensor:
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(sizes[0] * 100 + sizes[1]))
