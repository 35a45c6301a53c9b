"""Many heads attend side by side, each in a slice of the width of its own."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from attnlab.alignment import scaled_dot
from attnlab.attention import Attention, attend
from attnlab.positions import NoPositions, Positions

Listener = Callable[[Attention], None]


class MultiHeadAttention(nn.Module):
    """Four linear maps and `attend` in every head: output(merge(softmax(q k / sqrt(head_dim)) v)).

    dim: the width of queries, keys, values and of the result; each of the `heads` works in dim / heads of it.
    positions: turns queries and keys or adds to the scores; its `forward` is for whoever makes the embeddings.

    With nothing listening, torch's fused kernel does the work and keeps no weights. While `record` listens, or
    `override` has given weights, `attend` does it and its `Attention` is [batch, heads, queries, keys]; both ways give
    the same result to 1e-5. Raises ValueError when `dim` cannot be divided by `heads`.

    **Source:** Vaswani et al. 2017, section 3.2.2. **Names:** W^Q, W^K, W^V, W^O -> `query`, `key`, `value`, `output`;
    d_model -> dim, h -> heads, d_k = d_v -> head_dim.
    """

    def __init__(self, dim: int, heads: int, positions: Positions | None = None):
        super().__init__()
        if heads < 1 or dim < 1 or dim % heads:
            raise ValueError(f"expected a dim that can be divided by the heads, got dim {dim} and {heads} heads")
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(dim, dim) for _ in range(4))
        self.positions = NoPositions() if positions is None else positions
        self.listeners: list[Listener] = []
        self.given: Tensor | None = None

    def forward(
        self,
        query: Float[Tensor, "batch queries dim"],
        key: Float[Tensor, "batch keys dim"] | None = None,
        value: Float[Tensor, "batch keys dim"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
        cache: "Cache | None" = None,
    ) -> Float[Tensor, "batch queries dim"]:
        """What each query finds. `key` is `query` unless given (self-attention), `value` is `key` unless given.

        mask: True = may attend; [queries, keys], [batch, queries, keys] for all heads, or [batch, heads, queries,
        keys], where any axis may be 1. A query with nothing to attend to finds 0, so that `output` gives its bias.
        cache: keys and values of earlier calls. Those of this call are added to it, the queries look at all of them
        (which `keys` of the mask then counts), and they stand at the places after the earlier ones. To look again at
        a cache that needs nothing new, as a decoder looks at its source, give `key` with no rows: `key[:, :0]`.
        """
        key = query if key is None else key
        value = key if value is None else value
        self._check(query, key, value)
        start = 0 if cache is None else cache.length
        query, key, value = self.project(query, key, value, start)
        if cache is not None:
            key, value = cache.extend(key, value)
        bias = self.positions.bias(query.shape[-2], key.shape[-2], start)
        mask = _with_heads(mask, query, key)
        look = self._watched if self.listeners or self.given is not None else _fused
        return self.output(self.merge(look(query, key, value, mask, bias)))

    def project(self, query: Tensor, key: Tensor, value: Tensor, start: int) -> tuple[Tensor, Tensor, Tensor]:
        """Each through its map, in heads; queries and keys turned by the positions from `start` on."""
        query, key, value = self.split(self.query(query)), self.split(self.key(key)), self.split(self.value(value))
        return self.positions.rotate(query, start), self.positions.rotate(key, start), value

    def split(self, x: Float[Tensor, "batch tokens dim"]) -> Float[Tensor, "batch heads tokens head_dim"]:
        """The width cut into heads: head h gets the numbers from h * head_dim on."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def merge(self, x: Float[Tensor, "batch heads tokens head_dim"]) -> Float[Tensor, "batch tokens dim"]:
        """The heads side by side again; undoes `split`."""
        return x.transpose(1, 2).flatten(-2)

    def _watched(self, query, key, value, mask, bias) -> Tensor:
        def score(query, key):
            return scaled_dot(query, key) if bias is None else scaled_dot(query, key) + bias

        attention = attend(query, key, value, score, mask)
        if self.given is not None:
            weights = _given(self.given, attention.weights)
            attention = Attention(weights @ value, weights, attention.scores)
        for hear in self.listeners:
            hear(attention)
        return attention.context

    def _check(self, query: Tensor, key: Tensor, value: Tensor):
        dim, got = self.query.in_features, [list(x.shape) for x in (query, key, value)]
        if any(x.ndim != 3 or x.shape[-1] != dim for x in (query, key, value)):
            raise ValueError(f"expected query, key and value of [batch, tokens, {dim}], got {got}")
        if not query.shape[0] == key.shape[0] == value.shape[0] or key.shape[1] != value.shape[1]:
            raise ValueError(f"expected one batch size and one value for every key, got {got}")

    def extra_repr(self) -> str:
        return f"dim={self.query.in_features}, heads={self.heads}"


class Cache:
    """Keys and values that one attention has seen so far: what was read once need not be read again.

    length: how many there are. It grows with every `extend`.
    """

    def __init__(self):
        self._seen: tuple[Tensor, Tensor] | None = None

    @property
    def length(self) -> int:
        return 0 if self._seen is None else self._seen[0].shape[-2]

    def extend(
        self,
        key: Float[Tensor, "batch heads new head_dim"],
        value: Float[Tensor, "batch heads new head_dim"],
    ) -> tuple[Float[Tensor, "batch heads keys head_dim"], Float[Tensor, "batch heads keys head_dim"]]:
        """Adds these to the earlier ones; returns all keys and all values."""
        if self._seen is not None:
            key, value = (torch.cat(pair, dim=-2) for pair in zip(self._seen, (key, value), strict=True))
        self._seen = key, value
        return self._seen

    def select(self, rows: Int[Tensor, " rows"]) -> "Cache":
        """A new cache with these rows of the batch, in this order; the same row may come twice."""
        chosen = Cache()
        if self._seen is not None:
            chosen._seen = tuple(part.index_select(0, rows) for part in self._seen)
        return chosen

    def __repr__(self) -> str:
        return f"Cache(length={self.length})"


def _fused(query, key, value, mask, bias) -> Tensor:
    if bias is not None:
        bias = bias.to(query.dtype)
        mask = bias if mask is None else bias.masked_fill(~mask, -torch.inf)
    return scaled_dot_product_attention(query, key, value, attn_mask=mask)


def _with_heads(mask: Tensor | None, query: Tensor, key: Tensor) -> Tensor | None:
    if mask is None:
        return None
    if mask.dtype != torch.bool:
        raise ValueError(f"expected a boolean mask (True = may attend), got {mask.dtype}")
    batch, heads, queries, _ = query.shape
    keys, got = key.shape[-2], list(mask.shape)
    mask = mask.unsqueeze(1) if mask.ndim == 3 else mask
    wanted = (batch, heads, queries, keys)
    if mask.ndim > 4 or any(n not in (1, m) for n, m in zip(mask.shape[::-1], wanted[::-1], strict=False)):
        raise ValueError(
            f"expected a mask that broadcasts to [queries, keys] = {[queries, keys]}, [batch, queries, keys] = "
            f"{[batch, queries, keys]} or [batch, heads, queries, keys] = {list(wanted)}, got {got}"
        )
    return mask.to(query.device)


def _given(given: Tensor, own: Tensor) -> Tensor:
    try:
        given = given.to(own).expand_as(own)
    except RuntimeError:
        raise ValueError(f"expected weights that broadcast to [batch, heads, queries, keys] = {list(own.shape)}, "
                         f"got {list(given.shape)}") from None
    return torch.where(given.isnan().any(dim=-1, keepdim=True), own, given)
