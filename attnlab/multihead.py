"""Many heads attend side by side, each in a slice of the width of its own."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import dropout, scaled_dot_product_attention

from attnlab.alignment import Score, scaled_dot
from attnlab.attention import Attention, attend, masked_softmax, replaced
from attnlab.checks import Count, Share, checked
from attnlab.masks import with_heads
from attnlab.positions import NoPositions, Positions, width_of_head


class Heads(NamedTuple):
    """What the heads of one call compared, and what they found.

    query, key, value: as they enter the score: turned by the positions, with the keys and values of the cache.
    mask: True = may attend; None where every query may attend to every key.
    """

    query: Float[Tensor, "batch heads queries head_dim"]
    key: Float[Tensor, "batch heads keys head_dim"]
    value: Float[Tensor, "batch heads keys head_dim"]
    attention: Attention
    mask: Bool[Tensor, "#batch #heads #queries #keys"] | None


Listener = Callable[[Heads], None]


@checked
class MultiHeadAttention(nn.Module):
    """Four linear maps and `attend` in every head: output(merge(softmax(q k / sqrt(head_dim)) v)).

    dim: the width of queries, keys, values and of the result; each of the `heads` works in dim / heads of it.
    positions: turns queries and keys or adds to the scores; its `forward` is for whoever makes the embeddings.
    dropout: the share of the weights that is dropped in training, as in GPT-2; what is left sums to 1 on average.

    With nothing listening, torch's fused kernel does the work and keeps no weights. While `record` listens, or
    `override` has given weights, `attend` does it and its `Attention` is [batch, heads, queries, keys]; both ways give
    the same result to 1e-5. Each of the `listeners` is told the `Heads` of every call.
    Raises ValueError when `dim` cannot be divided by `heads`.

    **Source:** Vaswani et al. 2017, section 3.2.2. **Names:** W^Q, W^K, W^V, W^O -> `query`, `key`, `value`, `output`;
    d_model -> dim, h -> heads, d_k = d_v -> head_dim.
    """

    def __init__(self, dim: int, heads: int, positions: Positions | None = None, dropout: Share = 0.0) -> None:
        super().__init__()
        width_of_head(dim, heads)  # raises where the heads do not divide the width
        self.heads = heads
        self.dropout = dropout
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
        start: Count | None = None,
    ) -> Float[Tensor, "batch queries dim"]:
        """What each query finds. `key` is `query` unless given (self-attention), `value` is `key` unless given.

        mask: True = may attend; [queries, keys], [batch, queries, keys] for all heads, or [batch, heads, queries,
        keys], where any axis may be 1. A query with nothing to attend to finds 0, so that `output` gives its bias.
        cache: keys and values of earlier calls. Those of this call are added to it, the queries look at all of them
        (which `keys` of the mask then counts), and they stand at the places after the earlier ones. To look again at
        a cache that needs nothing new, as a decoder looks at its source, give `key` with no rows: `key[:, :0]`.
        start: the place of the first query, where that is not the place of the first new key: a decoder's queries
        stand in the target, the keys of its source in the source.
        """
        key = query if key is None else key
        value = key if value is None else value
        known = 0 if cache is None else cache.length
        start = known if start is None else start
        mask = self._check(query, key, value, mask, known)
        query, key, value = self.project(query, key, value, start, known)
        if cache is not None:
            key, value = cache.extend(key, value)
        bias = self.positions.bias(query.shape[-2], key.shape[-2], start)
        if bias is not None and len(bias) != self.heads:
            raise ValueError(f"expected positions made for {self.heads} heads, got a bias for {len(bias)}")
        watched = self.listeners or self.given is not None
        context = (self._watched if watched else self._fused)(query, key, value, mask, bias)
        return self.output(self.merge(context))

    def project(
        self,
        query: Float[Tensor, "batch queries dim"],
        key: Float[Tensor, "batch keys dim"],
        value: Float[Tensor, "batch keys dim"],
        start: Count = 0,
        key_start: Count = 0,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Each through its map, in heads; queries turned by the positions from `start` on, keys from `key_start` on."""
        query, key, value = self.split(self.query(query)), self.split(self.key(key)), self.split(self.value(value))
        return self.positions.rotate(query, start), self.positions.rotate(key, key_start), value

    def split(self, x: Float[Tensor, "batch tokens dim"]) -> Float[Tensor, "batch heads tokens head_dim"]:
        """The width cut into heads: head h gets the numbers from h * head_dim on."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def merge(self, x: Float[Tensor, "batch heads tokens head_dim"]) -> Float[Tensor, "batch tokens dim"]:
        """The heads side by side again; undoes `split`."""
        return x.transpose(1, 2).flatten(-2)

    def _watched(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, bias: Tensor | None) -> Tensor:
        score: Score = scaled_dot if bias is None else partial(_biased_dot, bias)
        attention = attend(query, key, value, score, mask, weigh=self._weigh)
        for hear in self.listeners:
            hear(Heads(query, key, value, attention, mask))
        return attention.context

    def _fused(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, bias: Tensor | None) -> Tensor:
        # The kernel gives 0, not NaN, for rows that are False or -inf throughout.
        if bias is not None:
            mask = bias if mask is None else bias.masked_fill(~mask, -torch.inf)
        dropped = self.dropout if self.training else 0.0
        return scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropped)

    def _weigh(self, scores: Tensor, allowed: Tensor) -> Tensor:
        own = dropout(masked_softmax(scores, allowed), self.dropout, self.training)
        return own if self.given is None else replaced(own, self.given)

    def _check(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, known: int) -> Tensor | None:
        """Raises ValueError for what does not fit; returns the mask with an axis for the heads."""
        dim, (q, k, v) = self.query.in_features, (query.shape, key.shape, value.shape)
        if not (len(q) == len(k) == len(v) == 3 and q[2] == k[2] == v[2] == dim):
            raise ValueError(
                f"expected query, key and value of [batch, tokens, {dim}], got {list(q)}, {list(k)}, {list(v)}"
            )
        if not (q[0] == k[0] == v[0] and k[1] == v[1]):
            raise ValueError(
                f"expected one batch size and one value for every key, got {list(q)}, {list(k)}, {list(v)}"
            )
        if mask is None:
            return None
        return with_heads(mask, q[0], self.heads, q[1], known + k[1]).to(query.device)

    def extra_repr(self) -> str:
        return f"dim={self.query.in_features}, heads={self.heads}"


@checked
class Cache:
    """Keys and values that one attention has seen so far: what was read once need not be read again.

    length: how many there are. It grows with every `extend`. A `copy` goes on by itself: what one of the two is
    extended by, the other never sees.
    """

    def __init__(self) -> None:
        self.length = 0
        self._kept: tuple[_Rows, _Rows] | None = None  # keys and values

    def extend(
        self,
        key: Float[Tensor, "batch heads new head_dim"],
        value: Float[Tensor, "batch heads new value_dim"],
    ) -> tuple[Float[Tensor, "batch heads keys head_dim"], Float[Tensor, "batch heads keys value_dim"]]:
        """Adds these to the earlier ones; returns all keys and all values.

        Raises ValueError when they differ from the earlier ones in more than their number, be it in dtype.
        """
        keys, values = self._kept or (_Rows(key[:, :, :0]), _Rows(value[:, :, :0]))
        keys, values = _append(keys, self.length, key), _append(values, self.length, value)
        self._kept = keys, values
        self.length += key.shape[-2]
        return keys.tensor[:, :, : self.length], values.tensor[:, :, : self.length]

    def select(self, rows: Int[Tensor, " rows"]) -> "Cache":
        """A new cache with these rows of the batch, in this order; the same row may come twice."""
        chosen = Cache()
        if self._kept is not None:
            keys, values = (_Rows(kept.tensor.index_select(0, rows), self.length) for kept in self._kept)
            chosen.length, chosen._kept = self.length, (keys, values)
        return chosen

    def __repr__(self) -> str:
        return f"Cache(length={self.length})"


class _Rows:
    """Rows [batch, heads, rows, dim] with room for more behind the `used` ones. Copies of a cache share them."""

    def __init__(self, tensor: Tensor, used: int = 0) -> None:
        self.tensor = tensor
        self.used = used


def _append(kept: _Rows, length: int, new: Tensor) -> _Rows:
    """`kept` with `new` behind its first `length` rows, in place where there is room that nobody else has used."""
    shape = kept.tensor.shape
    if [*shape[:2], shape[3]] != [*new.shape[:2], new.shape[3]]:
        raise ValueError(
            f"expected keys and values as in the cache, [{shape[0]}, {shape[1]}, new, {shape[3]}], "
            f"got {list(new.shape)}"
        )
    if kept.tensor.dtype != new.dtype:
        raise ValueError(f"expected keys and values as in the cache, {kept.tensor.dtype}, got {new.dtype}")
    end = length + new.shape[2]
    if torch.is_grad_enabled():  # a gradient may still need the rows that are there, be it that of a query
        return _Rows(torch.cat([kept.tensor[:, :, :length], new], dim=2), end)
    fixed = kept.tensor.is_inference() and not torch.is_inference_mode_enabled()  # may not be written to any more
    if fixed or end > shape[2] or kept.used > length:  # twice the room: each row is copied about once in many steps
        room = new.new_empty(*shape[:2], 2 * end, shape[3])
        room[:, :, :length] = kept.tensor[:, :, :length]
        kept = _Rows(room)
    kept.tensor[:, :, length:end] = new
    kept.used = end
    return kept


def _biased_dot(bias: Tensor, query: Tensor, key: Tensor) -> Tensor:
    return scaled_dot(query, key) + bias
