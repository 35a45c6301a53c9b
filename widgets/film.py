"""A film: the picture for every position of one slider, packed for the page.

A picture is {part of the explorer: {trait: value}}. In a film each value is stored once, however many positions show
it, and all bytes of all arrays lie in one buffer.
"""

import json
from time import perf_counter, thread_time

from traitlets import TraitError

LARGE = 2_000_000  # bytes; a larger film is not sent
MANY = 1000  # positions, the same
SLOW = 0.4  # seconds of work; a film that takes more is not made
SLICE = 0.1  # seconds of computing between two messages, so that the kernel stays awake


def wire(part, name, value):
    """A trait's value as the part would send it to the page: validated, then made JSON with bytes inside."""
    trait = getattr(type(part), name)
    try:
        value = trait._validate(part, value)
    except TraitError:  # it may fit only together with the other traits of its frame
        value = trait.validate(part, value)
    to_json = trait.metadata.get("to_json", part._trait_to_json)
    return to_json(value, part)


class Reel:
    """Frames of a film, being packed. `table` holds the distinct values, `bytes` what they have in bytes."""

    def __init__(self):
        self.frames, self.table, self.bytes = [], [], bytearray()
        self._places = {}
        self._text = 0

    def __len__(self):
        return len(self.frames)

    @property
    def size(self) -> int:
        """Bytes on the way to the page, about."""
        return len(self.bytes) + self._text

    def add(self, index: int, picture: dict) -> None:
        """`picture` is {part's id: {trait: value on the wire}}."""
        frame = {part: {name: self._place(value) for name, value in traits.items()} for part, traits in picture.items()}
        self.frames.append([index, frame])
        self._text += len(json.dumps(frame))

    def _place(self, value) -> int:
        buffers = []
        text = json.dumps(_take(value, buffers))
        key = (text, *buffers)
        if key not in self._places:
            self._places[key] = len(self.table)
            self.table.append(_take(value, self.bytes))
            self._text += len(text)
        return self._places[key]


def _take(value, into):
    """`value` without its bytes: they go into a list (as objects) or a bytearray (end to end)."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        start = len(into)
        if isinstance(into, list):
            into.append(bytes(value))
        else:
            into += value
        return {"bytes": [start, len(into)]}
    if isinstance(value, dict):
        return {str(name): _take(item, into) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_take(item, into) for item in value]
    return value


def shoot(pictures, total: int) -> tuple[Reel, str]:
    """Pack `(index, picture)` pairs for one slice of time; `total` positions make the whole film.

    Returns the frames and why there will be no film: "", "slow" or "large", estimated from the frames so far.
    """
    reel, begun, work = Reel(), perf_counter(), []
    if total > MANY:
        return reel, "large"
    for index, picture in timed(pictures, work):
        reel.add(index, picture)
        if reel.size / len(reel) * total > LARGE and reel.size > LARGE / 8:
            return reel, "large"
        over = perf_counter() - begun > SLICE
        if (over or len(work) > 1) and min(work) * total > SLOW:  # the first one may have warmed something up
            return reel, "slow"
        if over:
            break
    return reel, ""


def timed(pictures, work: list):
    """The same pictures; `work` gets the seconds that each took this thread, without its waiting for others."""
    start = thread_time()
    for one in pictures:
        work.append(thread_time() - start)
        yield one
        start = thread_time()
