"""How a set learns its order: what tells attention where a token stands.

A position code may act in three places, and each kind of code uses one of them: on the embeddings before the first
block (`forward`), on queries and keys inside every attention (`rotate`), or on the scores (`bias`). `POSITIONS` names
them all. `start` is the place of the first token, counted from 0: above 0 when the earlier ones lie in a cache.
"""

from collections.abc import Callable
from math import log

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import one_hot

from attnlab.checks import Count, NotNegative, Positive, Size, checked
from attnlab.registry import Table

LONGEST = 512
"""The length that codes with a table are made for, unless another is given."""

BASE = 10_000.0
"""Of the frequencies, as in the papers."""


@checked
class Positions(nn.Module):
    """No positions at all, and the base of those below: each overrides one of the three methods."""

    def forward(self, x: Float[Tensor, "*batch tokens dim"], start: Count = 0) -> Float[Tensor, "*batch tokens dim"]:
        """The embeddings with their places told. Here: as they are."""
        return x

    def rotate(
        self, x: Float[Tensor, "*batch tokens head_dim"], start: Count = 0
    ) -> Float[Tensor, "*batch tokens head_dim"]:
        """Queries or keys of each head, turned by their places. Here: as they are."""
        return x

    def bias(self, queries: Count, keys: Count, start: Count = 0) -> Float[Tensor, "heads queries keys"] | None:
        """What is added to the scores of query `start + i` with key j. Here: nothing, None."""
        return None


class NoPositions(Positions):
    """Nothing tells the places: every order of the keys gives the same context.

    Under a causal mask a query can still count the keys that it sees.

    **Source:** Haviv et al. 2022, "Transformer Language Models without Positional Encodings Still Learn Positional
    Information".
    """


@checked
class OneHot(Positions):
    """The place as a one-hot vector, appended to the embedding; one linear map takes both back to `dim`.

    Since W [x; p] = W^I x + W^P p, appending a place and mapping is the same as mapping and adding a vector of the
    place's own: column t of W^P. The map starts with W^I near the scale of x and with numbers of standard deviation
    `scale` in W^P, so that neither drowns the other; see `Learned`.

    Raises ValueError for more than `longest` tokens.

    **Source:** Hung-yi Lee 2019, "Transformer", positional encoding. **Names:** x^i -> x, p^i -> the one-hot vector,
    W^I -> `inputs`, W^P -> `places`.
    """

    def __init__(self, dim: Size, longest: Size = LONGEST, scale: NotNegative = 1.0) -> None:
        super().__init__()
        self.longest = longest
        self.mix = nn.Linear(dim + longest, dim, bias=False)
        nn.init.normal_(self.inputs.data, std=dim**-0.5)
        nn.init.normal_(self.places.data, std=scale)

    @property
    def inputs(self) -> Float[Tensor, "dim dim"]:
        """W^I: what the map does with the embedding."""
        return self.mix.weight[:, : -self.longest]

    @property
    def places(self) -> Float[Tensor, "dim longest"]:
        """W^P: one column for every place."""
        return self.mix.weight[:, -self.longest :]

    def forward(self, x: Float[Tensor, "*batch tokens dim"], start: Count = 0) -> Float[Tensor, "*batch tokens dim"]:
        """mix([x; p])."""
        tokens = x.shape[-2]
        _check_length(start + tokens, self.longest)
        places = one_hot(torch.arange(start, start + tokens, device=x.device), self.longest).to(x.dtype)
        return self.mix(torch.cat([x, places.expand(*x.shape[:-1], -1)], dim=-1))


@checked
class Learned(Positions):
    """A learned vector for every place, added to the embedding.

    scale: the standard deviation that the vectors start with. Give it that of the token embeddings, which for
    `nn.Embedding` is 1: places of 0.02 beside tokens of 1 are drowned, and what needs places is not learned.

    Raises ValueError for more than `longest` tokens: nothing was learned for those places.

    **Source:** Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", section 3.1.
    **Names:** p -> `table`, w -> x.
    """

    def __init__(self, dim: Size, longest: Size = LONGEST, scale: NotNegative = 1.0) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(longest, dim) * scale)

    def forward(self, x: Float[Tensor, "*batch tokens dim"], start: Count = 0) -> Float[Tensor, "*batch tokens dim"]:
        """x + the rows of the table from `start` on."""
        end = start + x.shape[-2]
        _check_length(end, len(self.table))
        check_width(x, self.table.shape[-1])
        return x + self.table[start:end]


@checked
def sinusoidal(
    tokens: Count, dim: int, dtype: torch.dtype = torch.float32, base: Positive = BASE
) -> Float[Tensor, "tokens dim"]:
    """Waves of dim / 2 frequencies: row t holds sin(t f), cos(t f) for f = 1 down to nearly 1 / base per token.

    They are computed in double precision and rounded once, to `dtype`.

    Raises ValueError for an odd `dim`: each sine needs its cosine, or `shift` would not exist.

    **Source:** Vaswani et al. 2017, section 3.5.
    **Names:** pos -> t, the row; 2i and 2i + 1 -> columns; d_model -> dim.
    """
    angles = torch.arange(tokens, dtype=torch.float64).unsqueeze(-1) * frequencies(dim, base)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).to(dtype)


@checked
def shift(k: int, dim: int) -> Float[Tensor, "dim dim"]:
    """The matrix that takes the code of any place to that of the place k later: P(t + k) = P(t) @ shift(k, dim).

    It turns each pair (sin, cos) by the angle k f, whatever t is. Raises ValueError for an odd `dim`.

    **Source:** Vaswani et al. 2017, section 3.5: "for any fixed offset k, PE_{pos+k} can be represented as a linear
    function of PE_{pos}".
    """
    angles = k * frequencies(dim)
    sin, cos = angles.sin(), angles.cos()
    turns = torch.stack([torch.stack([cos, -sin], dim=-1), torch.stack([sin, cos], dim=-1)], dim=-2)
    return torch.block_diag(*turns).float()


@checked
def frequencies(dim: int, base: Positive = BASE) -> Float[Tensor, " half"]:
    """f_i = base^(-2i / dim), i from 0 to dim / 2 - 1, in radians per token. Raises ValueError for an odd `dim`."""
    if dim < 2 or dim % 2:
        raise ValueError(f"expected an even dim, one sine and one cosine for each frequency, got {dim}")
    return float(base) ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)


@checked
class Waves(nn.Module):
    """Rows of `sinusoidal`, made once for `longest` places, and again for more, another dtype or another device."""

    def __init__(self, dim: int, longest: Size, base: Positive = BASE) -> None:
        super().__init__()
        self.base = base
        # No buffer: a model that is made double would keep rounded numbers.
        self.table = sinusoidal(longest, dim, base=base)

    def forward(self, start: Count, tokens: Count, like: Tensor) -> Float[Tensor, "tokens dim"]:
        """The rows of places from `start` on, in the dtype of `like` and on its device."""
        longest, dim = self.table.shape
        end = start + tokens
        if end > longest or (self.table.dtype, self.table.device) != (like.dtype, like.device):
            longest = 2 * end if end > longest else longest
            self.table = sinusoidal(longest, dim, like.dtype, self.base).to(like.device)
        return self.table[start:end]


@checked
class Sinusoidal(Positions):
    """`sinusoidal` added to the embedding; goes on for any length, and learns nothing.

    scale: what the waves are multiplied with. At 1 they have the size of embeddings of standard deviation 1.

    **Source:** Vaswani et al. 2017, section 3.5.
    """

    def __init__(self, dim: Size, longest: Size = LONGEST, scale: NotNegative = 1.0) -> None:
        super().__init__()
        self.waves, self.scale = Waves(dim, longest), scale

    def forward(self, x: Float[Tensor, "*batch tokens dim"], start: Count = 0) -> Float[Tensor, "*batch tokens dim"]:
        """x + scale * P(t)."""
        check_width(x, self.waves.table.shape[-1])
        return x + self.scale * self.waves(start, x.shape[-2], x)


@checked
class Rotary(Positions):
    """Each pair of numbers of a query or key is a point in the plane, turned by an angle that grows with its place.

    The product of a query at i and a key at j then depends on the two and on i - j alone. The frequencies are those
    of `sinusoidal`, from the fastest pair to the slowest: the larger the base, the slower that one. Raises ValueError
    for an odd `head_dim`.

    **Source:** Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", equation 34.
    **Names:** m -> place, theta_i -> `frequencies`, d -> head_dim; rope_theta of configurations -> base.
    """

    def __init__(self, head_dim: int, longest: Size = LONGEST, base: Positive = BASE) -> None:
        super().__init__()
        self.waves = Waves(head_dim, longest, base)

    def rotate(
        self, x: Float[Tensor, "*batch tokens head_dim"], start: Count = 0
    ) -> Float[Tensor, "*batch tokens head_dim"]:
        """(a, b) -> (a cos - b sin, a sin + b cos), as the product of complex numbers (a + ib)(cos + i sin)."""
        check_width(x, self.waves.table.shape[-1])
        exact = precise(x)  # no complex numbers of half precision
        sin, cos = self.waves(start, x.shape[-2], exact).unflatten(-1, (-1, 2)).unbind(-1)
        points = torch.view_as_complex(exact.unflatten(-1, (-1, 2)).clone(memory_format=torch.contiguous_format))
        return torch.view_as_real(points * torch.complex(cos, sin)).flatten(-2).to(x.dtype)


@checked
class ALiBi(Positions):
    """Each head lowers a score by its slope times the distance: far keys count less, in some heads much less.

    Nothing is learned. Without a causal mask the distance is taken both ways, so that left and right look the same.

    **Source:** Press, Smith and Lewis 2022, "Train Short, Test Long: Attention with Linear Biases Enables Input Length
    Extrapolation", section 3. **Names:** m -> `slopes`.
    """

    slopes: Tensor

    def __init__(self, heads: Size) -> None:
        super().__init__()
        self.register_buffer("slopes", slopes(heads), persistent=False)

    def _apply(self, fn: Callable, recurse: bool = True) -> "ALiBi":
        """Moved, and made anew where they are: `to_empty` brings room without numbers."""
        super()._apply(fn, recurse)
        self.slopes = slopes(len(self.slopes)).to(self.slopes)
        return self

    def bias(self, queries: Count, keys: Count, start: Count = 0) -> Float[Tensor, "heads queries keys"]:
        """-slope * |distance|."""
        return -self.slopes.view(-1, 1, 1) * distances(queries, keys, start, self.slopes.device).abs()


@checked
def precise(x: Tensor) -> Float[Tensor, "..."]:
    """In float32 at least: half precision squares 256 to infinity, and bfloat16 counts no further than it."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


@checked
def slopes(heads: Size) -> Float[Tensor, " heads"]:
    """1/2, 1/4 ... 1/256 for 8 heads: a geometric sequence from 2^(-8 / heads) down to 2^-8.

    Where `heads` is not a power of two n, those of n are followed by every other one of 2 n, as in the authors' code.
    """
    power = 2 ** (heads.bit_length() - 1)  # the largest power of two up to `heads`
    exact = 2.0 ** (-8 / power * torch.arange(1, power + 1))
    between = 2.0 ** (-4 / power * torch.arange(1, 2 * power, 2))
    return torch.cat([exact, between])[:heads]


Bucket = Callable[[Tensor, int, int], Tensor]
"""`(distances, buckets, farthest) -> the number of the bucket of each distance`."""


@checked
def both_ways(distance: Int[Tensor, "..."], buckets: int, farthest: int) -> Int[Tensor, "..."]:
    """Half of the buckets for the keys up to the query, the other half for those that follow."""
    _check_buckets(buckets, farthest)
    half = buckets // 2
    return _one_way(distance.abs(), half, farthest) + half * (distance > 0)


@checked
def backwards(distance: Int[Tensor, "..."], buckets: int, farthest: int) -> Int[Tensor, "..."]:
    """All buckets for the keys up to the query: for use under a causal mask. Those that follow fall in bucket 0."""
    _check_buckets(buckets, farthest)
    return _one_way((-distance).clamp(min=0), buckets, farthest)


def _one_way(distance: Tensor, buckets: int, farthest: int) -> Tensor:
    # The near half of the buckets holds one distance each; in the far half each is wider than the one before.
    near = buckets // 2
    share = (distance.clamp(min=1).float() / near).log() / log(farthest / near)
    far = (near + (share * (buckets - near)).long()).clamp(max=buckets - 1)
    return torch.where(distance < near, distance, far)


@checked
class RelativeBias(Positions):
    """A learned number for every head and every distance, added to the score; far distances share theirs in buckets.

    bucket: a function `(distances, buckets, farthest) -> which bucket`, such as `both_ways` or `backwards`.
    farthest: from this distance on all keys fall in the last bucket. The numbers start at 0: no distance is preferred.

    **Source:** Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
    Transformer", section 2.1. The buckets are those of the authors' code. They share one table among all layers: give
    every attention the same object for that. They do not divide the product by sqrt(head_dim); ours does.
    """

    def __init__(self, heads: Size, buckets: int = 32, farthest: int = 128, bucket: Bucket = both_ways) -> None:
        super().__init__()
        _check_buckets(buckets, farthest)
        self.bucket, self.farthest = bucket, farthest
        self.table = nn.Parameter(torch.zeros(heads, buckets))

    def bias(self, queries: Count, keys: Count, start: Count = 0) -> Float[Tensor, "heads queries keys"]:
        """The number of each distance's bucket."""
        apart = distances(queries, keys, start, self.table.device)
        return self.table[:, self.bucket(apart, self.table.shape[-1], self.farthest)]


@checked
def distances(
    queries: Count, keys: Count, start: Count = 0, device: torch.device | None = None
) -> Int[Tensor, "queries keys"]:
    """Place of the key minus place of the query: negative for keys before it. Query i stands at `start + i`."""
    return torch.arange(keys, device=device) - torch.arange(start, start + queries, device=device).unsqueeze(-1)


@checked
def width_of_head(dim: int, heads: int) -> int:
    """dim / heads: the width in which each head works. Raises ValueError unless it comes out even."""
    if heads < 1 or dim < 1 or dim % heads:
        raise ValueError(f"expected a dim that can be divided by the heads, got dim {dim} and {heads} heads")
    return dim // heads


@checked
def check_width(x: Tensor, dim: Size) -> None:
    """Raises ValueError unless the last axis is `dim` wide: torch would stretch an axis of width 1 and say nothing."""
    if not x.ndim or x.shape[-1] != dim:
        raise ValueError(f"expected vectors of width {dim}, got shape {list(x.shape)}")


def _check_buckets(buckets: int, farthest: int) -> None:
    if buckets < 4 or buckets % 4 or farthest <= buckets // 2:
        raise ValueError(
            f"expected buckets that are a multiple of 4 and a farthest distance above half of them, "
            f"got {buckets} buckets and farthest {farthest}"
        )


def _check_length(length: int, longest: int) -> None:
    if length > longest:
        raise ValueError(f"expected at most {longest} tokens, for which there are positions, got {length}")


POSITIONS: dict[str, Callable[[int, int, int], Positions]] = Table({
    "none": lambda dim, heads, longest: NoPositions(),
    "one_hot": lambda dim, heads, longest: OneHot(dim, longest),
    "learned": lambda dim, heads, longest: Learned(dim, longest),
    "sinusoidal": lambda dim, heads, longest: Sinusoidal(dim, longest),
    "relative": lambda dim, heads, longest: RelativeBias(heads),
    "alibi": lambda dim, heads, longest: ALiBi(heads),
    "rotary": lambda dim, heads, longest: Rotary(width_of_head(dim, heads), longest),
})
"""Name -> factory `(dim, heads, longest) -> Positions`; `longest` is how many tokens there will be at most."""
