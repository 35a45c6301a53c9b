"""ViT as trained by others, in our own `ViT`."""

from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from attnlab.blocks import EncoderBlock, FeedForward
from attnlab.checks import Positive, checked
from attnlab.huggingface.copying import filled, layers, leave_out, matrix_shape
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned
from attnlab.vision.vit import PatchEmbed, ViT

VIT: dict[str, str] = {
    "vit.embeddings.cls_token": "embed.class_token",
    "vit.embeddings.position_embeddings": "embed.positions.table",
    "vit.embeddings.patch_embeddings.projection": "embed.pixels",
    "vit.layers.#.layernorm_before": "blocks.#.attention_norm",
    "vit.layers.#.attention.q_proj": "blocks.#.attention.query",
    "vit.layers.#.attention.k_proj": "blocks.#.attention.key",
    "vit.layers.#.attention.v_proj": "blocks.#.attention.value",
    "vit.layers.#.attention.o_proj": "blocks.#.attention.output",
    "vit.layers.#.layernorm_after": "blocks.#.feed_forward_norm",
    "vit.layers.#.mlp.fc1": "blocks.#.feed_forward.expand",
    "vit.layers.#.mlp.fc2": "blocks.#.feed_forward.contract",
    "vit.layernorm": "norm",
    "classifier": "output",
}
"""ViT's name -> ours, written as `copying.filled` has it; its convolution over patches is our map of their pixels."""

IN_FILES: dict[str, str] = {
    "vit.encoder.layer.": "vit.layers.",
    "attention.attention.query.": "attention.q_proj.",
    "attention.attention.key.": "attention.k_proj.",
    "attention.attention.value.": "attention.v_proj.",
    "attention.output.dense.": "attention.o_proj.",
    "intermediate.dense.": "mlp.fc1.",
    "output.dense.": "mlp.fc2.",
}
"""Part of a ViT's name before version 5 of transformers, as most files on the hub have it -> that of today."""


UNUSED = ("vit.embeddings.mask_token", "vit.pooler.")  # of pictures with hidden patches; of another task


@checked
def vit(
    state: Mapping[str, Tensor], heads: int, epsilon: Positive = 1e-12, activation: Callable[[Tensor], Tensor] = gelu
) -> ViT:
    """Our `ViT` with the weights of one that was trained to name what a picture shows.

    state: the state dict of transformers' `ViTForImageClassification`, in the names of today or of files. heads: the
    only size that weights do not show. epsilon: of the norms. Pictures are as large as they were in training, since
    there is a learned vector for each place. The weights are copied.
    Raises ValueError that names what is missing, unknown, or of another shape than expected.

    **Source:** Dosovitskiy et al. 2021, "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale";
    names are those of transformers' `ViTForImageClassification`.
    """
    tensors = {_of_today(name): tensor for name, tensor in leave_out(state, UNUSED).items()}
    for name, axes in (("vit.embeddings.cls_token", 1), ("vit.embeddings.position_embeddings", 2)):
        if name in tensors:  # written as a batch of one: [1, 1, dim] and [1, tokens, dim]
            tensors[name] = tensors[name].reshape(tensors[name].shape[-axes:])
    dim, channels, size = flat_kernel(tensors, "vit.embeddings.patch_embeddings.projection.weight")
    tokens, hidden = (
        matrix_shape(tensors, name)[0] for name in ("vit.embeddings.position_embeddings", "vit.layers.0.mlp.fc1.weight")
    )
    classes = matrix_shape(tensors, "classifier.weight")[0]

    norm = partial(nn.LayerNorm, eps=epsilon)
    with torch.device("meta"):
        blocks = [
            EncoderBlock(MultiHeadAttention(dim, heads), FeedForward(dim, hidden, activation), norm)
            for _ in range(layers(tensors, "vit.layers."))
        ]
        embed = PatchEmbed(size, channels, dim, Learned(dim, tokens))
        model = ViT(embed, blocks, norm(dim), nn.Linear(dim, classes))
    return filled(model, tensors, VIT)


@checked
def flat_kernel(tensors: dict[str, Tensor], name: str) -> tuple[int, int, int]:
    """Makes the convolution over patches a map of their pixels, in place; gives its dim, channels and patch size.

    Raises ValueError where there is no convolution of this name.
    """
    if name not in tensors or tensors[name].ndim != 4:
        got = f"shape {list(tensors[name].shape)}" if name in tensors else f"only {', '.join(tensors) or 'nothing'}"
        raise ValueError(f"expected a convolution {name!r} in the state, got {got}")
    dim, channels, size, _ = tensors[name].shape
    tensors[name] = tensors[name].flatten(1)
    return dim, channels, size


def _of_today(name: str) -> str:
    """A ViT's name with its older parts replaced."""
    for older, newer in IN_FILES.items():
        name = name.replace(older, newer)
    return name
