"""One sequence under three maps: the queries, keys and values of its tokens, and what attention makes of them."""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.vectors.convex_hull import convex_hull
from attnlab.attention import attend
from attnlab.checks import checked


class Projections(NamedTuple):
    """query, key: [tokens, dim]. value, context: [tokens, value_dim]. scores, weights: [tokens, tokens]."""

    query: Float[Tensor, "tokens dim"]
    key: Float[Tensor, "tokens dim"]
    value: Float[Tensor, "tokens value_dim"]
    scores: Float[Tensor, "tokens tokens"]
    weights: Float[Tensor, "tokens tokens"]
    context: Float[Tensor, "tokens value_dim"]


@checked
def project(
    x: Float[Tensor, "tokens width"],
    W_q: Float[Tensor, "width dim"],
    W_k: Float[Tensor, "width dim"],
    W_v: Float[Tensor, "width value_dim"],
) -> Projections:
    """Self-attention of one head, with all that it goes through. Raises ValueError for shapes that do not fit.

    **Source:** Vaswani et al. 2017, equation 1, and section 3.2.2 for the maps.
    **Names:** W^Q, W^K, W^V -> W_q, W_k, W_v.
    """
    query, key, value = x @ W_q, x @ W_k, x @ W_v
    context, weights, scores = attend(query, key, value)
    return Projections(query, key, value, scores, weights, context)


@checked
def projection_graph(
    x: Float[Tensor, "tokens width"],
    W_q: Float[Tensor, "width dim"],
    W_k: Float[Tensor, "width dim"],
    W_v: Float[Tensor, "width value_dim"],
) -> tuple[list[dict[str, str]], dict[str, Tensor]]:
    """The parts of `project` as nodes, each with its line of code and its shape in words, and their tensors by name.

    For values of two numbers there is also "hull" [corners, 2], the corners of the area that no context can leave.

    **Source:** as `project`.
    """
    found = project(x, W_q, W_k, W_v)
    maps = {"q": W_q, "k": W_k, "v": W_v}
    tensors = {"x": x, **{f"W_{lane}": map for lane, map in maps.items()}}
    tensors |= {"q": found.query, "k": found.key, "v": found.value}
    tensors |= {"scores": found.scores, "weights": found.weights, "context": found.context}
    lines = {
        "x": "x",
        **{name: f"{lane} = x @ W_{lane}" for lane in maps for name in (f"W_{lane}", lane)},
        "scores": f"scores = q @ k.T / {W_q.shape[1]} ** 0.5",
        "weights": "weights = scores.softmax(dim=-1)",
        "context": "context = weights @ v",
    }
    nodes = [
        {"id": "", "kind": "attention", "label": "one head", "line": "context = softmax(q @ k.T / dim ** 0.5) @ v"}
    ]
    for name, tensor in tensors.items():
        rows, columns = tensor.shape
        nodes.append({
            "id": name,
            "kind": _KINDS.get(name, "linear"),
            "line": lines[name],
            "shape": f"{rows} × {columns}",
        })
    if found.value.shape[1] == 2:
        tensors["hull"] = found.value[convex_hull(found.value)]
    return nodes, tensors


_KINDS = {"x": "embed", "scores": "attention", "weights": "attention", "context": "sum"}  # the rest are linear
