"""Who may look at whom. A mask is boolean and **True = may attend**, as in torch's `scaled_dot_product_attention`.

Masks combine with `&` and `|`. Rows are queries, columns are keys.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def everything(queries: int, keys: int | None = None) -> Bool[Tensor, "queries keys"]:
    """Every query may look at every key. `keys` is `queries` unless given."""
    return torch.ones(_sizes(queries, keys), dtype=torch.bool)


def causal(queries: int, keys: int | None = None, start: int = 0) -> Bool[Tensor, "queries keys"]:
    """Query i, at place start + i, may look at the keys 0 to start + i: at the past and at itself.

    `keys` is `queries` unless given.

    **Source:** Vaswani et al. 2017, section 3.2.3.
    """
    queries, keys = _sizes(queries, keys)
    return torch.arange(keys) <= torch.arange(start, start + queries).unsqueeze(-1)


def padding(lengths: Int[Tensor, " batch"], keys: int) -> Bool[Tensor, "batch 1 keys"]:
    """Queries of sequence b may look at its first `lengths[b]` keys; what follows only fills the batch up.

    Raises ValueError when a length is negative or above `keys`.
    """
    if lengths.numel() and not (int(lengths.min()) >= 0 and int(lengths.max()) <= keys):
        raise ValueError(f"expected lengths from 0 to {keys}, got {lengths.tolist()}")
    return (torch.arange(keys, device=lengths.device) < lengths.unsqueeze(-1)).unsqueeze(-2)


def _sizes(queries: int, keys: int | None) -> tuple[int, int]:
    keys = queries if keys is None else keys
    if min(queries, keys) < 0:
        raise ValueError(f"expected sizes of 0 or more, got {queries} queries and {keys} keys")
    return queries, keys


MASKS: dict[str, Callable[..., Tensor]] = {
    "everything": everything,
    "causal": causal,
}
"""Name -> function `(queries, keys) -> mask`: the masks that follow from the sizes alone."""
