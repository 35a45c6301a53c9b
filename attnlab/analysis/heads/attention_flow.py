"""Attention flow: how much could run from an input to a token, if weights were the widths of pipes."""

from collections.abc import Sequence
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.heads.rollout import check_layers, with_identity
from attnlab.checks import Count, checked


@checked
def attention_flow(
    weights: Sequence[Float[Tensor, "batch heads tokens tokens"]], token: Count = 0
) -> Float[Tensor, "batch tokens"]:
    """The largest flow from each input to one token behind the last layer, from 0 to 1; the flows need not sum to 1.

    weights: as for `attention_rollout`, of which this is the counterpart. There a way counts as the product of its
    shares; here a way lets through as much as its narrowest pipe, and ways that share a pipe share its width. Each
    input is asked alone. Raises ValueError as that does, and for a token that is not there.

    **Source:** Abnar and Zuidema 2020, section 3.2. **Names:** capacity -> a weight of `with_identity`.
    """
    check_layers(weights)
    tokens = weights[0].shape[-1]
    if token >= tokens:
        raise ValueError(f"expected a token from 0 to {tokens - 1}, got {token}")
    layers = torch.stack([with_identity(layer) for layer in weights], dim=1)
    return layers.new_tensor([_flows(pipes, token) for pipes in layers.tolist()]).view(-1, tokens)


def _flows(pipes: list[list[list[float]]], token: int) -> list[float]:
    """pipes [layers][queries][keys], of one picture. A node is (how many layers lie below it, its token)."""
    import networkx  # a fifth of a second, which only this function is worth

    graph = networkx.DiGraph()
    for layer, rows in enumerate(pipes):
        for query, row in enumerate(rows):
            for key, width in enumerate(row):
                graph.add_edge((layer + 1, query), (layer, key), capacity=width)
    flow = partial(networkx.maximum_flow_value, graph, (len(pipes), token))
    return [flow((0, key)) for key in range(len(pipes[0]))]
