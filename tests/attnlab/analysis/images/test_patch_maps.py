"""The four maps over the patches of a picture, against loops and weights."""

import pytest
import torch

from attnlab.analysis.images.patch_maps import agreement, head_weights, patch_maps
from attnlab.specs.analysis.heads import rollout as rolling
from attnlab.specs.analysis.images import covered_patches as covering
from attnlab.trace import record
from attnlab.training import seeded
from attnlab.vision.vit import ViT, vit

IMAGES = torch.rand(3, 2, 6, 6, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def model():
    with seeded(1):
        return vit(6, size=2, dim=8, heads=2, layers=3, classes=5, channels=2)


def test_in_loops(model):
    maps = patch_maps(model, IMAGES)
    for i, image in enumerate(IMAGES):
        with torch.no_grad(), record(model) as trace:
            model(image[None])
        weights = [trace[f"blocks.{layer}.attention"][0].weights[0] for layer in range(3)]
        torch.testing.assert_close(maps.rollout[i], rolling.attention_rollout(weights)[0, 1:])
        torch.testing.assert_close(maps.last_layer[i], sum(weights[2][head, 0, 1:] for head in range(2)) / 2)
        with torch.no_grad():
            effect = covering.fall_of_logit(lambda one: model(one[None])[0], image, 2, 0)
        assert maps.effect[i].tolist() == pytest.approx(effect, abs=1e-5)
        ink = [image[:, row : row + 2, column : column + 2].sum() for row in (0, 2, 4) for column in (0, 2, 4)]
        torch.testing.assert_close(maps.ink[i], torch.stack(ink))


def test_covered_with_grey(model):
    grey = patch_maps(model, IMAGES, 0.5)
    effect = covering.fall_of_logit(lambda one: model(one[None])[0].detach(), IMAGES[1], 2, 0.5)
    assert grey.effect[1].tolist() == pytest.approx(effect, abs=1e-5)
    torch.testing.assert_close(grey.rollout, patch_maps(model, IMAGES).rollout)


def test_agreement(model):
    maps = patch_maps(model, IMAGES)
    found = agreement(maps._replace(rollout=maps.effect * 3, ink=-maps.effect))
    assert list(found) == ["rollout", "last_layer", "ink"]
    torch.testing.assert_close(found["rollout"], torch.ones(3))
    torch.testing.assert_close(found["ink"], -torch.ones(3))
    expected = covering.rank_correlation(maps.last_layer[0].tolist(), maps.effect[0].tolist())
    assert found["last_layer"][0].item() == pytest.approx(expected, abs=1e-5)


def test_head_weights(model):
    weights = head_weights(model, IMAGES)
    assert weights.shape == (3, 3, 2, 10, 10)
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 3, 2, 10))
    with torch.no_grad(), record(model) as trace:
        model(IMAGES)
    torch.testing.assert_close(weights[:, 1], trace["blocks.1.attention"][0].weights)


def test_another_way_in_is_refused(model):
    other = ViT(torch.nn.Flatten(), [torch.nn.Identity()], torch.nn.Identity(), torch.nn.Identity())
    for measure in (patch_maps, head_weights):
        with pytest.raises(ValueError, match="expected a ViT whose embed is a PatchEmbed, got Flatten"):
            measure(other, IMAGES)


def test_on_every_device(model, device):
    expected = patch_maps(model, IMAGES)
    found = patch_maps(model.to(device), IMAGES.to(device))
    model.cpu()
    for name, map in found._asdict().items():
        torch.testing.assert_close(map.cpu(), getattr(expected, name), atol=1e-4, rtol=1e-4)
