"""Frames: pictures packed for the page. A slider's frames, one for each of its positions, play without the kernel.

A picture is {part of the explorer: {trait: value}}. Among frames each value is stored once, however many positions show
it, and all bytes of all arrays lie in one buffer.
"""

import gzip
import json
from collections.abc import Iterable, Iterator
from time import perf_counter, thread_time
from typing import Any

from traitlets import TraitError

LARGE = 2_000_000  # bytes; more frames are not sent
MANY = 1000  # positions, the same
SLOW = 0.4  # seconds of work; frames that take more are not made
SLICE = 0.1  # seconds of computing between two messages, so that the kernel stays awake


def wire(part, name: str, value) -> Any:
    """A trait's value as the part would send it to the page: validated, then made JSON with bytes inside."""
    trait = getattr(type(part), name)
    try:
        value = trait._validate(part, value)
    except TraitError:  # it may fit only together with the other traits of its frame
        value = trait.validate(part, value)
    to_json = trait.metadata.get("to_json", part._trait_to_json)
    return to_json(value, part)


class Frames:
    """Frames, being packed. `table` holds the distinct values, `bytes` what they have in bytes."""

    def __init__(self) -> None:
        self.frames, self.table, self.bytes = [], [], bytearray()
        self._places = {}
        self._text = 0

    def __len__(self) -> int:
        return len(self.frames)

    @property
    def size(self) -> int:
        """Bytes on the way to the page, about."""
        return len(self.bytes) + self._text

    def add(self, index: int, picture: dict) -> None:
        """`picture` is {part's id: {trait: value on the wire}}."""
        frame = {part: {name: self.place(value) for name, value in traits.items()} for part, traits in picture.items()}
        self.frames.append([index, frame])
        self._text += len(json.dumps(frame))

    def place(self, value) -> int:
        """Where a value stands in the table."""
        buffers = []
        text = json.dumps(without_bytes(value, buffers))
        key = (text, *buffers)
        if key not in self._places:
            self._places[key] = len(self.table)
            self.table.append(without_bytes(value, self.bytes))
            self._text += len(text)
        return self._places[key]


def sealed(document: Any) -> bytes:
    """Plain values with bytes among them as one packed file: the length of the text, the text (JSON), the bytes."""
    held = bytearray()
    text = json.dumps(without_bytes(document, held), ensure_ascii=False, separators=(",", ":")).encode()
    return gzip.compress(len(text).to_bytes(4, "little") + text + held, compresslevel=9, mtime=0)


def opened(content: bytes) -> tuple[dict, bytes]:
    """What `sealed` has packed: its document, in which bytes are places, and the bytes."""
    content = gzip.decompress(content)
    length = int.from_bytes(content[:4], "little")
    return json.loads(content[4 : 4 + length]), content[4 + length :]


def without_bytes(value, into: list | bytearray) -> Any:
    """`value` without its bytes: they go into a list (as objects) or a bytearray (end to end)."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        start = len(into)
        if isinstance(into, list):
            into.append(bytes(value))
        else:
            into += value
        return {"bytes": [start, len(into)]}
    if isinstance(value, dict):
        return {str(name): without_bytes(item, into) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_bytes(item, into) for item in value]
    return value


def pack(pictures: Iterable[tuple[int, dict]], total: int) -> tuple[Frames, str]:
    """Pack `(index, picture)` pairs for one slice of time; `total` positions are all there are.

    Returns the frames and why there will be none: "", "slow" or "large", estimated from the frames so far.
    """
    frames, begun, work = Frames(), perf_counter(), []
    if total > MANY:
        return frames, "large"
    for index, picture in _timed(pictures, work):
        frames.add(index, picture)
        if frames.size / len(frames) * total > LARGE and frames.size > LARGE / 8:
            return frames, "large"
        over = perf_counter() - begun > SLICE
        if (over or len(work) > 1) and min(work) * total > SLOW:  # the first one may have warmed something up
            return frames, "slow"
        if over:
            break
    return frames, ""


def _timed(pictures: Iterable, work: list) -> Iterator:
    """The same pictures; `work` gets the seconds that each took this thread, without its waiting for others."""
    start = thread_time()
    for one in pictures:
        work.append(thread_time() - start)
        yield one
        start = thread_time()
