"""Which patches of a picture matter to a ViT: three maps made of weights or pixels, and one that tries."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.heads.rollout import attention_rollout
from attnlab.analysis.images.covered_patches import fall_of_logit, rank_correlation
from attnlab.checks import checked
from attnlab.trace import record
from attnlab.vision.vit import PatchEmbed, ViT, patches


class PatchMaps(NamedTuple):
    """Each [batch, patches], row by row.

    effect: by how much the answer's logit falls when the patch is covered, measured. rollout: the class token's row
    of `attention_rollout`. last_layer: its row of the last layer, mean of the heads. ink: the sum of the pixels.
    """

    effect: Float[Tensor, "batch patches"]
    rollout: Float[Tensor, "batch patches"]
    last_layer: Float[Tensor, "batch patches"]
    ink: Float[Tensor, "batch patches"]


@checked
@torch.no_grad()
def patch_maps(model: ViT, images: Float[Tensor, "batch channels height width"], cover: int | float = 0.0) -> PatchMaps:
    """The four maps of each picture, in the patches that the model's `PatchEmbed` cuts.

    cover: what the pixels of a covered patch become; see `fall_of_logit`. What the class token keeps of itself is left
    out, so the maps of weights sum to less than 1.
    """
    size, weights = _embed(model).size, head_weights(model, images).unbind(1)
    return PatchMaps(
        effect=fall_of_logit(model, images, size, cover),
        rollout=attention_rollout(weights)[:, 0, 1:],
        last_layer=weights[-1].mean(dim=1)[:, 0, 1:],
        ink=patches(images, size).sum(dim=-1),
    )


@checked
def agreement(maps: PatchMaps) -> dict[str, Float[Tensor, " batch"]]:
    """The rank correlation of each other map with the effect, picture by picture: {"rollout": [batch], ...}."""
    return {name: rank_correlation(map, maps.effect) for name, map in maps._asdict().items() if name != "effect"}


@checked
@torch.no_grad()
def head_weights(
    model: ViT, images: Float[Tensor, "batch channels height width"]
) -> Float[Tensor, "batch layers heads tokens tokens"]:
    """The weights of all heads of all layers; token 0 is the class token, the others are the patches, row by row."""
    _embed(model)
    with record(model) as trace:
        model(images)
    return torch.stack([trace[name][0].weights for name in trace.names], dim=1)


def _embed(model: ViT) -> PatchEmbed:
    if not isinstance(model.embed, PatchEmbed):
        raise ValueError(f"expected a ViT whose embed is a PatchEmbed, got {type(model.embed).__name__}")
    return model.embed
