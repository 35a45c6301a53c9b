"""The tests see a shape that does not fit the signature, going in or coming out, and a value of another kind."""

from functools import partial
from typing import Any

import pytest
import shapes
import torch
from jaxtyping import Float, TypeCheckError
from torch import Tensor

watched = partial(shapes.jaxtyped, typechecker=None)


@watched
def products(a: Float[Tensor, "rows dim"], b: Float[Tensor, "columns dim"]) -> Float[Tensor, "rows columns"]:
    return a @ b.mT if a.sum() > 0 else a


@watched
def told(number: int) -> str:
    return number if number < 0 else str(number)


def test_axes_agree_within_a_call():
    assert products(torch.ones(2, 3), torch.ones(4, 3)).shape == (2, 4)
    assert products(torch.ones(5, 7), torch.ones(6, 7)).shape == (5, 6), "and the next call has its own"
    with pytest.raises(TypeCheckError):
        products(torch.ones(2, 3), torch.ones(4, 5))
    with pytest.raises(TypeCheckError):
        products(-torch.ones(2, 3), torch.ones(4, 3))


def test_kinds_without_axes():
    assert told(3) == "3"
    with pytest.raises(TypeCheckError):
        told("3")
    with pytest.raises(TypeCheckError):
        told(-3)


def test_a_function_within_another_has_its_axes_checked_and_its_kinds_not():
    @watched
    def twice(rows: Float[Tensor, "rows dim"]) -> Float[Tensor, "rows dim"]:
        return rows.repeat(1, 2)

    with pytest.raises(TypeCheckError):
        twice(torch.ones(2, 3))

    def hook(number: int) -> str:
        return str(number)

    assert watched(hook) is hook


def test_what_may_be_anything_is_left_alone():
    def anything(thing: Any) -> Any:
        return thing

    assert watched(anything) is anything


def test_within_unchecked_nothing_is():
    with shapes.unchecked():
        assert told(-3) == -3
        assert products(-torch.ones(2, 3), torch.ones(4, 3)).shape == (2, 3)
