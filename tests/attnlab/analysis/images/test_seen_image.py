"""What a model of pictures looks at: whose tokens are what, of models of three kinds."""

import pytest
import torch
from foreign_models import Patches
from torch import nn
from transformers import (
    Dinov2Config,
    Dinov2Model,
    Dinov2WithRegistersConfig,
    Dinov2WithRegistersModel,
    SwinConfig,
    SwinModel,
    ViTConfig,
    ViTForImageClassification,
)

from attnlab.analysis import see_image
from attnlab.trace import record
from attnlab.vision.vit import vit

SMALL = {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 24, "patch_size": 4}


def theirs(kind, config, **more):
    torch.manual_seed(0)
    return kind(config(**SMALL, image_size=16, **more)).eval()


@pytest.mark.parametrize(
    ("model", "others"),
    [
        (lambda: theirs(ViTForImageClassification, ViTConfig), 1),
        (lambda: theirs(Dinov2Model, Dinov2Config), 1),
        (lambda: theirs(Dinov2WithRegistersModel, Dinov2WithRegistersConfig, num_register_tokens=4), 5),
    ],
)
@torch.no_grad()
def test_models_of_transformers(model, others):
    model, picture = model(), torch.rand(1, 3, 16, 16)
    seen = see_image(model, picture)
    assert (seen.others, seen.rows, seen.columns) == (others, 4, 4)
    model.set_attn_implementation("eager")
    wanted = model(picture, output_attentions=True, output_hidden_states=True)
    assert len(seen.weights) == len(seen.names) == 2
    for weights, attention in zip(seen.weights, wanted.attentions, strict=True):
        torch.testing.assert_close(weights, attention[0], atol=1e-5, rtol=1e-4)
    last = wanted.last_hidden_state if "last_hidden_state" in wanted else model.vit.layernorm(wanted.hidden_states[-1])
    torch.testing.assert_close(seen.vectors, last[0], atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_a_model_of_ours_and_a_wide_picture():
    model = vit(28, 7, 16, 2, 2).eval()
    picture = torch.rand(1, 1, 28, 28)
    seen = see_image(model, picture)
    assert (seen.others, seen.rows, seen.columns) == (1, 4, 4)
    with record(model) as trace:
        model(picture)
    assert torch.equal(seen.vectors, trace.tensor("norm/out")[0])
    assert torch.equal(seen.weights[1], trace["blocks.1.attention"][0].weights[0])


def test_nothing_is_dropped_out():
    model = nn.Sequential(nn.Dropout(0.5), vit(28, 7, 16, 2, 2)).train()
    picture = torch.rand(1, 1, 28, 28)
    first, second = see_image(model, picture), see_image(model, picture)
    assert torch.equal(first.vectors, second.vectors)
    assert model[0].training


def test_a_picture_that_is_no_square():
    seen = see_image(Patches(1).eval(), torch.rand(1, 1, 8, 20))
    assert (seen.others, seen.rows, seen.columns) == (0, 2, 5)
    assert seen.weights[0].shape == (2, 10, 10)
    assert seen.vectors.shape == (10, 8)


def test_models_whose_tokens_are_no_grid():
    swin = SwinConfig(image_size=32, patch_size=4, embed_dim=8, depths=[1, 1], num_heads=[1, 2], window_size=4)
    with pytest.raises(ValueError, match=r"to attend from all tokens to all, got weights of 1 × 16 × 16, 4 × 16 × 16"):
        see_image(SwinModel(swin).eval(), torch.rand(1, 3, 32, 32))
    with pytest.raises(ValueError, match="expected every layer to attend from all tokens to all, got weights of none"):
        see_image(nn.Conv2d(3, 3, 3), torch.rand(1, 3, 8, 8))
