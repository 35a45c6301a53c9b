"""ImageExplorer: each head's row of weights over the picture, of models of ours and of transformers."""

import pytest
import torch
from explorers import drive
from foreign_models import Patches
from transformers import Dinov2WithRegistersConfig, Dinov2WithRegistersModel

from attnlab.analysis import cosine_similarities, see_image
from attnlab.vision.middle import middle
from attnlab.vision.vit import vit
from widgets.base.asking_patch import PATCH
from widgets.explorers.any_model.image import ImageExplorer


@pytest.fixture(scope="module")
def ours():
    torch.manual_seed(0)
    return vit(28, 7, 16, 2, 2).eval()


@pytest.fixture(scope="module")
def registers():
    torch.manual_seed(0)
    sizes = {"hidden_size": 12, "num_hidden_layers": 3, "num_attention_heads": 3, "image_size": 16, "patch_size": 4}
    return Dinov2WithRegistersModel(Dinov2WithRegistersConfig(**sizes, num_register_tokens=2)).eval()


@pytest.fixture(scope="module")
def photograph():
    return torch.rand(40, 60, 3, generator=torch.Generator().manual_seed(0))


def prepared(photograph):
    return middle(photograph.permute(2, 0, 1)[None], 16, 16) - 0.5


def test_every_control(ours, registers, photograph):
    image = torch.rand(28, 28)
    drive(ImageExplorer(ours, image), model=ours, image=image)
    drive(ImageExplorer(registers, photograph, prepared), model=registers, image=photograph, prepare=prepared)


@pytest.mark.parametrize(("asks", "token"), [("the class token", 0), (PATCH, 3 + 2 * 4 + 1)])
def test_maps_and_cosines_are_the_models(registers, photograph, asks, token):
    explorer = ImageExplorer(registers, photograph, prepared, layer=2, asks=asks, cell=[1, 2, 1])
    seen = see_image(registers, prepared(photograph))
    torch.testing.assert_close(explorer.maps.flatten(1), seen.weights[1][:, token, 3:])
    torch.testing.assert_close(explorer.alike.flatten(), cosine_similarities(seen.vectors)[token, 3:])


def test_the_picture_is_what_the_model_takes(ours, registers, photograph):
    wide = ImageExplorer(registers, photograph, prepared).parts["maps"].image
    torch.testing.assert_close(torch.from_numpy(wide[0, 0]), (prepared(photograph)[0] + 0.5).permute(1, 2, 0))
    image = torch.rand(28, 28)
    torch.testing.assert_close(torch.from_numpy(ImageExplorer(ours, image).parts["maps"].image[0, 0, :, :, 0]), image)


def test_a_click_chooses_the_patch(ours):
    explorer = ImageExplorer(ours, torch.rand(28, 28))
    explorer.asks = PATCH
    assert "The patch in row 3, column 3 in layer 1" in repr(explorer.parts["caption"])
    explorer.parts["maps"].selected = [1, 0, 3]
    assert "The patch in row 1, column 4 in layer 1" in repr(explorer.parts["caption"])
    assert explorer.parts["alike"].selected == [0, 0, 3]
    assert explorer.alike[0, 3] == pytest.approx(1, abs=1e-5)


def test_a_model_without_a_class_token(photograph):
    explorer = ImageExplorer(Patches(3).eval(), photograph)
    assert "this model has no class token: let a patch ask" in repr(explorer)
    explorer.asks = PATCH
    assert explorer.maps.shape == (2, 10, 15)


@pytest.mark.parametrize(
    ("image", "says"),
    [
        (torch.rand(3, 8, 8), r"expected an image \[height, width, 3\] or \[height, width\], got \[3, 8, 8\]"),
        (torch.rand(8), r"got \[8\]"),
        (torch.rand(0, 8), r"got \[0, 8\]"),
        (255 * torch.rand(8, 8), r"expected image of numbers from 0 to 1, got .*; divide bytes by 255"),
    ],
)
def test_what_is_no_image(ours, image, says):
    with pytest.raises(ValueError, match=says):
        ImageExplorer(ours, image)


def test_a_picture_of_another_size_than_the_model_takes(ours):
    with pytest.raises(ValueError, match="expected a patch size that divides 20 x 20 pixels"):
        ImageExplorer(ours, torch.rand(20, 20)).result  # noqa: B018


def test_a_layer_that_is_not_there(ours):
    explorer = ImageExplorer(ours, torch.rand(28, 28), layer=3)
    assert "expected a layer from 1 to 2, got 3" in repr(explorer)


def test_a_patch_that_is_not_there_is_told(ours):
    explorer = ImageExplorer(ours, torch.rand(28, 28), asks=PATCH)
    explorer.cell = [0, 99, 0]
    assert "expected a patch within 4 rows and 4 columns" in explorer.parts["caption"].error
