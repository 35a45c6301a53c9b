"""Numbers on their way to a page without a kernel, in as few bytes as their digits need."""

from math import prod
from typing import Any

import numpy as np

from widgets.base.frames import sealed


def lighter(value: Any) -> Any:
    """Numbers of eight bytes as numbers of four: seven digits of them are right."""
    if isinstance(value, dict) and value.get("type") == "float64" and "data" in value:
        numbers = np.frombuffer(value["data"], np.float64).astype(np.float32)
        return {**value, "type": "float32", "data": numbers.tobytes()}
    if isinstance(value, dict):
        return {name: lighter(item) for name, item in value.items()}
    return [lighter(item) for item in value] if isinstance(value, (list, tuple)) else value


def unchanged(value: Any) -> Any:
    """All digits of a value."""
    return value


def halved(value: Any) -> Any:
    """Arrays of four-byte numbers as numbers of two bytes times a power of 2, all their low bytes before all high ones:
    three digits are right, and where a number is less than a few billionths of the largest, fewer."""
    if isinstance(value, dict) and "shape" in value and "data" in value:
        if value.get("type", "float32") != "float32" or len(value["data"]) != 4 * prod(value["shape"]):
            return value  # other numbers, the bytes of an image for one
        rest = {name: item for name, item in value.items() if name != "data"}
        return {**rest, **_halves(np.frombuffer(bytes(value["data"]), np.float32))}
    if isinstance(value, dict):
        return {name: halved(item) for name, item in value.items()}
    return [halved(item) for item in value] if isinstance(value, (list, tuple)) else value


def _halves(numbers: np.ndarray) -> dict:
    largest = np.abs(numbers, where=np.isfinite(numbers), out=np.zeros_like(numbers)).max(initial=0)
    power = int(np.frexp(largest)[1]) - 15
    halves = np.ldexp(numbers.astype(np.float64), -power).astype(np.float16)
    return {"halves": halves.view(np.uint8).reshape(-1, 2).T.tobytes(), "power": power}


def packed_size(made: dict) -> int:
    """Bytes of it, packed."""
    return len(sealed(made))


def columns_of(rows: list[list[int]], width: int) -> bytes:
    """Whole numbers under 65,536, column after column: each changes seldom from row to row, and packs well."""
    return np.array(rows, np.uint16).reshape(len(rows), width).T.tobytes()
