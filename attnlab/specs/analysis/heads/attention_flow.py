"""Attention flow, by the theorem that the largest flow is the narrowest cut (Ford and Fulkerson 1956).

Of one picture: weights [heads, tokens, tokens], one tensor a layer, the first layer first.
"""

from collections.abc import Sequence
from itertools import combinations

from torch import Tensor

from attnlab.specs.analysis.heads.rollout import with_identity


def attention_flow(weights: Sequence[Tensor], token: int) -> list[float]:
    """For each input the flow to `token` behind the last layer. All cuts are tried: for few tokens and layers."""
    tokens, top = weights[0].shape[1], len(weights)
    pipes = {}
    for layer, heads in enumerate(weights):
        widths = with_identity(heads)
        for i in range(tokens):
            for j in range(tokens):
                pipes[(layer + 1, i), (layer, j)] = widths[i, j].item()
    nodes = [(layer, i) for layer in range(top + 1) for i in range(tokens)]
    return [narrowest_cut(pipes, nodes, (top, token), (0, key)) for key in range(tokens)]


def narrowest_cut(pipes: dict, nodes: list, source: tuple, sink: tuple) -> float:
    """Nodes on the source's side and nodes on the sink's: the least that the pipes from side to side let through."""
    others = [node for node in nodes if node not in (source, sink)]
    least = float("inf")
    for count in range(len(others) + 1):
        for chosen in combinations(others, count):
            side = {source, *chosen}
            through = sum(width for (above, below), width in pipes.items() if above in side and below not in side)
            least = min(least, through)
    return least
