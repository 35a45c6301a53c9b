"""Glimpses beside a thumbnail of equally many numbers: by hand, at both ends, and bad input."""

import pytest
import torch

from attnlab.analysis import glimpses_and_thumbnail, thumbnail

STEPS = torch.arange(16.0).view(1, 4, 4) / 16


def test_a_thumbnail_by_hand():
    assert (16 * thumbnail(STEPS, 4)[0, ::2, ::2]).tolist() == [[2.5, 4.5], [10.5, 12.5]]
    assert torch.equal(thumbnail(STEPS, 7), thumbnail(STEPS, 4))  # whole squares only
    assert torch.equal(thumbnail(STEPS, 99), STEPS)
    two = thumbnail(torch.cat([STEPS, 1 - STEPS]), 9)
    torch.testing.assert_close(two[1], 1 - two[0])


def test_one_glimpse_by_hand():
    """A glimpse of the middle shows 4 pixels of 16; the rest is taken for their mean, 7.5."""
    found = glimpses_and_thumbnail(STEPS, torch.zeros(1, 2), size=2)
    assert found.numbers == 4
    assert found.sharp.nonzero().tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
    assert (16 * found.seen[0, 0]).tolist() == [7.5] * 4
    assert 16 * found.off == pytest.approx(2 * (7.5 + 6.5 + 5.5 + 4.5 + 3.5 + 0.5) / 16)
    assert 16 * found.thumbnail_off == pytest.approx((2.5 + 1.5 + 1.5 + 2.5) / 4)  # in each of its four squares
    assert 16 * found.thumbnail_off_where_sharp == pytest.approx((2.5 + 1.5 + 1.5 + 2.5) / 4)  # of 5, 6, 9 and 10


def test_where_glimpses_are_sharp_they_are_the_picture():
    picture = torch.rand(3, 20, 20, generator=torch.Generator().manual_seed(0))
    found = glimpses_and_thumbnail(picture, torch.tensor([[0.3, -0.4], [-1.0, 1.0]]), size=4, scales=3)
    assert torch.equal(found.seen[:, found.sharp], picture[:, found.sharp])
    assert found.sharp.sum() == 16 + 4  # the second glimpse sees a quarter of its square
    assert found.numbers == 2 * 3 * 16 * 3


def test_what_cannot_be():
    with pytest.raises(ValueError, match="at least one glimpse, got none"):
        glimpses_and_thumbnail(STEPS, torch.zeros(0, 2), 2)
    with pytest.raises(ValueError, match="expected places from -1 to 1"):
        glimpses_and_thumbnail(STEPS, torch.tensor([[0.0, 1.2]]), 2)
    with pytest.raises(ValueError, match="a number or more for each of 3 channels, got 2"):
        thumbnail(STEPS.expand(3, 4, 4), 2)
