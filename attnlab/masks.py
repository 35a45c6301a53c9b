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

**Places.** The queries are the last tokens and the keys all of them, as with a cache: query i stands at the place
`keys - queries + i`, counted from 0. As many keys as queries unless `keys` or `start` says otherwise. `start` is the
place of the first query; give it in place of `keys` (the tokens in the cache), or with it where the queries are not
the last tokens. More queries than keys, and no `start`, are a ValueError, but for
`everything`, which asks for no places.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnlab.checks import Count, Size, checked
from attnlab.positions import distances
from attnlab.registry import Table


@checked
def everything(
    queries: Count, keys: Count | None = None, *, start: Count | None = None
) -> Bool[Tensor, "queries keys"]:
    """Every query may look at every key, wherever it stands."""
    return torch.ones(queries, queries + (start or 0) if keys is None else keys, dtype=torch.bool)


@checked
def causal(queries: Count, keys: Count | None = None, *, start: Count | None = None) -> Bool[Tensor, "queries keys"]:
    """Query i, at place start + i, may look at the keys 0 to start + i: at the past and at itself.

    The queries are the last of the keys: `causal(2, 5)` is the last two rows of `causal(5)`, the same as
    `causal(2, start=3)`. A single query that looks at all keys up to itself needs no mask.

    **Source:** Vaswani et al. 2017, section 3.2.3.
    """
    return _apart(queries, keys, start) <= 0


@checked
def window(
    queries: Count, keys: Count | None = None, radius: Count = 2, *, start: Count | None = None
) -> Bool[Tensor, "queries keys"]:
    """Query i may look at the keys that stand at most `radius` places from its own, on both sides.

    **Source:** Beltagy, Peters and Cohan 2020, "Longformer: The Long-Document Transformer", section 3.1, sliding
    window. **Names:** w / 2 -> radius.
    """
    return _apart(queries, keys, start).abs() <= radius


@checked
def causal_window(
    queries: Count, keys: Count | None = None, radius: Count = 2, *, start: Count | None = None
) -> Bool[Tensor, "queries keys"]:
    """`causal & window`: query i may look at itself and at the `radius` keys before it."""
    return causal(queries, keys, start=start) & window(queries, keys, radius, start=start)


@checked
def prefix(
    queries: Count, keys: Count | None = None, length: Count = 2, *, start: Count | None = None
) -> Bool[Tensor, "queries keys"]:
    """Everyone may look at the first `length` keys, and at the past: a text to be read whole, then one to be written.

    **Source:** Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
    Transformer", section 3.2.1, causal with prefix.
    """
    mask = causal(queries, keys, start=start)
    return mask | (torch.arange(mask.shape[-1]) < length)


@checked
def document(
    ids: Int[Tensor, "*batch queries"], keys: Int[Tensor, "*batch keys"] | None = None
) -> Bool[Tensor, "*batch queries keys"]:
    """Each token may look at the tokens of its own document: blocks on the diagonal where documents follow each other.

    ids: the number of each query's document. keys: the same for the keys, where they are not the queries.

    **Source:** Krell et al. 2021, "Efficient Sequence Packing without Cross-contamination".
    """
    keys = ids if keys is None else keys
    return ids.unsqueeze(-1) == keys.unsqueeze(-2)


@checked
def padding(lengths: Int[Tensor, " batch"], keys: Count) -> Bool[Tensor, "batch 1 keys"]:
    """Queries of sequence b may look at its first `lengths[b]` keys; what follows only fills the batch up.

    Raises ValueError when a length is negative or above `keys`.
    """
    if lengths.numel() and not (int(lengths.min()) >= 0 and int(lengths.max()) <= keys):
        raise ValueError(f"expected lengths from 0 to {keys}, got {lengths.tolist()}")
    return (torch.arange(keys, device=lengths.device) < lengths.unsqueeze(-1)).unsqueeze(-2)


@checked
def with_heads(
    mask: Bool[Tensor, "..."], batch: Count, heads: Size, queries: Count, keys: Count
) -> Bool[Tensor, "_ _ _ _"]:
    """The mask in four axes, as it broadcasts to [batch, heads, queries, keys].

    Raises ValueError where the rules above forbid it.
    """
    full, axes = [batch, heads, queries, keys], list(mask.shape)
    axes = [axes[0], 1, *axes[1:]] if len(axes) == 3 else [1] * (4 - len(axes)) + axes
    if len(axes) > 4 or any(n not in (1, whole) for n, whole in zip(axes, full, strict=True)):
        raise ValueError(
            f"expected a mask that broadcasts to [queries, keys] = {full[2:]}, [batch, queries, keys] = "
            f"{[batch, queries, keys]} or [batch, heads, queries, keys] = {full}, got {list(mask.shape)}"
        )
    return mask.reshape(axes)


def _apart(queries: Count, keys: Count | None, start: Count | None) -> Int[Tensor, "queries keys"]:
    """Places of the keys minus those of the queries: the one place that says where queries stand."""
    if keys is None:
        keys = queries + (start or 0)
    elif start is None:
        start = keys - queries
        if start < 0:
            raise ValueError(
                f"expected as many keys as queries or more, since the queries are the last tokens, "
                f"got {queries} queries and {keys} keys; say with start where else the first one stands"
            )
    return distances(queries, keys, start or 0)


MASKS: dict[str, Callable[..., Tensor]] = Table({
    "everything": everything,
    "causal": causal,
    "window": window,
    "causal_window": causal_window,
    "prefix": prefix,
})
"""Name -> function `(queries, keys) -> mask`: the masks that follow from the sizes alone. All take `start`."""
