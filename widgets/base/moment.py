"""A moment: an explorer's whole state as a short text, which opens it again.

    TemperatureExplorer.1.eNqLVjLUMdYxNI7VUVBKLE5RAACDqgSZ….DcMhjA

The class, the number of this form, the state, and a check by which a text that was changed on its way is found out. The
state is JSON, compressed, in letters that a link or a mail leaves alone. Reading one makes numbers and texts, nothing
else: what they mean is checked by the state's own traits.
"""

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2s
from typing import Any

import numpy as np

from widgets.base.instrument import numpy_of

FORM = 1
LARGEST = 1_000_000  # letters of a state, unpacked: a few letters may unpack to gigabytes
ARRAYS = ("bool", "int32", "int64", "float32", "float64")


def write_moment(kind: str, state: dict, seen: str) -> str:
    """The moment of an explorer of this kind. seen: what it says in words, to know it again.

    Raises ValueError for a state of other things than numbers, texts, lists, dicts and arrays.
    """
    told = {name: _plain(value, name) for name, value in state.items()}
    text = json.dumps([told, fingerprint(seen)], separators=(",", ":"), ensure_ascii=False)
    body = f"{kind}.{FORM}.{_letters(zlib.compress(text.encode(), 9))}"
    return f"{body}.{fingerprint(body)}"


def read_moment(moment: str, kind: str) -> tuple[dict, str]:
    """The state in a moment of this kind, and the fingerprint of what was seen. White space in it does not count.

    Raises ValueError for another text, one that was changed or cut, one of another explorer or of a later form.
    """
    if not isinstance(moment, str) or len(parts := "".join(moment.split()).strip("\"'").split(".")) != 4:
        shown = repr(moment)
        shown = shown if len(shown) <= 50 else f"{shown[:47]}..."
        raise ValueError(f"expected a moment, a text such as {kind}.{FORM}.eNqL….bZ4yVQ, all of it; got {shown}")
    of, form, packed, check = parts
    if check != fingerprint(f"{of}.{form}.{packed}"):
        raise ValueError("this moment is not as it was copied: letters were changed or lost on the way; copy it again")
    if of != kind:
        raise ValueError(f"this moment is of another explorer: expected one of {kind}, got one of {of}")
    if form != str(FORM):
        raise ValueError(f"this moment has form {form}, this attnlab reads form {FORM}: bring both to one version")
    try:
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), LARGEST)
        if unpacking.unconsumed_tail:
            raise ValueError
        told, seen = json.loads(text)
        return {name: _value(value) for name, value in told.items()}, seen
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError, zlib.error):
        raise ValueError("this moment holds no state that can be read: it was not written by attnlab") from None


def fingerprint(text: str) -> str:
    """Six letters that another text has not, but by a rare chance."""
    return _letters(blake2s(text.encode(), digest_size=4).digest())


def _letters(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


# What JSON has no word for is an object with one name, its kind: an explorer's own dicts are told so, too.


def _plain(value: Any, name: str) -> Any:
    """A value as JSON."""
    value = numpy_of(value)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [_plain(each, name) for each in value]
    if isinstance(value, tuple):
        return {"tuple": [_plain(each, name) for each in value]}
    if isinstance(value, dict):
        return {"dict": [[_plain(key, name), _plain(each, name)] for key, each in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype.name in ARRAYS:
        return {"array": [value.dtype.name, list(value.shape), [_shortest(each) for each in value.ravel()]]}
    raise ValueError(f"{name}: expected numbers, texts, lists, dicts or arrays, got {type(value).__name__}")


def _shortest(number: np.generic) -> int | float:
    """The shortest number that becomes this one in its own precision."""
    return json.loads(str(number)) if number.dtype.name == "float32" and np.isfinite(number) else number.item()


def _value(told: Any) -> Any:
    """A value back from JSON."""
    if isinstance(told, list):
        return [_value(each) for each in told]
    if not isinstance(told, dict):
        return told
    [(kind, held)] = told.items()
    if kind == "array":
        dtype, shape, numbers = held
        return np.array(numbers, dtype=ARRAYS[ARRAYS.index(dtype)]).reshape(shape)
    return {"tuple": tuple, "dict": dict}[kind](_value(each) for each in held)
