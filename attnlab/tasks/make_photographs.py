"""Makes `photographs.npz` out of scikit-image's wheel: `python -m attnlab.tasks.make_photographs scikit_image-*.whl`.

The wheel comes by `pip download --no-deps scikit-image==0.26.0`; nothing of it is installed. Pillow reads the pictures.
"""

import sys
from zipfile import ZIP_LZMA, ZipFile

import numpy as np
from PIL import Image

from attnlab.tasks.photographs import FILE, NAMES, SIZE

# name: the file, and the square that is cut out of it: left, top, side
CUTS = {
    "a cat": ("chelsea.png", 105, 0, 300),
    "a cup of coffee": ("coffee.png", 100, 0, 400),
    "an astronaut": ("astronaut.png", 40, 0, 430),
    "a rocket": ("rocket.jpg", 90, 0, 427),
}
STEP = 4  # colours are kept in steps of so many of 255, which no eye sees and which halves the file


def main(wheel: str) -> None:
    with ZipFile(wheel) as packed:
        images = np.stack([_square(packed, *CUTS[name]) for name in NAMES])
    with ZipFile(FILE, "w", ZIP_LZMA) as file, file.open("images.npy", "w") as part:
        np.lib.format.write_array(part, images, allow_pickle=False)


def _square(packed: ZipFile, name: str, left: int, top: int, side: int) -> np.ndarray:
    with packed.open(f"skimage/data/{name}") as file:
        whole = Image.open(file).convert("RGB")
    cut = whole.crop((left, top, left + side, top + side)).resize((SIZE, SIZE), Image.Resampling.LANCZOS)
    return (np.asarray(cut) // STEP * STEP + STEP // 2).astype(np.uint8)


if __name__ == "__main__":
    main(*sys.argv[1:])
