"""Weights out of files: whole ones, as numbers alone, and the ones that are meant. No pickle is ever opened."""

import hashlib
import os
from pathlib import Path

from attnlab.checks import checked


@checked
def checked_bytes(path: str | os.PathLike, sha256: str) -> bytes:
    """A file's content. Raises ValueError where it is not the one that has this hash, FileNotFoundError for none."""
    content = Path(path).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ValueError(
            f"expected the file whose sha256 begins with {sha256[:12]}, got {Path(path).name} with {found[:12]}: it is "
            "another version, or it was cut or changed; fetch it again"
        )
    return content
