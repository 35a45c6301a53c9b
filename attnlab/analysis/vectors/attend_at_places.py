"""One head of self-attention over words that stand at given places, for any code of positions."""

from jaxtyping import Bool, Float
from torch import Tensor

from attnlab.alignment import scaled_dot
from attnlab.attention import Attention, attend
from attnlab.checks import checked
from attnlab.positions import Positions


@checked
def attend_at_places(
    positions: Positions,
    x: Float[Tensor, "tokens dim"],
    maps: Float[Tensor, "3 dim head_dim"],
    start: int = 0,
    mask: Bool[Tensor, "tokens tokens"] | None = None,
) -> Attention:
    """What the tokens find when the first of them stands at place `start`: the code of positions acts where it acts, on
    the tokens, on queries and keys, or on the scores. A bias is that of the first head.

    maps: W_q, W_k and W_v of this head. Context is [tokens, head_dim], weights and scores are [tokens, tokens].

    **Source:** the three places to act in are those of `attnlab.positions.Positions`; each code there names its own.
    """
    tokens = len(x)
    placed = positions(x, start)
    query, key, value = placed @ maps
    bias = positions.bias(tokens, start + tokens, start)

    def score(query: Tensor, key: Tensor) -> Tensor:
        scores = scaled_dot(query, key)
        return scores if bias is None else scores + bias[0, :, start:]

    return attend(positions.rotate(query, start), positions.rotate(key, start), value, score=score, mask=mask)
