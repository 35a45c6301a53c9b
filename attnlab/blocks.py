"""What a Transformer needs around attention: a feed-forward network, norms, residual connections, and blocks of them.

Attention is the only place where vectors meet. Everything else here treats each vector alone (`BatchNorm` excepted:
that is the point of the comparison).
"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import gelu, relu, silu

from attnlab.checks import Count, Positive, Share, Size, checked
from attnlab.multihead import Cache, MultiHeadAttention
from attnlab.positions import Positions, check_width, precise
from attnlab.registry import Table, name_of

Norm = Callable[[int], nn.Module]
"""A factory: size of the vectors -> module that normalises them."""


# Feed-forward


@checked
def squared_relu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """max(0, x)^2 of finite numbers.

    **Source:** So et al. 2021, "Primer: Searching for Efficient Transformers for Language Modeling".
    """
    return relu(x) * x  # the same as relu(x) ** 2, and trained in a third of the time on a CPU


@checked
def tanh_gelu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """x Phi(x) with a tanh in place of the normal distribution function: at most 5e-4 from the exact one.

    GPT-2 was trained with it. **Source:** Hendrycks and Gimpel 2016, "Gaussian Error Linear Units", section 2.
    """
    return gelu(x, approximate="tanh")


@checked
class FeedForward(nn.Module):
    """activation(x W_1 + b_1) W_2 + b_2, for each vector alone.

    hidden: the size between the two maps, usually 4 x dim. activation: any function of single numbers, such as
    torch's `relu` and `gelu`, or `squared_relu`.

    **Source:** Vaswani et al. 2017, section 3.3, equation 2. **Names:** d_model -> dim, d_ff -> hidden,
    W_1, b_1 -> `expand`, W_2, b_2 -> `contract`.
    """

    def __init__(self, dim: Size, hidden: Size, activation: Callable[[Tensor], Tensor] = relu) -> None:
        super().__init__()
        self.expand = nn.Linear(dim, hidden)
        self.activation = activation
        self.contract = nn.Linear(hidden, dim)

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
        check_width(x, self.expand.in_features)
        return self.contract(self.activation(self.expand(x)))

    def extra_repr(self) -> str:
        return "" if isinstance(self.activation, nn.Module) else f"activation={name_of(self.activation)}"


@checked
class GatedFeedForward(FeedForward):
    """(activation(x W) * x V) W_2, for each vector alone: each number between the maps has a gate of its own.

    Without biases. With `silu`, the default, it is SwiGLU, as in LLaMA and most models since.

    **Source:** Shazeer 2020, "GLU Variants Improve Transformer", equation 6. **Names:** d_ff -> hidden, W -> `gate`,
    V -> `expand`, W_2 -> `contract`, Swish_1 -> silu.
    """

    def __init__(self, dim: Size, hidden: Size, activation: Callable[[Tensor], Tensor] = silu) -> None:
        super().__init__(dim, hidden, activation)
        self.expand, self.gate = (nn.Linear(dim, hidden, bias=False) for _ in range(2))
        self.contract = nn.Linear(hidden, dim, bias=False)

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
        check_width(x, self.expand.in_features)
        return self.contract(self.activation(self.gate(x)) * self.expand(x))


# Norms


@checked
class LayerNorm(nn.Module):
    """Each vector by itself: minus its mean, by its deviation, then a learned gain and shift for each coordinate.

    Equal to torch's `nn.LayerNorm`, which does the same in one kernel; the ready-made models use that one.
    epsilon keeps the division finite when all coordinates are equal; the lecture's slide leaves it out.

    **Source:** Ba, Kiros and Hinton 2016, "Layer Normalization", equations 3 and 4.
    **Names:** mu -> mean, sigma -> deviation, g or gamma -> `gain`, b or beta -> `shift`, H or D -> dim.
    """

    def __init__(self, dim: Size, epsilon: Positive = 1e-5) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self.epsilon = epsilon

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
        check_width(x, len(self.gain))
        exact = precise(x)
        mean = exact.mean(dim=-1, keepdim=True)
        deviation = ((exact - mean).square().mean(dim=-1, keepdim=True) + self.epsilon).sqrt()
        return ((exact - mean) / deviation * self.gain + self.shift).to(torch.result_type(x, self.gain))


@checked
class UnitRMS(nn.Module):
    """Each vector divided by the root of the mean of its squares. Nothing is learned."""

    def __init__(self, dim: Size, epsilon: Positive = 1e-6) -> None:
        super().__init__()
        self.dim = dim
        self.epsilon = epsilon

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
        check_width(x, self.dim)
        return self._unit(precise(x)).to(x.dtype)

    def _unit(self, x: Tensor) -> Tensor:
        return x * (x.square().mean(dim=-1, keepdim=True) + self.epsilon).rsqrt()


@checked
class RMSNorm(UnitRMS):
    """`UnitRMS`, then a learned gain for each coordinate. No mean is taken away and no shift is added.

    Equal to torch's `nn.RMSNorm(dim, eps=epsilon)`, whose own default is smaller.

    **Source:** Zhang and Sennrich 2019, "Root Mean Square Layer Normalization", equation 4. **Names:** g -> `gain`.
    """

    def __init__(self, dim: Size, epsilon: Positive = 1e-6) -> None:
        super().__init__(dim, epsilon)
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
        check_width(x, len(self.gain))
        return (self._unit(precise(x)) * self.gain).to(torch.result_type(x, self.gain))


@checked
class BatchNorm(nn.Module):
    """Each coordinate by itself: mean and deviation are taken over all vectors of the batch.

    Here for the comparison with `LayerNorm`. While training, what one vector becomes depends on all others:

    - vectors that only fill the batch up count like any other, so more padding changes every result;
    - the future counts too, so a causal mask no longer hides it;
    - a batch with one sequence is normalised by that sequence alone, and with one single vector the deviation is 0 and
      every vector would become the shift: that is a ValueError, as in torch.

    In evaluation the running averages of training are used, and each vector is treated alone.
    momentum: the share of a new batch in them.

    Equal to torch's `nn.BatchNorm1d`. **Source:** Ioffe and Szegedy 2015, "Batch Normalization", algorithm 1.
    **Names:** gamma -> `gain`, beta -> `shift`.
    """

    mean: Tensor
    variance: Tensor

    def __init__(self, dim: Size, epsilon: Positive = 1e-5, momentum: Share = 0.1) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("variance", torch.ones(dim))
        self.epsilon, self.momentum = epsilon, momentum

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
        check_width(x, len(self.gain))
        exact = precise(x)
        mean, variance = self._of(exact.reshape(-1, x.shape[-1])) if self.training else (self.mean, self.variance)
        normed = (exact - mean) / (precise(variance) + self.epsilon).sqrt()
        return (normed * self.gain + self.shift).to(torch.result_type(x, self.gain))

    def _of(self, vectors: Float[Tensor, "vectors dim"]) -> tuple[Float[Tensor, " dim"], Float[Tensor, " dim"]]:
        count = len(vectors)
        if count < 2:
            raise ValueError(f"a deviation over the batch needs at least 2 vectors while training, got {count}")
        mean, variance = vectors.mean(dim=0), vectors.var(dim=0, correction=0)
        with torch.no_grad():  # the average of variances is of unbiased ones
            for average, new in (self.mean, mean), (self.variance, variance * count / (count - 1)):
                average.copy_(precise(average).lerp(new, self.momentum))
        return mean, variance


@checked
def no_norm(dim: Size) -> nn.Module:
    """Leaves every vector as it is."""
    return nn.Identity()


NORMS: dict[str, Norm] = Table({
    "none": no_norm,
    "layer": LayerNorm,
    "rms": RMSNorm,
    "unit_rms": UnitRMS,
    "batch": BatchNorm,
})
"""Name -> factory `(dim) -> norm`."""


@checked
class NormedQueriesKeys(Positions):
    """Queries and keys of unit mean square, then whatever `positions` does: scores can no longer grow without bound.

    With scaled dot products no score is above the square root of the heads' size.

    **Source:** Henry et al. 2020, "Query-Key Normalization for Transformers"; without its learned factor
    and with the root mean square in place of the length.
    """

    def __init__(self, positions: Positions, head_dim: Size) -> None:
        super().__init__()
        self.positions = positions
        self.norm = UnitRMS(head_dim)

    def forward(self, x: Float[Tensor, "*batch tokens dim"], start: Count = 0) -> Float[Tensor, "*batch tokens dim"]:
        """See `Positions`."""
        return self.positions(x, start)

    def rotate(
        self, x: Float[Tensor, "*batch tokens head_dim"], start: Count = 0
    ) -> Float[Tensor, "*batch tokens head_dim"]:
        """See `Positions`."""
        return self.positions.rotate(self.norm(x), start)

    def bias(self, queries: Count, keys: Count, start: Count = 0) -> Float[Tensor, "heads queries keys"] | None:
        """See `Positions`."""
        return self.positions.bias(queries, keys, start)


# Residual connections: how a sublayer and its norm are put around the stream x


@checked
def post_norm(x: Tensor, sublayer: Callable[[Tensor], Tensor], norm: Callable[[Tensor], Tensor]) -> Tensor:
    """norm(x + sublayer(x)): the norm stands in the stream itself.

    **Source:** Vaswani et al. 2017, section 3.1: LayerNorm(x + Sublayer(x)).
    """
    return norm(x + sublayer(x))


@checked
def pre_norm(x: Tensor, sublayer: Callable[[Tensor], Tensor], norm: Callable[[Tensor], Tensor]) -> Tensor:
    """x + sublayer(norm(x)): from the last block to the first the stream is nothing but additions.

    **Source:** Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", table 1.
    """
    return x + sublayer(norm(x))


@checked
def bare(x: Tensor, sublayer: Callable[[Tensor], Tensor], norm: Callable[[Tensor], Tensor]) -> Tensor:
    """sublayer(norm(x)): `pre_norm` without the residual connection, to see what that one is for."""
    return sublayer(norm(x))


Residual = Callable[[Tensor, Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]], Tensor]

RESIDUALS: dict[str, Residual] = Table({
    "pre_norm": pre_norm,
    "post_norm": post_norm,
    "bare": bare,
})
"""Name -> function `(x, sublayer, norm) -> x`."""


# Blocks


@checked
class AttentionBlock(nn.Module):
    """Self-attention alone, with its norm and its residual connection: the smallest block in which vectors meet.

    attention: ready made. norm: a factory, such as the entries of `NORMS`. residual: `pre_norm`, `post_norm`, ...
    dropout: the share of a sublayer's output that is dropped before it joins the stream.

    **Source:** Vaswani et al. 2017, sections 3.1 and 5.4. **Names:** P_drop -> dropout.
    """

    def __init__(
        self,
        attention: MultiHeadAttention,
        norm: Norm = LayerNorm,
        residual: Residual = pre_norm,
        dropout: Share = 0.0,
    ) -> None:
        super().__init__()
        self.attention = attention
        self.attention_norm = norm(attention.output.out_features)
        self.residual = residual
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "batch tokens dim"], mask: Bool[Tensor, "..."] | None = None, cache: Cache | None = None
    ) -> Float[Tensor, "batch tokens dim"]:
        """mask, cache: as for `MultiHeadAttention`."""
        return self.around(x, lambda y: self.attention(y, mask=mask, cache=cache), self.attention_norm)

    def around(self, x: Tensor, sublayer: Callable[[Tensor], Tensor], norm: nn.Module) -> Tensor:
        """The sublayer with dropout, put into the stream as `residual` says."""
        return self.residual(x, lambda y: self.dropout(sublayer(y)), norm)

    def extra_repr(self) -> str:
        return f"residual={name_of(self.residual)}"


@checked
class EncoderBlock(AttentionBlock):
    """Self-attention, then a feed-forward network. Under a causal mask it is the block of a GPT.

    Parameters as for `AttentionBlock`. **Source:** Vaswani et al. 2017, section 3.1, encoder.
    """

    def __init__(
        self,
        attention: MultiHeadAttention,
        feed_forward: nn.Module,
        norm: Norm = LayerNorm,
        residual: Residual = pre_norm,
        dropout: Share = 0.0,
    ) -> None:
        super().__init__(attention, norm, residual, dropout)
        self.feed_forward = feed_forward
        self.feed_forward_norm = norm(attention.output.out_features)

    def forward(
        self, x: Float[Tensor, "batch tokens dim"], mask: Bool[Tensor, "..."] | None = None, cache: Cache | None = None
    ) -> Float[Tensor, "batch tokens dim"]:
        """mask, cache: as for `MultiHeadAttention`."""
        x = super().forward(x, mask, cache)
        return self.around(x, self.feed_forward, self.feed_forward_norm)


@checked
class DecoderBlock(AttentionBlock):
    """Self-attention, then cross-attention to the source, then a feed-forward network.

    Parameters as for `AttentionBlock`. **Source:** Vaswani et al. 2017, section 3.1, decoder.
    """

    def __init__(
        self,
        attention: MultiHeadAttention,
        cross_attention: MultiHeadAttention,
        feed_forward: nn.Module,
        norm: Norm = LayerNorm,
        residual: Residual = pre_norm,
        dropout: Share = 0.0,
    ) -> None:
        super().__init__(attention, norm, residual, dropout)
        self.cross_attention = cross_attention
        self.cross_attention_norm = norm(attention.output.out_features)
        self.feed_forward = feed_forward
        self.feed_forward_norm = norm(attention.output.out_features)

    def forward(  # type: ignore[override]  # it is called with a source, which the other blocks do not have
        self,
        x: Float[Tensor, "batch target dim"],
        memory: Float[Tensor, "batch source dim"],
        mask: Bool[Tensor, "..."] | None = None,
        memory_mask: Bool[Tensor, "..."] | None = None,
        caches: tuple[Cache, Cache] | None = None,
    ) -> Float[Tensor, "batch target dim"]:
        """memory: what the encoder made of the source. mask: who may look at whom in the target; memory_mask: in the
        source. caches: of the self-attention, which grows, and of the cross-attention, which the first call fills."""
        cache, known = (None, None) if caches is None else caches
        start = 0 if cache is None else cache.length  # where x begins in the target
        x = super().forward(x, mask, cache)
        new = memory if known is None else memory[:, known.length :]
        x = self.around(
            x,
            lambda y: self.cross_attention(y, new, mask=memory_mask, cache=known, start=start),
            self.cross_attention_norm,
        )
        return self.around(x, self.feed_forward, self.feed_forward_norm)


@checked
def into_stream(blocks: Sequence[EncoderBlock]) -> list[nn.Linear]:
    """The maps that write into the stream: the last ones of attention and feed-forward network, block by block.

    Raises ValueError for a block whose feed-forward network is no `FeedForward`.
    """
    maps = []
    for block in blocks:
        if not isinstance(block.feed_forward, FeedForward):
            raise ValueError(f"expected blocks with a FeedForward each, got a {type(block.feed_forward).__name__}")
        maps += [block.attention.output, block.feed_forward.contract]
    return maps


@checked
def start_at_zero(blocks: Sequence[EncoderBlock]) -> None:
    """Sets the maps that write into the stream to 0, biases too: with `pre_norm` a block begins as the identity.

    Raises ValueError as `into_stream` does.
    """
    for last in into_stream(blocks):
        for parameter in last.parameters():
            nn.init.zeros_(parameter)
