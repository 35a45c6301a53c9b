"""Tables of models, and what is said of a cost that is off: shared by all exercises of lesson 12."""

from collections.abc import Callable
from inspect import signature
from itertools import combinations

import torch
from torch import Tensor

WHOLE = "All arguments are tensors of whole numbers [models], one entry for each model; so is the result."


def table_of(*columns: tuple) -> tuple:
    """One tensor of whole numbers [models] for each column."""
    return tuple(torch.tensor(column) for column in columns)


def of_each_model(count: Callable[..., int]) -> Callable[..., Tensor]:
    """A count for one model, as a function of tensors [models]."""

    def counted(*columns: Tensor) -> Tensor:
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return torch.tensor([count(*row) for row in rows])

    return counted


def left_out_of(result: Tensor, *columns: Tensor, parts: Callable[..., dict[str, Tensor]]) -> str | None:
    """A diagnosis: which parts are left out of a count that is the sum of the others."""
    named = parts(*columns)
    for few in range(1, len(named)):
        fitting = [
            left_out
            for left_out in combinations(named, few)
            if torch.equal(result, torch.stack([named[name] for name in named if name not in left_out]).sum(dim=0))
        ]
        if fitting:
            or_so = ", or what costs as much" if len(fitting) > 1 else ""
            return f"missing in your count: {', '.join(fitting[0])}{or_so}"
    return None


def off_by(result: Tensor, *columns: Tensor, right: Callable[..., Tensor]) -> str | None:
    """A diagnosis: by how much the first wrong model is off."""
    expected = right(*columns)
    wrong = (result != expected).nonzero()
    if not len(wrong):
        return None
    if torch.equal(result * expected[0], expected * result[0]) and result[0] > 0:
        return f"each count is {result[0].item() / expected[0].item():.4g} times the right one"
    at = int(wrong[0])
    got, wanted = result[at].item(), int(expected[at])
    names = signature(right).parameters
    sizes = ", ".join(f"{name} {int(column[at])}" for name, column in zip(names, columns, strict=True))
    return f"for model {at} ({sizes}) expected {wanted:,}, got {got:,}: {got - wanted:+,}"
