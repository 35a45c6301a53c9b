"""Pictures of this lesson: white paper where a glimpse has fallen, dark elsewhere."""

import pytest
import torch

from attnlab.trained import new_glimpses
from widgets.explorers.l14_glimpses.looks import DARK, as_places, check_canvases, clicks, on_panel, unveiled


def test_dark_but_for_the_glimpses():
    shown = unveiled(torch.zeros(60, 60), torch.tensor([[-1.0, -1.0]]), new_glimpses())
    assert (shown[:16, :16] == 1).all()  # a square of 32 pixels around the corner
    assert (shown[16:] == DARK).all()
    assert (unveiled(torch.ones(60, 60), as_places([]), new_glimpses()) == DARK).all()


def test_pictures_of_another_kind_are_named(canvases):
    check_canvases(canvases, 40)
    none = canvases._replace(pictures=canvases.pictures[:0], labels=canvases.labels[:0])
    for wrong, said in [
        (none, "at least 1 picture, got 0"),
        (canvases._replace(pictures=255 * canvases.pictures), "255"),
    ]:
        with pytest.raises(ValueError, match=said):
            check_canvases(wrong)


def test_what_is_no_place_is_named():
    assert clicks([[0.5, -1], [0.1, 0.2, 0], [0.3, 0.4, 1]]) == [[0.5, -1], [0.1, 0.2]]
    with pytest.raises(ValueError, match="from -1 to 1"):
        clicks([[0.1, 2]])


def test_places_on_a_panel():
    assert on_panel(torch.tensor([[0.25, -1.0]]), 2) == [[0.25, -1.0, 2.0]]
