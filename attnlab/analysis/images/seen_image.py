"""What a model of pictures looks at: its attention as maps over the patches, whoever wrote it."""

from math import isqrt
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.checks import checked
from attnlab.inside import evaluating
from attnlab.trace import record

MOST_OTHERS = 8  # tokens before the patches: a class token, registers


class SeenImage(NamedTuple):
    """names: the modules that attended, in order, one a layer. weights: of each layer, [heads, tokens, tokens].
    vectors: what comes out behind the last layer, [tokens, width]. others: how many tokens stand before the patches,
    the class token first. rows, columns: of the patches."""

    names: list[str]
    weights: list[Tensor]
    vectors: Tensor
    others: int
    rows: int
    columns: int


@checked
@torch.no_grad()
def see_image(model: nn.Module, picture: Float[Tensor, "1 channels height width"]) -> SeenImage:
    """Runs, without dropout, a model whose layers all attend from every patch to every patch: ViT, DeiT, DINOv2, with
    registers or without, of ours or of another library.

    Raises ValueError for a model whose tokens are no such grid (Swin looks at windows), and where nothing attended.
    """
    with evaluating(model), record(model) as trace:
        model(picture)
    calls = [(name, call) for name in trace.names for call in trace[name]]
    sizes = {(len(call.weights), *call.weights.shape[-2:]) for _, call in calls}  # windows stand in the batch
    tokens = max((keys for *_, keys in sizes), default=0)
    if sizes != {(1, tokens, tokens)}:
        told = ", ".join(f"{parts} × {queries} × {keys}" for parts, queries, keys in sorted(sizes)) or "none"
        raise ValueError(f"expected every layer to attend from all tokens to all, got weights of {told}")
    others, rows, columns = _grid(tokens, *picture.shape[-2:])
    heard = [trace.tensor(name) for name in reversed(trace.tensors) if name.endswith("/out")]
    vectors = next(tensor for tensor in heard if tensor.ndim == 3 and tensor.shape[1] == tokens)
    weights = [call.weights[0] for _, call in calls]
    return SeenImage([name for name, _ in calls], weights, vectors[0], others, rows, columns)


def _grid(tokens: int, height: int, width: int) -> tuple[int, int, int]:
    """How many tokens are no patches, the fewest that leave square patches which fill the picture; rows and columns."""
    for others in range(min(MOST_OTHERS, tokens - 1) + 1):
        size = isqrt(height * width // (tokens - others))  # pixels along a side of a patch
        if size and not height % size and not width % size and (height // size) * (width // size) == tokens - others:
            return others, height // size, width // size
    raise ValueError(f"expected tokens that are patches of a picture of {height} × {width} pixels, got {tokens}")
