"""What a wrong result looks like, when it is in no bank of wrong solutions.

Each diagnosis takes the result, then the exercise's inputs (a mask comes last), and returns a sentence or None.
"""

from itertools import permutations

import torch
from torch import Tensor

# What several banks say of the same slip.
KEYS_RESHAPED = "the keys were reshaped, which deals their numbers out anew: `key.mT` turns the last two axes round"


def negative(weights: Tensor, *_: object) -> str | None:
    return "a weight is never negative" if bool((weights < 0).any()) else None


def hidden(weights: Tensor, *inputs: Tensor) -> str | None:
    message = "hidden words still have weight: where the mask is False the weight must be 0"
    return message if weights[~inputs[-1]].nan_to_num(0).any() else None


def row_sums(weights: Tensor, *inputs: Tensor) -> str | None:
    """With a mask, of the rows that see something."""
    sums = weights.sum(-1)[inputs[-1].any(-1)]
    return _not_one(sums)


def all_row_sums(weights: Tensor, *_: object) -> str | None:
    return _not_one(weights.sum(-1))


def _not_one(sums: Tensor) -> str | None:
    wrong = sums[(sums - 1).abs() > 1e-4]
    return f"each row must sum to 1; one of yours sums to {wrong[0].item():.4f}" if len(wrong) else None


def same_for_all(context: Tensor, *_: object) -> str | None:
    message = "every query was given the same context: each has weights of its own"
    return message if context.shape[1] > 1 and _close(context, context[:, :1].expand_as(context)) else None


def average(context: Tensor, value: Tensor) -> str | None:
    """For a context [batch, queries, dim] of values [batch, keys, dim]."""
    lowest, highest = value.amin(1, keepdim=True) - 1e-4, value.amax(1, keepdim=True) + 1e-4
    if bool(((context >= lowest) & (context <= highest)).all()) or bool(context.isnan().any()):
        return None
    return (
        "a context is an average: each of its numbers lies between the lowest and the highest of its column of the "
        "values, and some of yours do not; either the weights of a query do not sum to 1, or one is negative, or "
        "it was not the values that were averaged, and nothing but them"
    )


def axes(result: Tensor, expected: Tensor) -> str:
    """What to add to a message about shapes."""
    if result.numel() != expected.numel():
        return ""
    if result.squeeze().shape == expected.squeeze().shape and _close(result.squeeze(), expected.squeeze()):
        return "; the numbers are right, only an axis of length 1 is too many or missing"
    for order in permutations(range(result.ndim)):
        turned = result.permute(order)
        if turned.shape == expected.shape and _close(turned, expected):
            return "; the numbers are right, only the axes are in another order"
    return ""


def pattern(result: Tensor, expected: Tensor) -> str | None:
    """What a wrong result has in common with the right one, whatever the exercise."""
    if not expected.is_floating_point():
        return None
    if bool(result.isnan().any()):
        return (
            f"{int(result.isnan().sum())} of {result.numel()} numbers are NaN, not a number: somewhere 0 was "
            "divided by 0, or infinity met infinity"
        )
    if bool((result.isinf() & expected.isfinite()).any()):
        return (
            "some numbers are infinite: exp of a large number, a division by 0, or a -inf that no softmax has "
            "turned into 0"
        )
    if not result.any():
        return "every number is 0"
    if _close(-result, expected):
        return "the sign is wrong: each number is minus the right one"
    factor, shift = (result * expected).sum() / (expected**2).sum(), (result - expected).mean()
    if _close(factor * expected, result):
        return f"each number is {factor.item():.4g}{_root(factor.item())} times the right one"
    if _close(expected + shift, result):
        return f"each number is the right one and {shift.item():.4g} more"
    right = [_close(one, other) for one, other in zip(result, expected, strict=True)]
    if any(right):
        return (
            f"right at {_places(right, True)} of the first axis, wrong at {_places(right, False)}: what is "
            "different there?"
        )
    return None


def _root(factor: float) -> str:
    """The factor as a root, where it is one: wrong scales often are."""
    for square, form in ((factor**2, " = √{}"), (factor**-2, " = 1/√{}")):
        whole = round(square)
        if 1 < whole < 1000 and abs(square - whole) < 1e-3 and whole**0.5 % 1:
            return form.format(whole)
    return ""


def _places(right: list[bool], wanted: bool) -> str:
    return ", ".join(str(place) for place, found in enumerate(right) if found is wanted)


def _close(result: Tensor, expected: Tensor) -> bool:
    return torch.allclose(result.to(expected.dtype), expected, rtol=1e-4, atol=1e-5)
