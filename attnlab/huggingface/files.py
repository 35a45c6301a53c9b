"""Weights out of files: whole ones, as numbers alone, and the ones that are meant. No pickle is ever opened."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from torch import Tensor

from attnlab.checks import checked


@checked
class SafetensorsFiles(Mapping[str, Tensor]):
    """The tensors of all `*.safetensors` in a folder, each read when it is asked for.

    Raises ValueError where there are none, and for a file that is damaged or cut.
    """

    def __init__(self, folder: str | os.PathLike) -> None:
        from safetensors import SafetensorError, safe_open

        files = sorted(Path(folder).glob("*.safetensors"))
        if not files:
            raise ValueError(
                f"expected a folder with *.safetensors, {Path(folder).name} has none; pytorch_model.bin and other "
                "pickles are not opened here, for they could execute anything"
            )
        try:
            opened = [safe_open(file, "pt") for file in files]
        except SafetensorError as error:
            raise ValueError(f"expected whole safetensors files in {Path(folder).name}: {error}") from None
        self._files = {name: file for file in opened for name in file.keys()}  # noqa: SIM118  # it is no dict

    def __getitem__(self, name: str) -> Tensor:
        return self._files[name].get_tensor(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


@contextmanager
def reading(path: str | os.PathLike) -> Iterator[None]:
    """Whatever goes wrong within, for the file holds what its kind never does, is a ValueError that names the file."""
    try:
        yield
    except (ValueError, OSError):
        raise
    except Exception as error:
        raise ValueError(
            f"expected a whole file, but {Path(path).name} is damaged, or made by other rules than its kind has: "
            f"{type(error).__name__} {error}"
        ) from error


@checked
def check_hash(path: str | os.PathLike, sha256: str) -> None:
    """Raises ValueError where a file is not the one that has this hash, FileNotFoundError for none."""
    with open(path, "rb") as file:
        _compare(Path(path).name, hashlib.file_digest(file, "sha256").hexdigest(), sha256)


@checked
def checked_bytes(path: str | os.PathLike, sha256: str) -> bytes:
    """A file's content. Raises ValueError where it is not the one that has this hash, FileNotFoundError for none."""
    content = Path(path).read_bytes()
    _compare(Path(path).name, hashlib.sha256(content).hexdigest(), sha256)
    return content


def _compare(name: str, found: str, sha256: str) -> None:
    if found != sha256:
        raise ValueError(
            f"expected the file whose sha256 begins with {sha256[:12]}, got {name} with {found[:12]}: it is another "
            "version, or it was cut or changed; fetch it again"
        )
