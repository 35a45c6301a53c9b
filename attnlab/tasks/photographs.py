"""Four photographs of 160 x 160 pixels: pictures that nobody made for a model.

They lie beside this file, so nothing is downloaded; `photographs.md` names their sources and licences.
"""

from functools import cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import checked

FILE = Path(__file__).with_name("photographs.npz")
SIZE = 160
NAMES = ("a cat", "a cup of coffee", "an astronaut", "a rocket")


@checked
def photographs() -> dict[str, Float[Tensor, "3 height width"]]:
    """What is on each, and the photograph: red, green and blue from 0 to 1. Yours to change."""
    return {name: image.clone() for name, image in _all().items()}


@cache
def _all() -> dict[str, Tensor]:
    with np.load(FILE) as file:
        images = torch.from_numpy(file["images"]).permute(0, 3, 1, 2) / 255
    return dict(zip(NAMES, images, strict=True))
