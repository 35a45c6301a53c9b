"""DINOv2 as trained by others, in our own `ViT`, whose answer is then the class token's vector."""

from collections.abc import Callable, Mapping
from functools import partial
from math import isqrt

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, interpolate

from attnlab.blocks import EncoderBlock, FeedForward
from attnlab.checks import Positive, Size, checked
from attnlab.huggingface.copying import filled, layers, leave_out, matrix_shape
from attnlab.huggingface.vit import flat_kernel
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned
from attnlab.vision.vit import PatchEmbed, ViT

DINOV2: dict[str, str] = {
    "embeddings.cls_token": "embed.class_token",
    "embeddings.position_embeddings": "embed.positions.table",
    "embeddings.patch_embeddings.projection": "embed.pixels",
    "encoder.layer.#.norm1": "blocks.#.attention_norm",
    "encoder.layer.#.attention.q_proj": "blocks.#.attention.query",
    "encoder.layer.#.attention.k_proj": "blocks.#.attention.key",
    "encoder.layer.#.attention.v_proj": "blocks.#.attention.value",
    "encoder.layer.#.attention.o_proj": "blocks.#.attention.output",
    "encoder.layer.#.norm2": "blocks.#.feed_forward_norm",
    "encoder.layer.#.mlp.fc1": "blocks.#.feed_forward.expand",
    "encoder.layer.#.mlp.fc2": "blocks.#.feed_forward.contract",
    "layernorm": "norm",
}
"""DINOv2's name, without "dinov2." in front -> ours, written as `copying.filled` has it."""

IN_FILES: dict[str, str] = {
    "attention.attention.query.": "attention.q_proj.",
    "attention.attention.key.": "attention.k_proj.",
    "attention.attention.value.": "attention.v_proj.",
    "attention.output.dense.": "attention.o_proj.",
}
"""Part of a name before version 5 of transformers, as most files on the hub have it -> that of today."""

UNUSED = ("embeddings.mask_token", "classifier.")  # of pictures with hidden patches; of another task


@checked
def dinov2(
    state: Mapping[str, Tensor],
    heads: int,
    epsilon: Positive = 1e-6,
    activation: Callable[[Tensor], Tensor] = gelu,
    side: Size | None = None,
) -> ViT:
    """Our `ViT` with the weights of a DINOv2: pictures in, the normed vector of the class token out.

    state: the state dict of transformers' `Dinov2Model`, in the names of today or of files. heads: the only size that
    weights do not show. epsilon: of the norms. side: patches along a side of the pictures; as in training unless given,
    else the learned places are drawn out or together. Each part's result is scaled before it joins the stream; here the
    scale is multiplied into the part's last map, which gives the same numbers. A classifier behind it is left out. The
    weights are copied.
    Raises ValueError that names what is missing, unknown, or of another shape than expected.

    **Source:** Oquab et al. 2023, "DINOv2: Learning Robust Visual Features without Supervision"; scales of layers:
    Touvron et al. 2021, "Going deeper with Image Transformers", equation 1; names are those of `Dinov2Model`.
    """
    tensors = {_of_today(name): tensor for name, tensor in leave_out(state, UNUSED).items()}
    dim, channels, size = flat_kernel(tensors, "embeddings.patch_embeddings.projection.weight")
    for name, axes in (("embeddings.cls_token", 1), ("embeddings.position_embeddings", 2)):
        if name in tensors:  # written as a batch of one: [1, 1, dim] and [1, tokens, dim]
            tensors[name] = tensors[name].reshape(tensors[name].shape[-axes:])
    places = "embeddings.position_embeddings"
    if side is not None and places in tensors:
        tensors[places] = _resized(tensors[places], side)
    count, hidden = (matrix_shape(tensors, name)[0] for name in (places, "encoder.layer.0.mlp.fc1.weight"))
    depth = layers(tensors, "encoder.layer.")
    for block in range(depth):
        for scale, last in (("layer_scale1", "attention.o_proj"), ("layer_scale2", "mlp.fc2")):
            _scale(tensors, f"encoder.layer.{block}.{scale}.lambda1", f"encoder.layer.{block}.{last}")

    norm = partial(nn.LayerNorm, eps=epsilon)
    with torch.device("meta"):
        blocks = [
            EncoderBlock(MultiHeadAttention(dim, heads), FeedForward(dim, hidden, activation), norm)
            for _ in range(depth)
        ]
        model = ViT(PatchEmbed(size, channels, dim, Learned(dim, count)), blocks, norm(dim), nn.Identity())
    return filled(model, tensors, DINOV2)


def _scale(tensors: dict[str, Tensor], scale: str, last: str) -> None:
    """Multiplies a part's last map, weight and bias, by its scale; without one it stays."""
    by = tensors.pop(scale, None)
    for name in (f"{last}.weight", f"{last}.bias"):
        if by is not None and name in tensors:
            tensors[name] = (tensors[name].mT * by).mT if tensors[name].ndim == 2 else tensors[name] * by


def _resized(places: Tensor, side: int) -> Tensor:
    """[1 + old^2, dim] -> [1 + side^2, dim]: the patches' vectors as a picture that is drawn anew."""
    first, grid = places[:1], places[1:]
    old = isqrt(len(grid))
    picture = grid.float().unflatten(0, (old, old)).permute(2, 0, 1)
    drawn = interpolate(picture[None], (side, side), mode="bicubic", align_corners=False)[0]
    return torch.cat([first, drawn.permute(1, 2, 0).flatten(0, 1).to(places.dtype)])


def _of_today(name: str) -> str:
    """A name without "dinov2." in front, and with its older parts replaced."""
    name = name.removeprefix("dinov2.")
    for older, newer in IN_FILES.items():
        name = name.replace(older, newer)
    return name
