"""The middle of a picture: its form, its place, and its numbers."""

import torch

from attnlab.vision.middle import middle


def test_a_picture_of_that_size_is_itself():
    picture = torch.rand(2, 3, 5, 7)
    assert torch.equal(middle(picture, 5, 7), picture)


def test_what_stands_beside_the_middle_is_cut():
    picture = torch.rand(1, 3, 4, 10)
    assert torch.equal(middle(picture, 4, 4), picture[..., 3:7])
    assert torch.equal(middle(picture.mT, 4, 4), picture.mT[..., 3:7, :])


def test_drawn_anew():
    """A ramp stays one, and no number leaves 0 to 1."""
    ramp = torch.linspace(0, 1, 64).expand(1, 1, 32, 64)
    drawn = middle(ramp, 8, 16)
    assert drawn.shape == (1, 1, 8, 16)
    assert drawn[0, 0, 0, 0] < 0.05
    assert drawn[0, 0, 0, -1] > 0.95
    torch.testing.assert_close(drawn[0, 0, 3, 2:-2], (torch.arange(2, 14) + 0.5) / 16, atol=0.02, rtol=0)
    edges = middle((torch.rand(1, 1, 40, 40) > 0.5).float(), 90, 90)
    assert 0 <= float(edges.min()) <= float(edges.max()) <= 1


def test_of_a_picture_of_quite_another_form_a_line_is_left():
    assert middle(torch.rand(1, 1, 100, 2), 1, 100).shape == (1, 1, 1, 100)
    assert middle(torch.rand(1, 1, 2, 100), 100, 1).shape == (1, 1, 100, 1)


def test_stripes_too_fine_to_be_seen_become_grey():
    stripes = torch.tensor([0.0, 1, 1, 0]).repeat(16).expand(1, 1, 64, 64)
    torch.testing.assert_close(middle(stripes, 8, 8)[..., 1:-1], torch.full((1, 1, 8, 6), 0.5), atol=0.05, rtol=0)
