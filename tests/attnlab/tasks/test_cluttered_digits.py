"""Canvases of digits: what is on them, where, and of which digits."""

import pytest
import torch
from seeds import seeded

from attnlab.tasks.cluttered_digits import ClutteredDigits
from attnlab.tasks.digits import SIZE, split


def corner(place, canvas):
    """First row and column of the digit, from its middle."""
    across, down = ((place.item() + 1) / 2 * canvas - SIZE / 2 for place in place)
    return round(down), round(across)


@pytest.mark.parametrize("canvas", [28, 29, 37, 60])
def test_without_pieces_a_canvas_holds_its_digit_at_its_place_and_nothing_else(canvas):
    task, (training, held_out) = ClutteredDigits(canvas, pieces=0), split()
    for draw, digits in [(task.batch, training), (task.unseen, held_out)]:
        pictures, labels, places = draw(11, seeded())
        assert pictures.shape == (11, canvas, canvas)
        for picture, label, place in zip(pictures, labels, places, strict=True):
            top, left = corner(place, canvas)
            cut = picture[top : top + SIZE, left : left + SIZE]
            same = (digits.images == cut).all(dim=(1, 2))
            assert same.any()
            assert label in digits.labels[same]
            assert picture.sum().item() == pytest.approx(cut.sum().item(), abs=1e-3)


def test_places_are_drawn_over_the_whole_canvas():
    places = ClutteredDigits(60, pieces=0).batch(2_000, seeded()).places
    most = 1 - SIZE / 60
    assert (places.abs() <= most + 1e-6).all()
    assert places.amax(0).tolist() == pytest.approx([most, most])
    assert places.amin(0).tolist() == pytest.approx([-most, -most])
    assert places.mean(0).abs().max() < 0.05


@pytest.mark.parametrize("pieces", [1, 4])
def test_pieces_add_ink_and_hide_none(pieces):
    """The same seed draws the same digits first, so the bare canvas is known."""
    bare, cluttered = (ClutteredDigits(60, count).batch(200, seeded()) for count in (0, pieces))
    assert torch.equal(bare.labels, cluttered.labels)
    assert torch.equal(bare.places, cluttered.places)
    assert (cluttered.pictures >= bare.pictures).all()
    more = (cluttered.pictures > bare.pictures).sum(dim=(1, 2))
    assert more.max() <= pieces * 8**2
    assert (more > 0).float().mean() > 0.4
    assert 0 <= cluttered.pictures.min() <= cluttered.pictures.max() <= 1


def test_held_out_canvases_hold_nothing_of_the_digits_to_learn_from(monkeypatch):
    training, held_out = split()
    marked = training._replace(images=torch.ones_like(training.images)), held_out
    monkeypatch.setattr("attnlab.tasks.cluttered_digits.split", lambda: marked)
    assert (ClutteredDigits().batch(5, seeded()).pictures.sum(dim=(1, 2)) > 28**2 - 1).all()
    monkeypatch.setattr(
        "attnlab.tasks.cluttered_digits.split",
        lambda: (marked[0], held_out._replace(images=torch.zeros_like(held_out.images))),
    )
    assert not ClutteredDigits().unseen(50, seeded()).pictures.any()


def test_the_same_seed_draws_the_same_canvases(device):
    task = ClutteredDigits(37)
    first, again, other = (task.batch(7, torch.Generator(device).manual_seed(seed)) for seed in (3, 3, 4))
    assert all(map(torch.equal, first, again))
    assert not torch.equal(first.pictures, other.pictures)
    assert {part.device.type for part in first} == {device.type}


def test_bad_input():
    with pytest.raises(ValueError, match=r"canvas of at least 28 pixels and pieces of at most 28, .* got 27 and 8"):
        ClutteredDigits(27)
    with pytest.raises(ValueError, match="got 40 and 29"):
        ClutteredDigits(40, piece=29)
    with pytest.raises(ValueError, match="pieces to be a whole number of 0 or more, got -1"):
        ClutteredDigits(pieces=-1)
