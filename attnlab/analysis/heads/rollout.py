"""Attention roll-out: which inputs each token has read from, through all layers, if attention were all that moves."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import checked


@checked
def with_identity(weights: Float[Tensor, "batch heads tokens tokens"]) -> Float[Tensor, "batch tokens tokens"]:
    """One layer as roll-out sees it: the mean of its heads, half of it; the other half is the residual connection.

    The stream is x + attention(x), so each token keeps itself: half an identity is added, and rows sum to 1 again.
    Raises ValueError for a layer without heads.

    **Source:** Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers", equation 1. **Names:** W_att ->
    weights, A -> what is returned.
    """
    if not weights.shape[1]:
        raise ValueError(f"expected at least one head, got weights {list(weights.shape)}")
    identity = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    return 0.5 * weights.mean(dim=1) + 0.5 * identity


@checked
def attention_rollout(
    weights: Sequence[Float[Tensor, "batch heads tokens tokens"]],
) -> Float[Tensor, "batch tokens tokens"]:
    """Row i: the share of each input in token i behind the last layer. Rows sum to 1 where those of `weights` do.

    weights: of each layer, the first one first; `[trace[name][0].weights for name in trace.names]`. The product of the
    layers, each `with_identity`: from a token through all ways down to an input, the shares along a way multiplied.
    Neither values nor feed-forward networks are looked at: it says where could have been read, not what it did.

    Measured on 300 held-out digits, with three seeds of the ViT that the text of `vit` describes: its rank correlation
    with `fall_of_logit` is 0.36 to 0.49 on average, with a deviation of 0.22 to 0.25 from digit to digit; without the
    identity -0.09 to 0.15. How much ink a patch holds says more, 0.53 to 0.64.

    Raises ValueError for no layers, and for layers that do not fit together.

    **Source:** Abnar and Zuidema 2020, section 3.1, equation 2. **Names:** A(l) -> `with_identity`, A-tilde -> what is
    returned.
    """
    check_layers(weights)
    rollout, *above = map(with_identity, weights)
    for layer in above:
        rollout = layer @ rollout
    return rollout


@checked
def check_layers(weights: Sequence[Float[Tensor, "batch heads tokens tokens"]]) -> None:
    """Raises ValueError unless there is a layer, and all are of one batch and as many queries as keys."""
    shapes = [list(layer.shape) for layer in weights]
    if not shapes or any(s[0] != shapes[0][0] or s[2:] != [shapes[0][2]] * 2 for s in shapes):
        raise ValueError(f"expected the weights of one layer or more, [batch, heads, tokens, tokens], got {shapes}")
