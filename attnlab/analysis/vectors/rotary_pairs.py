"""One query and one key along a text: how rotary positions turn them, and what each code of positions makes of the
score."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.alignment import scaled_dot
from attnlab.checks import Count, Size, checked
from attnlab.positions import Positions, Rotary


class RotaryPairs(NamedTuple):
    """query, key: [pairs, 2], the points that each pair of their numbers is, after the turn. angle: [pairs], from the
    key to the query, in degrees from -180 to 180. product: [pairs], what each adds to the product q · k."""

    query: Float[Tensor, "pairs 2"]
    key: Float[Tensor, "pairs 2"]
    angle: Float[Tensor, " pairs"]
    product: Float[Tensor, " pairs"]


@checked
def rotary_pairs(
    query: Float[Tensor, " head_dim"], key: Float[Tensor, " head_dim"], query_place: Count, key_place: Count
) -> RotaryPairs:
    """A query and a key that stand at these places, pair by pair, the fastest first.

    The angle of a pair is that of the two unturned points plus (query_place - key_place) times its frequency, so it is
    the same wherever the two stand so far apart. Of a pair that is zero the angle is 0.
    Raises ValueError for an odd `head_dim`, and for a query and a key of different widths.

    **Source:** Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", equations 11 and 16.
    """
    if len(query) != len(key):
        raise ValueError(f"expected query and key of one width, got {len(query)} and {len(key)}")
    rotary = Rotary(len(query))
    asks, answers = (
        rotary.rotate(x.unsqueeze(0), place).view(-1, 2) for x, place in ((query, query_place), (key, key_place))
    )
    (a, b), (c, d) = asks.unbind(dim=1), answers.unbind(dim=1)
    product = a * c + b * d
    return RotaryPairs(asks, answers, torch.atan2(b * c - a * d, product).rad2deg(), product)


@checked
def scores_by_place(
    positions: Positions, query: Float[Tensor, " head_dim"], key: Float[Tensor, " head_dim"], at: Count, places: Size
) -> Float[Tensor, " places"]:
    """The scores of a query that stands at place `at` with one and the same key at each of the places 0 to
    `places` - 1: what the places alone make of a score. A bias is that of the first head.

    **Source:** the places to act in are those of `attnlab.positions.Positions`; each code there names its own.
    """
    asks, answers = positions.rotate(query.unsqueeze(0), at), positions.rotate(key.expand(places, -1))
    scores = scaled_dot(asks, answers)
    bias = positions.bias(1, places, at)
    return (scores if bias is None else scores + bias[0]).squeeze(0)
