"""Figures as plain values: dicts, lists, texts, numbers and numeric arrays; and as bytes on the way to a page."""

import base64
import math
import re
from datetime import date
from typing import Any

import numpy as np

from widgets.base.instrument import numpy_of

FORMULA = re.compile(r"\$[^$]*\$")


def merge(old: dict, new: dict) -> dict:
    """`old` with the values of `new`, dicts within dicts merged; both stay as they are."""
    both = {k: merge(old[k], v) if isinstance(v, dict) and isinstance(old.get(k), dict) else v for k, v in new.items()}
    return {**old, **both}


def plain(value) -> Any:
    """A figure's value as dicts, lists, text, numbers and numeric arrays. ValueError for a formula."""
    value = numpy_of(value)
    if isinstance(value, dict) and "bdata" in value:
        return plain(decoded(value))
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        # Curves stay exact; pictures of many cells are sent in half the bytes.
        return np.ascontiguousarray(value, dtype=np.float64 if value.ndim == 1 else np.float32)
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, str):
        return without_formula(value)
    if isinstance(value, np.ndarray):
        return plain(np.datetime_as_string(value).tolist() if value.dtype.kind == "M" else value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def decoded(packed: dict) -> np.ndarray:
    """Plotly's own form of an array, base64 in a dict."""
    array = np.frombuffer(base64.b64decode(packed["bdata"]), dtype=packed["dtype"])
    return array.reshape([int(n) for n in str(packed["shape"]).split(",")]) if "shape" in packed else array


def without_formula(text: str) -> str:
    if FORMULA.search(text):
        raise ValueError(
            'expected plain or Unicode text (such as "√d" or "αᵢⱼ"): a chart cannot show formulas '
            f"between dollar signs, and a page with formulas would show nothing; got {text!r}"
        )
    return text


def pack(value) -> Any:
    """Arrays -> `{shape, type, data}` with their bytes as a buffer."""
    if isinstance(value, np.ndarray):
        return {"shape": list(value.shape), "type": value.dtype.name, "data": value.tobytes()}
    if isinstance(value, dict):
        return {k: pack(v) for k, v in value.items()}
    return [pack(v) for v in value] if isinstance(value, list) else value
