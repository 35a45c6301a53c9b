"""How pictures of this lesson look: ink on white paper, dark where no glimpse has fallen."""

import torch
from torch import Tensor

from attnlab.analysis import uncovered
from attnlab.checks import check_pixels
from attnlab.tasks.cluttered_digits import Canvases
from attnlab.vision.glimpses import RecurrentAttention, check_places
from widgets.base.words import counted

DARK = 0.15


def check_canvases(canvases: Canvases, least: int = 1) -> None:
    """Raises ValueError for fewer pictures, and for numbers that are not from 0 to 1."""
    if len(canvases.labels) < least:
        raise ValueError(f"expected at least {counted(least, 'picture')}, got {len(canvases.labels)}")
    check_pixels(canvases.pictures)


def clicks(glimpses) -> list[list[float]]:
    """Glimpses, [across, down] or [across, down, panel] each -> those of the first panel, where a hand may click.

    Raises ValueError for what is no place.
    """
    own = [list(glimpse[:2]) for glimpse in glimpses if len(glimpse) < 3 or glimpse[2] == 0]
    if any(len(click) != 2 for click in own):
        raise ValueError(f"expected places [across, down], got {own}")
    check_places(as_places(own))
    return own


def as_places(clicks: list[list[float]]) -> Tensor:
    """[glimpses, 2]."""
    return torch.tensor(clicks, dtype=torch.float32).reshape(-1, 2)


def unveiled(picture: Tensor, places: Tensor, model: RecurrentAttention) -> Tensor:
    """[height, width], 0 black to 1 white: what the model's retina shows at these places, the rest in the dark."""
    known = uncovered(picture, places.to(picture.device), model.size, model.scales)
    return (1 - known.picture).where(known.seen, DARK)


def on_panel(places: Tensor, panel: int) -> list[list[float]]:
    """The places as glimpses on one of several images."""
    return [[round(x, 4), round(y, 4), float(panel)] for x, y in places.tolist()]
