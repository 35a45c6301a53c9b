"""Who may look at whom. A mask is boolean and **True = may attend**, as in torch's `scaled_dot_product_attention`.

Rows are queries, columns are keys. Masks combine with `&` (what both allow) and `|` (what either allows).

**Broadcasting.** Masks meet axis by axis, from the right; an axis of 1, or one that is missing on the left, stands for
every place of that axis. `attend` takes what broadcasts in this way to its scores [..., queries, keys].
`MultiHeadAttention` has one more axis, the heads, and takes

    [queries, keys]                 one mask for the whole batch and all heads
    [batch, queries, keys]          one for each sequence, for all heads
    [batch, heads, queries, keys]   one for each head

so that three axes always mean a batch: write [1, heads, queries, keys] for heads that differ. Both raise a ValueError
for a mask that is not boolean or does not fit.

**With a cache** the queries are the last tokens and the keys all of them. `start` is the place of the first query,
counted from 0: the number of tokens that were in the cache before.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnlab.names import Table
from attnlab.positions import distances


def everything(queries: int, keys: int | None = None, start: int = 0) -> Bool[Tensor, "queries keys"]:
    """Every query may look at every key, wherever it stands. `keys` is `start + queries` unless given."""
    return torch.ones_like(_apart(queries, keys, start), dtype=torch.bool)


def causal(queries: int, keys: int | None = None, start: int = 0) -> Bool[Tensor, "queries keys"]:
    """Query i, at place start + i, may look at the keys 0 to start + i: at the past and at itself.

    `keys` is `start + queries` unless given. A single query that looks at all keys up to itself needs no mask.

    **Source:** Vaswani et al. 2017, section 3.2.3.
    """
    return _apart(queries, keys, start) <= 0


def window(queries: int, keys: int | None = None, radius: int = 2, start: int = 0) -> Bool[Tensor, "queries keys"]:
    """Query i may look at the keys that stand at most `radius` places from its own, on both sides.

    Raises ValueError for a radius below 0.

    **Source:** Beltagy, Peters and Cohan 2020, "Longformer: The Long-Document Transformer", section 3.1, sliding
    window. **Names:** w / 2 -> radius.
    """
    _check_size("a radius", radius)
    return _apart(queries, keys, start).abs() <= radius


def causal_window(
    queries: int, keys: int | None = None, radius: int = 2, start: int = 0
) -> Bool[Tensor, "queries keys"]:
    """`causal & window`: query i may look at itself and at the `radius` keys before it."""
    return causal(queries, keys, start) & window(queries, keys, radius, start)


def prefix(queries: int, keys: int | None = None, length: int = 2, start: int = 0) -> Bool[Tensor, "queries keys"]:
    """Everyone may look at the first `length` keys, and at the past: a text to be read whole, then one to be written.

    Raises ValueError for a length below 0.

    **Source:** Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
    Transformer", section 3.2.1, causal with prefix.
    """
    _check_size("a prefix", length)
    mask = causal(queries, keys, start)
    return mask | (torch.arange(mask.shape[-1]) < length)


def document(
    ids: Int[Tensor, "*batch queries"], keys: Int[Tensor, "*batch keys"] | None = None
) -> Bool[Tensor, "*batch queries keys"]:
    """Each token may look at the tokens of its own document: blocks on the diagonal where documents follow each other.

    ids: the number of each query's document. keys: the same for the keys, where they are not the queries.

    **Source:** Krell et al. 2021, "Efficient Sequence Packing without Cross-contamination".
    """
    keys = ids if keys is None else keys
    return ids.unsqueeze(-1) == keys.unsqueeze(-2)


def padding(lengths: Int[Tensor, " batch"], keys: int) -> Bool[Tensor, "batch 1 keys"]:
    """Queries of sequence b may look at its first `lengths[b]` keys; what follows only fills the batch up.

    Raises ValueError when a length is negative or above `keys`.
    """
    if lengths.numel() and not (int(lengths.min()) >= 0 and int(lengths.max()) <= keys):
        raise ValueError(f"expected lengths from 0 to {keys}, got {lengths.tolist()}")
    return (torch.arange(keys, device=lengths.device) < lengths.unsqueeze(-1)).unsqueeze(-2)


def with_heads(mask: Tensor, batch: int, heads: int, queries: int, keys: int) -> Bool[Tensor, "_ _ _ _"]:
    """The mask in four axes, as it broadcasts to [batch, heads, queries, keys].

    Raises ValueError where the rules above forbid it.
    """
    if mask.dtype != torch.bool:
        raise ValueError(f"expected a boolean mask (True = may attend), got {mask.dtype}")
    full, axes = [batch, heads, queries, keys], list(mask.shape)
    axes = [axes[0], 1, *axes[1:]] if len(axes) == 3 else [1] * (4 - len(axes)) + axes
    if len(axes) > 4 or any(n not in (1, whole) for n, whole in zip(axes, full, strict=True)):
        raise ValueError(f"expected a mask that broadcasts to [queries, keys] = {full[2:]}, [batch, queries, keys] = "
                         f"{[batch, queries, keys]} or [batch, heads, queries, keys] = {full}, got {list(mask.shape)}")
    return mask.reshape(axes)


def _apart(queries: int, keys: int | None, start: int) -> Int[Tensor, "queries keys"]:
    return distances(queries, start + queries if keys is None else keys, start)


def _check_size(what: str, size: int):
    if size < 0:
        raise ValueError(f"expected {what} of 0 or more places, got {size}")


MASKS: dict[str, Callable[..., Tensor]] = Table({
    "everything": everything,
    "causal": causal,
    "window": window,
    "causal_window": causal_window,
    "prefix": prefix,
})
"""Name -> function `(queries, keys) -> mask`: the masks that follow from the sizes alone. All take `start`."""
