"""Models on disk: safetensors, which cannot execute anything, with a small JSON header."""

import json
import os
from itertools import takewhile, zip_longest
from pathlib import Path
from reprlib import repr as shortened
from tempfile import TemporaryDirectory

import torch
from torch import nn

from attnlab.checks import checked


@checked
def save(model: nn.Module, path: str | os.PathLike, **header: object) -> None:
    """Writes the model's parameters and a header: architecture, versions, and what you add (vocabulary, seed, ...).

    The file is complete or not there: it is written elsewhere first, then moved. Who may read a new file may read it.
    Raises ValueError for a header that is not made of texts, numbers, lists and dicts, and for a folder as path.
    """
    from safetensors.torch import save_model

    versions = {"torch": str(torch.__version__)}
    try:
        text = json.dumps({**header, "architecture": _architecture(model), "versions": versions})
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected a header of texts, numbers, lists and dicts, got {header}: {error}") from None
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"expected the path of a file to write, got the folder {path}")
    with TemporaryDirectory(dir=path.parent, prefix=path.name) as folder:
        whole, plain = Path(folder, "whole"), Path(folder, "plain")
        save_model(model, str(whole), metadata={"header": text})
        plain.touch()
        whole.chmod(plain.stat().st_mode)  # safetensors lets its owner alone read it
        os.replace(whole, path)


@checked
def load(path: str | os.PathLike, model: nn.Module, **expected: object) -> dict:
    """Fills `model` with saved parameters and returns the header.

    `expected` entries must stand in the header as given: `load(path, model, vocabulary=task.target_vocabulary)`.
    Raises ValueError, and leaves the model as it is, when the file is damaged or cut, when it holds another
    architecture, and when its header is not as expected. A missing file is a FileNotFoundError.
    """
    from safetensors.torch import load_model

    header = _header(path)
    for name, value in {"architecture": _architecture(model), **expected}.items():
        if header.get(name) != value:
            raise ValueError(f"{path} holds another {name}: {_difference(value, header.get(name))}")
    _check_shared(model, path)
    load_model(model, path)
    return header


def _check_shared(model: nn.Module, path: str | os.PathLike) -> None:
    """Of tensors that are one and the same in the model the file holds one, under any of their names."""
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        held = set(file.keys())
    shared: dict[tuple, list[str]] = {}
    for name, tensor in model.state_dict().items():
        place = tensor.untyped_storage().data_ptr(), tensor.storage_offset(), tuple(tensor.shape)
        shared.setdefault(place if tensor.numel() else (name,), []).append(name)
    for names in shared.values():
        if len(held.intersection(names)) != 1:
            told = f"for {names}, which are one in this model" if len(names) > 1 else f"of its own for {names[0]!r}"
            raise ValueError(f"{path} holds another architecture: expected one tensor {told}")


def _architecture(model: nn.Module) -> str:
    shapes = [f"{name}: {list(tensor.shape)}" for name, tensor in model.state_dict().items()]
    return "\n".join([repr(model), *shapes])


def _header(path: str | os.PathLike) -> dict:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as file:
            return dict(json.loads(file.metadata()["header"]))
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        size = Path(path).stat().st_size
        raise ValueError(f"expected a whole checkpoint of attnlab, got {path} ({size} bytes): {error}") from None


def _difference(expected: object, got: object) -> str:
    """The first line that differs, from a little before the place where it does; the text of a model has many."""
    lines = zip_longest(str(expected).splitlines(), str(got).splitlines(), fillvalue="nothing")
    pair = next((pair for pair in lines if pair[0] != pair[1]), (repr(expected), repr(got)))
    same = len(list(takewhile(lambda signs: signs[0] == signs[1], zip(*pair, strict=False))))
    start = max(0, same - 12)
    wanted, found = (shortened(("..." if start else "") + line[start:].strip()) for line in pair)
    return f"expected {wanted}, got {found}"
