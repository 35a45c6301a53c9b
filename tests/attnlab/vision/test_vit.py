"""Pictures as sequences of patches, and the model that reads them."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from shaken import shaken

from attnlab import specs
from attnlab.positions import POSITIONS
from attnlab.specs.vision import vit as loops
from attnlab.tasks.digits import draw, split
from attnlab.trace import record
from attnlab.training import fit
from attnlab.vision.vit import assembled, check_patch_size, patches, vit

IMAGES = torch.randn(2, 3, 10, 15, generator=torch.Generator().manual_seed(0))


def test_patches_in_loops():
    torch.testing.assert_close(patches(IMAGES, 5), specs.each(lambda image: loops.patches(image, 5), IMAGES))


def test_tokens_in_loops():
    embed = small().embed
    parts = embed.pixels.weight, embed.pixels.bias, embed.class_token, embed.positions.table
    torch.testing.assert_close(embed(PICTURES), specs.each(lambda image: loops.tokens(image, 4, *parts), PICTURES))


@settings(deadline=None, max_examples=30)
@given(size=st.integers(1, 4), down=st.integers(1, 5), across=st.integers(1, 5), channels=st.integers(1, 3))
def test_assembled_undoes_patches(size, down, across, channels):
    images = torch.randn(2, channels, down * size, across * size)
    cut = patches(images, size)
    assert cut.shape == (2, down * across, channels * size**2)
    assert torch.equal(assembled(cut, size, across * size), images)


def test_the_smallest_and_the_largest_patch():
    assert torch.equal(patches(IMAGES, 1)[1, 17], IMAGES[1, :, 1, 2])
    square = IMAGES[..., :10]
    assert torch.equal(patches(square, 10)[:, 0], square.flatten(1))


def test_a_shuffled_picture():
    """Patches in another order are the patches of the shuffled picture."""
    order = torch.randperm(6, generator=torch.Generator().manual_seed(1))
    cut = patches(IMAGES, 5)
    assert torch.equal(patches(assembled(cut[:, order], 5, 15), 5), cut[:, order])


def small(place="learned", **options):
    torch.manual_seed(0)
    model = vit(side=8, size=4, dim=12, heads=3, layers=2, classes=5, channels=2, place=POSITIONS[place], **options)
    return shaken(model, 0.1)  # the class token and the biases leave 0


PICTURES = torch.randn(3, 2, 8, 8, generator=torch.Generator().manual_seed(2))
SHUFFLED = assembled(patches(PICTURES, 4)[:, [2, 0, 3, 1]], 4, 8)


@pytest.mark.parametrize("place", POSITIONS)
def test_only_positions_tell_the_patches_apart(place):
    model = small("none") if place == "none" else small(place)
    if place == "relative":
        model.embed.positions.table.data.normal_()
    same = torch.allclose(model(PICTURES), model(SHUFFLED), atol=1e-5)
    assert same == (place == "none")


def test_every_head_is_heard():
    model = small()
    with record(model) as trace:
        logits = model(PICTURES)
    assert logits.shape == (3, 5)
    assert trace.names == ["blocks.0.attention", "blocks.1.attention"]
    for name in trace.names:
        assert trace[name][0].weights.shape == (3, 3, 5, 5)
    torch.testing.assert_close(model(PICTURES), logits, atol=1e-5, rtol=1e-5)
    first = trace.tensor("embed/out")[:, 0]
    torch.testing.assert_close(first, first[:1].expand_as(first))  # the class token knows nothing of the picture


def test_the_answer_is_read_from_the_class_token():
    model = small()
    with record(model) as trace:
        logits = model(PICTURES)
    stream = trace.tensor("blocks.1/out")
    torch.testing.assert_close(model.output(model.norm(stream[:, 0])), logits, atol=1e-5, rtol=1e-5)


def test_it_learns():
    torch.manual_seed(0)
    model = vit(28, 14, 16, 2, 1)
    training, _ = split()

    def loss(generator):
        images, labels = draw(training.images[:20], training.labels[:20], 20, generator)
        return torch.nn.functional.cross_entropy(model(images.unsqueeze(1)), labels)

    losses = [step.loss for step in fit(model, loss, 60, rate=1e-2)]
    assert losses[0] > 1.5
    assert losses[-1] < 0.7


def test_on_every_device(device):
    model = small("sinusoidal")
    expected = model(PICTURES)
    found = model.to(device)(PICTURES.to(device))
    assert found.device.type == device.type
    torch.testing.assert_close(found.cpu(), expected, atol=1e-4, rtol=1e-4)


# Bad input


@pytest.mark.parametrize(("size", "such_as"), [(3, "1, 5"), (4, "1, 5"), (15, "1, 5")])
def test_a_patch_size_that_leaves_a_rest(size, such_as):
    for call in (patches, check_patch_size):
        with pytest.raises(ValueError, match=rf"divides 10 x 15 pixels without a rest, such as {such_as}; got {size}"):
            call(IMAGES, size)
    with pytest.raises(ValueError, match="divides 28 x 28 pixels without a rest, such as 1, 2, 4, 7, 14, 28; got 8"):
        vit(28, 8, 12, 3, 2)


@pytest.mark.parametrize(("shape", "size", "width"), [((2, 6, 75), 5, 14), ((2, 5, 75), 5, 15), ((2, 6, 74), 5, 15)])
def test_patches_that_fill_no_picture(shape, size, width):
    with pytest.raises(ValueError, match=f"rows {width} pixels wide, got {shape[1]} patches of {shape[2]} numbers"):
        assembled(torch.zeros(shape), size, width)


def test_images_of_another_kind():
    with pytest.raises(ValueError, match=r"images with 2 channels, got shape \[3, 1, 8, 8\]"):
        small()(PICTURES[:, :1])
    for width, count in ((12, 6), (4, 2), (0, 0)):
        with pytest.raises(ValueError, match=rf"images of 4 patches, .* got {count} of shape \[1, 2, 8, {width}\]"):
            small()(torch.zeros(1, 2, 8, width))
    assert small("sinusoidal")(torch.zeros(1, 2, 8, 4)).shape == (1, 5)  # a wave goes on for ever
    with pytest.raises(ValueError, match="divides 8 x 6 pixels"):
        small()(torch.zeros(1, 2, 8, 6))
    with pytest.raises(ValueError, match="heads, got dim 12 and 5 heads"):
        vit(8, 4, 12, 5, 2)
    with pytest.raises(ValueError, match="at least one block, got none"):
        type(small())(small().embed, [], small().norm, small().output)
