"""Models on disk: safetensors, which cannot execute anything, with a small JSON header."""

import json
import os
import tempfile
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: str | os.PathLike, **header):
    """Writes the model's parameters and a header: architecture, versions, and what you add (vocabulary, seed, ...).

    `header` must consist of what JSON can hold. The file is complete or not there: it is written under another name
    first. Raises ValueError for a header that is not JSON.
    """
    from safetensors.torch import save_model

    try:
        text = json.dumps({**header, "architecture": repr(model), "versions": {"torch": str(torch.__version__)}})
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected a header of texts, numbers, lists and dicts, got {header}: {error}") from None
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    os.close(handle)
    try:
        save_model(model, temporary, metadata={"header": text})
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def load(model: nn.Module, path: str | os.PathLike, **expected) -> dict:
    """Fills `model` with saved parameters and returns the header.

    `expected` entries must be in the header as given: `load(model, path, vocabulary=task.target_vocabulary)`.
    Raises ValueError, and leaves the model as it is, when the file is damaged or cut, when it holds another
    architecture, and when its header is not as expected. A missing file is a FileNotFoundError.
    """
    from safetensors.torch import load_model

    header = _header(path)
    wanted = {"architecture": repr(model), **expected}
    for name, value in wanted.items():
        if header.get(name) != value:
            raise ValueError(f"{path} holds another {name}: expected {value}, got {header.get(name)}")
    load_model(model, path)
    return header


def _header(path: str | os.PathLike) -> dict:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as file:
            return json.loads(file.metadata()["header"])
    except (SafetensorError, KeyError, TypeError, json.JSONDecodeError) as error:
        size = Path(path).stat().st_size
        raise ValueError(f"{path} ({size} bytes) is not a complete checkpoint of attnlab: {error}") from None
