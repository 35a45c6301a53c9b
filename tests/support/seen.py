"""What an explorer's state is and what its parts show, as plain values that can be compared."""

import numpy as np

from widgets.base.frames import wire
from widgets.base.instrument import pack_array


def packed_state(explorer):
    """The state as something that can be compared, arrays too."""
    return {name: _plain(pack_array(x) if isinstance(x, np.ndarray) else x) for name, x in vars(explorer.state).items()}


def all_that_is_seen(explorer):
    """What all parts show; a moment says nothing of how an explorer came to where it is."""
    return {
        (name, trait): packed(part, trait, getattr(part, trait))
        for name, part in explorer.parts.items()
        for trait in part.shown_traits()
        if trait not in ("sequence", "versions", "views")
    }


def packed(part, name, value):
    """A value as bytes and text that can be compared."""
    return _plain(wire(part, name, value))


def _plain(value):
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value
