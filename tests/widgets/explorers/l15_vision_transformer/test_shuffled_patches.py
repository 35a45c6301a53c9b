"""ShuffledPatchesExplorer: what is exchanged by hand is what the models see."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from widgets.explorers.l15_vision_transformer.shuffled_patches import ShuffledPatchesExplorer

SWAPPED = [5, 1, 2, 3, 4, 0, *range(6, 16)]


@pytest.fixture
def explorer(models, digits):
    return ShuffledPatchesExplorer(models, digits)


def test_every_control(explorer, models, digits):
    drive(explorer, models=models, digits=digits)
    explorer.parts["patches"].order = SWAPPED
    code_gives_the_picture(explorer, models=models, digits=digits)


def test_the_hand_exchanges_what_the_models_see(explorer, models, digits):
    explorer.digit = 3
    explorer.parts["patches"].order = SWAPPED
    assert explorer.order == SWAPPED
    image = digits.images[2].clone()
    image[:7, :7], image[7:14, 7:14] = digits.images[2, 7:14, 7:14], digits.images[2, :7, :7]
    with torch.no_grad():
        expected = torch.cat([model(image[None, None]).softmax(-1) for model in models.values()])
    torch.testing.assert_close(explorer.chances, expected)
    assert "2 of 16 patches have moved." in repr(explorer.parts["caption"])


def test_without_positions_nothing_changes(explorer):
    before = explorer.chances
    explorer.shuffle = 1
    assert explorer.result.moved > 10
    torch.testing.assert_close(explorer.chances[1], before[1])
    assert not torch.allclose(explorer.chances[0], before[0], atol=1e-3)
    assert repr(explorer.parts["caption"]).count("the same to 5 decimals") == 1


def test_another_shuffle_another_order_and_back(explorer):
    seen = []
    for press in (1, 2):
        explorer.shuffle = press
        assert sorted(explorer.order) == list(range(16))
        seen.append(explorer.order)
    assert seen[0] != seen[1]
    explorer.reset()
    assert explorer.order == []
    assert explorer.parts["patches"].order == []


def test_all_digits_are_counted_in_the_same_order(explorer, models, digits):
    explorer.order = SWAPPED
    names = digits.labels.tolist()
    images = digits.images.clone()
    images[:, :7, :7], images[:, 7:14, 7:14] = digits.images[:, 7:14, 7:14], digits.images[:, :7, :7]
    with torch.no_grad():
        for model, share in zip(models.values(), explorer.result.right, strict=True):
            found = model(images[:, None]).argmax(-1).tolist()
            assert share == pytest.approx(sum(a == b for a, b in zip(found, names, strict=True)) / 7)


def test_an_order_that_is_none_is_told(explorer):
    explorer.order = [0, 0]
    assert "expected an order that names each of 0 to 15 once, got [0, 0]" in explorer.parts["caption"].error
