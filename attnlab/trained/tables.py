"""The tables that the scripts beside this file measure: JSON, with the versions that made them."""

import json
import platform
from pathlib import Path

import torch

HERE = Path(__file__).parent


def read(name: str) -> dict:
    """The table that a script wrote under this name."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def write(name: str, found: dict) -> None:
    """Where `read` finds it."""
    (HERE / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def versions() -> dict[str, str]:
    """Of Python and torch, for a table's header."""
    return {"python": platform.python_version(), "torch": str(torch.__version__)}
