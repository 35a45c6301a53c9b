"""Pictures of this lesson: white paper where a glimpse has fallen, dark elsewhere."""

import pytest
import torch

from attnlab.trained import new_glimpses
from widgets.explorers.l14_glimpses.looks import DARK, as_places, clicks, on_panel, unveiled


def test_dark_but_for_the_glimpses():
    shown = unveiled(torch.zeros(60, 60), torch.tensor([[-1.0, -1.0]]), new_glimpses())
    assert (shown[:16, :16] == 1).all()  # a square of 32 pixels around the corner
    assert (shown[16:] == DARK).all()
    assert (unveiled(torch.ones(60, 60), as_places([]), new_glimpses()) == DARK).all()


def test_what_is_no_place_is_named():
    assert clicks([[0.5, -1], [0.1, 0.2, 0], [0.3, 0.4, 1]]) == [[0.5, -1], [0.1, 0.2]]
    with pytest.raises(ValueError, match="from -1 to 1"):
        clicks([[0.1, 2]])


def test_places_on_a_panel():
    assert on_panel(torch.tensor([[0.25, -1.0]]), 2) == [[0.25, -1.0, 2.0]]
