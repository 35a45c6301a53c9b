"""Is the code of place t + k a linear function of the code of place t? The best matrix, by least squares."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import checked


class Shift(NamedTuple):
    """M: [dim, dim], code[t] M is to be code[t + k]. inside, outside: its largest error, in the units of the code, over
    the places that it was found from and over all that follow."""

    M: Tensor
    inside: float
    outside: float


@checked
def shift_matrix(code: Float[Tensor, "places dim"], k: int, seen: int) -> Shift:
    """The matrix that takes the code of each of the first `seen` places to that of the place `k` later, as well as one
    matrix can: it has the smallest sum of squared errors.

    Give the code in double precision: what is exact but for rounding is then told from what is not.
    Raises ValueError for fewer places `seen` than dim, which leave many matrices to choose from, and for a code that
    has no places behind them to measure `outside` on.

    **Source:** Vaswani et al. 2017, section 3.5: "for any fixed offset k, PE_{pos+k} can be represented as a linear
    function of PE_{pos}". `attnlab.positions.shift` is the matrix of the sinusoids in closed form.
    """
    places, dim = code.shape
    if k < 0 or not dim <= seen < places - k:
        raise ValueError(
            f"expected k of 0 or more, and to see at least dim = {dim} places and fewer than have one k "
            f"later, got k {k} and {seen} seen of {places} places"
        )
    now, later = code[: places - k], code[k:]
    M = torch.linalg.lstsq(now[:seen], later[:seen]).solution
    error = (now @ M - later).abs()
    return Shift(M, error[:seen].max().item(), error[seen:].max().item())
