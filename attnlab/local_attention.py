"""Local attention: each query looks at a window of keys only. Where the window lies is given, or is learned.

    attend(query, key, value, score, mask, weigh=local_m(radius))

    centre = Centre(query_dim, dim)
    attend(query, key, value, score, mask, weigh=local_p(centre(query, lengths), radius))

Places of keys are counted from 0.
"""

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attnlab.attention import Weigh, masked_softmax
from attnlab.checks import Count, Positive, Size, checked
from attnlab.positions import precise


@checked
def local_m(radius: Count, start: Count = 0) -> Weigh:
    """A `weigh` for `attend`: the softmax over the keys at most `radius` places from the query's own place.

    Query i stands at place start + i; a decoder that writes one token at a time gives its step as `start`. The window
    has 2 radius + 1 keys, fewer at the ends; none of them allowed means weights 0. It is the monotonic alignment: good
    where source and target run side by side.

    **Source:** Luong, Pham and Manning 2015, "Effective Approaches to Attention-based Neural Machine Translation",
    section 3.2 (local-m). **Names:** D -> radius, p_t = t -> start + i.
    """

    def weigh(
        scores: Float[Tensor, "*batch queries keys"], allowed: Bool[Tensor, "*batch queries keys"]
    ) -> Float[Tensor, "*batch queries keys"]:
        centres = torch.arange(start, start + scores.shape[-2], device=scores.device)
        return masked_softmax(scores, allowed & (_distances(centres, scores).abs() <= radius))

    return weigh


@checked
def local_p(centres: Float[Tensor, "*batch queries"], radius: Positive) -> Weigh:
    """A `weigh` for `attend`: the softmax over the keys at most `radius` places from the query's centre, each weight
    times a Gaussian around it, exp(-distance^2 / (2 sigma^2)) with sigma = radius / 2.

    centres: [..., queries], real numbers, counted in keys: see `Centre`. Only the Gaussian carries a gradient to them,
    and only from keys in the window: a key that was wanted farther away cannot call the centre.
    As in the paper the weights are **not** made to sum to 1 again: the sum of a row is at most 1, and smaller the
    farther its centre lies from the keys that the softmax prefers.

    Raises ValueError, once scores are there, for centres that do not fit them.

    **Source:** Luong, Pham and Manning 2015, section 3.2 (local-p), equation 10.
    **Names:** p_t -> centres, D -> radius, s -> the place of a key, align -> the softmax.
    """

    def weigh(
        scores: Float[Tensor, "*batch queries keys"], allowed: Bool[Tensor, "*batch queries keys"]
    ) -> Float[Tensor, "*batch queries keys"]:
        _check_centres(centres, scores)
        distances = _distances(centres, scores)
        sigma = radius / 2
        gaussian = torch.exp(-(distances / sigma).square() / 2)
        return masked_softmax(scores, allowed & (distances.abs() <= radius)) * gaussian.to(scores.dtype)

    return weigh


@checked
class Centre(nn.Module):
    """length sigmoid(v . tanh(W query)): where in the source a query looks, from 0 to the source's length.

    **Source:** Luong, Pham and Manning 2015, section 3.2, equation 9. **Names:** h_t -> query, W_p -> `hidden`,
    v_p -> `combine`, S -> length, p_t -> what is returned.
    """

    def __init__(self, query_dim: Size, dim: Size) -> None:
        super().__init__()
        self.hidden = nn.Linear(query_dim, dim, bias=False)
        self.combine = nn.Linear(dim, 1, bias=False)

    def forward(
        self, query: Float[Tensor, "*batch queries query_dim"], lengths: int | Int[Tensor, "*#batch"]
    ) -> Float[Tensor, "*batch queries"]:
        """Centres of all queries, in keys. lengths: how many keys each sequence has, padding left out; or one number.

        Raises ValueError for queries of a size this centre was not made for, and for lengths below 0.
        """
        if query.shape[-1] != self.hidden.in_features:
            raise ValueError(
                f"this centre was made for queries of size {self.hidden.in_features}, got {query.shape[-1]}"
            )
        lengths = torch.as_tensor(lengths, device=query.device).unsqueeze(-1)
        if bool((lengths < 0).any()):
            raise ValueError(f"expected lengths of 0 or more, got {lengths.squeeze(-1).tolist()}")
        return lengths * torch.sigmoid(self.combine(torch.tanh(self.hidden(query)))).squeeze(-1)


def _distances(centres: Tensor, scores: Tensor) -> Tensor:
    """Place of each key minus its query's centre: [..., queries, keys]; in float32 at least, since bfloat16 holds whole
    numbers up to 256 alone."""
    return torch.arange(scores.shape[-1], device=scores.device) - precise(centres).unsqueeze(-1)


def _check_centres(centres: Tensor, scores: Tensor) -> None:
    try:
        fits = np.broadcast_shapes(centres.shape, scores.shape[:-1]) == scores.shape[:-1]
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"expected centres that broadcast to [..., queries] = {list(scores.shape[:-1])}, got {list(centres.shape)}"
        )
