"""DigitExplorer: a digit out of many."""

import pytest
import torch

from widgets.explorers.l15_vision_transformer.digit_of import paper
from widgets.explorers.l15_vision_transformer.heads_on_image import HeadsOnImageExplorer


def test_the_digit_is_the_one_that_was_chosen(model, digits):
    explorer = HeadsOnImageExplorer(model, digits, digit=4)
    assert torch.equal(explorer.chosen(explorer.state), digits.images[3:4, None])
    assert explorer.label(explorer.state) == digits.labels[3]
    assert torch.equal(paper(explorer.chosen(explorer.state)), 1 - digits.images[3])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda images: images[:0], r"images \[digits, 28, 28\], got \[0, 28, 28\]"),
        (lambda images: images[:, 1:], r"got \[7, 27, 28\]"),
        (lambda images: images.unsqueeze(1), r"got \[7, 1, 28, 28\]"),
        (lambda images: 255 * images, "images of numbers from 0 to 1, got .*; divide bytes by 255"),
        (lambda images: images / 0 * 0, "got nan"),
    ],
)
def test_images_of_another_kind_are_named(model, digits, change, said):
    with pytest.raises(ValueError, match=said):
        HeadsOnImageExplorer(model, digits._replace(images=change(digits.images)))


def test_a_digit_that_is_not_there_is_told(model, digits):
    explorer = HeadsOnImageExplorer(model, digits)
    explorer.digit = 8
    assert "expected a digit from 1 to 7, got 8" in explorer.parts["caption"].error
    with pytest.raises(ValueError, match="from 1 to 7"):
        explorer.result  # noqa: B018
    explorer.digit = 7
    assert explorer.parts["caption"].error == ""
