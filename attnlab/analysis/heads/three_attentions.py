"""The three attentions of an encoder-decoder: source asks source, target asks target, target asks source."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.checks import checked
from attnlab.trace import Trace, record
from attnlab.transformer import Transformer


class ThreeAttentions(NamedTuple):
    """Every weight of one translation. Rows are queries and sum to 1, columns are keys.

    encoder: source asks source. decoder: target asks target, from BOS on. cross: target asks source.
    """

    encoder: Float[Tensor, "layers heads source source"]
    decoder: Float[Tensor, "layers heads target target"]
    cross: Float[Tensor, "layers heads target source"]


@checked
@torch.no_grad()
def three_attentions(
    model: Transformer, source: Int[Tensor, " source"], target_in: Int[Tensor, " target"]
) -> tuple[ThreeAttentions, Float[Tensor, "target vocabulary"]]:
    """The weights of all heads while the model reads `source` and is fed `target_in`; and the logits it gives.

    target_in: what the decoder reads, BOS first, so that row i writes token i.
    Raises ValueError for what the model refuses.

    **Source:** Vaswani et al. 2017, section 3.2.3, the three uses of attention.
    """
    with record(model) as trace:
        logits = model(source.unsqueeze(0), torch.tensor([len(source)]), target_in.unsqueeze(0))[0]
    weights = ThreeAttentions(
        _weights(trace, "encoder", ".attention"),
        _weights(trace, "decoder", ".attention"),
        _weights(trace, "decoder", ".cross_attention"),
    )
    return weights, logits


def _weights(trace: Trace, half: str, kind: str) -> Float[Tensor, "layers heads queries keys"]:
    """Of one kind of attention in one half. A block that is used again and again was called once for each layer."""
    names = [name for name in trace.names if name.startswith(f"{half}.") and name.endswith(kind)]
    return torch.cat([seen.weights for name in names for seen in trace[name]])


@checked
def attention_square(
    encoder: Float[Tensor, "source source"],
    decoder: Float[Tensor, "target target"],
    cross: Float[Tensor, "target source"],
) -> Float[Tensor, "tokens tokens"]:
    """One matrix of all three, source before target: queries are rows, keys are columns.

    The quarter in which the source would ask the target stays 0: it never does.
    """
    source = len(encoder)
    square = encoder.new_zeros(source + len(decoder), source + len(decoder))
    square[:source, :source], square[source:, source:], square[source:, :source] = encoder, decoder, cross
    return square
