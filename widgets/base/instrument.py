"""Instrument: the base of every view of ours. One look, one frame protocol, a name in words."""

import gzip
import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
from anywidget._util import get_repr_metadata
from ipywidgets import Box, Widget
from ipywidgets.widgets.widget import _instances
from traitlets import Bytes, Dict, Instance, Int, TraitError, TraitType, Unicode

from widgets.base.misfits import check_names

STATIC = Path(__file__).parents[1] / "static"  # the scripts of the views, built from their sources by `make scripts`
# Of roles and ramps, as the scripts have them.
COLOURS = json.loads(Path(__file__).with_name("theme.json").read_text(encoding="utf-8"))


class Library(Widget):
    """A script that comes to a page once, whatever the number of views. Hidden.

    The kernel pushes it, because a page that asked for it would wait behind Run All. A plain widget model, which needs
    no script itself.
    """

    version = Unicode(help="changes with the script").tag(sync=True)
    source = Bytes(help="the script, gzipped").tag(sync=True)


_libraries: dict[str, Library] = {}


def library(name: str, source: Callable[[], str] | None = None) -> Library:
    """The one library widget of this kernel for the script `name`, made when the first view needs it.

    `source` gives the script; without it, it is the bundle of that name.
    """
    known = _libraries.get(name)
    if known is None or known.comm is None:  # None: everything was closed
        version, packed = _packed(name, source)
        _libraries[name] = Library(version=version, source=packed)
    return _libraries[name]


@cache
def _packed(name: str, source: Callable[[], str] | None) -> tuple[str, bytes]:
    """A script's version, and its bytes as they travel; a large one takes a fifth of a second."""
    text = source().encode() if source else (STATIC / f"{name}.js").read_bytes()
    return hashlib.sha256(text).hexdigest()[:12], gzip.compress(text, compresslevel=6, mtime=0)


def numpy_of(value) -> Any:
    """A torch tensor of any device and precision as a numpy array, in float32 where it has fewer bits, since numpy has
    no bfloat16; anything else as it is."""
    if not hasattr(value, "detach"):
        return value
    value = value.detach().cpu()
    return (value.float() if value.is_floating_point() and value.element_size() < 4 else value).numpy()


class Array(TraitType):
    """A float32 numpy array that travels to the page as raw bytes: `{shape, data}`.

    Takes anything `numpy.asarray` takes, torch tensors, and None for "nothing there" (the default).
    `ndim` is the number of axes it must have. Not-a-number is let through (the page draws it as such).
    """

    info_text = "an array of numbers"

    def __init__(self, ndim: int | None = None, **kwargs) -> None:
        self.ndim = ndim
        super().__init__(None, allow_none=True, **kwargs)
        self.tag(sync=True, to_json=pack_array, from_json=unpack_array)

    def validate(self, obj, value) -> np.ndarray:
        try:
            array = np.ascontiguousarray(numpy_of(value), dtype=np.float32)
        except (TypeError, ValueError) as error:
            got = type(value).__name__
            raise TraitError(f"{self.name}: expected an array of numbers, got {got}: {error}") from None
        if self.ndim is not None and array.ndim != self.ndim:
            raise TraitError(f"{self.name}: expected {self.ndim} axes, got shape {array.shape}")
        return array

    def set(self, obj, value) -> None:
        # traitlets would ask `old == new`, which numpy answers with an array.
        new = self._validate(obj, value)
        old = obj._trait_values.get(self.name, self.default_value)
        obj._trait_values[self.name] = new
        same = old is new if old is None or new is None else np.array_equal(old, new, equal_nan=True)
        if not same:
            obj._notify_trait(self.name, old, new)


def pack_array(array, owner=None) -> dict | None:
    """numpy array -> `{shape, data}` with the bytes as a buffer; None stays None."""
    return None if array is None else {"shape": list(array.shape), "data": memoryview(array.reshape(-1).view(np.uint8))}


def unpack_array(packed, owner=None) -> np.ndarray | None:
    """`{shape, data}` from the page -> numpy array; None stays None.

    Raises `TraitError` where the bytes are not as many as the shape says.
    """
    if packed is None:
        return None
    shape, numbers = tuple(packed["shape"]), np.frombuffer(packed["data"], dtype=np.float32)
    if numbers.size != np.prod(shape, dtype=int):
        raise TraitError(f"expected {np.prod(shape, dtype=int)} numbers for shape {shape}, got {numbers.size}")
    return numbers.reshape(shape)


class InWords:
    """The whole name in words in the mime bundle, for readers without a kernel: ipywidgets cuts it at 110 letters.

    Subclasses give a `__repr__` that is stable: lessons are compared by it. On Colab the bundle says, too, by what a
    view is drawn: a box of ours is no anywidget, but Colab knows what is in it only by this.
    """

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]  # of the widget it is mixed into
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        return {**data, "text/plain": repr(self)}, get_repr_metadata()


def leave_boxes(widget) -> None:
    """Take a widget that is about to be closed out of the boxes that hold it.

    A page that is loaded again asks for all widgets of the kernel, and one box with a closed child is enough for
    ipywidgets to give up: no view would come back, of whatever cell.
    """
    for box in list(_instances.values()):
        if isinstance(box, Box) and widget in box.children:
            box.children = [child for child in box.children if child is not widget]


# Traits that are no part of what a view shows: what every widget has, and what belongs to the page.
OTHERS = ("layout", "tabbable", "tooltip", "libraries", "pending")


class Instrument(InWords, anywidget.AnyWidget):
    """A view of ours: an anywidget whose script, named `bundle`, comes to the page in a library widget.

    What anywidget itself gets is the same few bytes for each: they fetch the script (base/js/loader.js).

    `sequence` counts the hand's movements; an answer of the kernel carries the sequence it answers, so that frames that
    play in the page are not overrun by answers to older positions.
    """

    _esm = (STATIC / "loader.js").read_text(encoding="utf-8")
    bundle = ""  # the view's own script: static/<bundle>.js
    libraries = Dict(
        value_trait=Instance(Library),
        help="{name of a script: the widget that holds it, to the page its id}, the view's own first",
    ).tag(sync=True, to_json=lambda held, _: {name: one.model_id for name, one in held.items()})
    sequence = Int(-1, help="the latest movement that this state answers; -1: no picture yet").tag(sync=True)

    _quiet: set | None = None  # while traits are set without a message: which were

    def __init__(self, **traits) -> None:
        self._check_names(traits)
        libraries = {self.bundle: library(self.bundle), **traits.pop("libraries", {})}
        super().__init__(libraries=libraries, **traits)
        self.on_msg(self._receive)

    def _receive(self, _, message, buffers) -> None:
        """The page has missed something, the state of this view or a script; or a hand that is still moving has set a
        trait, which is not said back, as ipywidgets would: it may be elsewhere by then."""
        if message.get("kind") == "state":
            self.send_state(self.shown_traits())
        elif message.get("kind") == "script":
            held = library(message["name"])
            self.send({"kind": "script", "name": message["name"], "version": held.version}, [held.source])
        elif message.get("kind") == "hand" and message["trait"] in self.keys:
            with self._lock_property(**{message["trait"]: message["value"]}):
                self.set_trait(message["trait"], message["value"])

    def _check_names(self, traits: dict) -> None:
        if not all(map(self.has_trait, traits)):
            check_names(type(self).__name__, filter(lambda name: not self.has_trait(name), traits), self.shown_traits())

    @property
    def is_told_by_page(self) -> bool:
        """Whether what changes in it now is what the page has just said."""
        return bool(self._property_lock)

    def shown_traits(self) -> list[str]:
        """The names of the traits that make up what is seen."""
        return [name for name in self.keys if not name.startswith("_") and name not in OTHERS]

    def offers(self, trait: str) -> list:
        """The values that a hand may give to a trait where they are a few that can be counted; else nothing."""
        return []

    def show(self, **traits) -> None:
        """Set several traits as one message to the page. Raises TypeError where it has none of a name."""
        self._check_names(traits)
        with self.hold_sync():
            for name, value in traits.items():
                setattr(self, name, value)

    def take(self, **traits) -> dict:
        """Set several traits without a message: who calls tells the page {trait: value on the wire}."""
        self._check_names(traits)
        self._quiet = set()
        try:
            with self.hold_trait_notifications():  # labels and numbers of another shape are checked together
                for name, value in traits.items():
                    setattr(self, name, value)
            return self.get_state(self._quiet)
        finally:
            self._quiet = None

    def _should_send_property(self, key, value) -> bool:
        if self._quiet is None:
            return super()._should_send_property(key, value)
        self._quiet.add(key)
        return False


class Fitting(Instrument):
    """An instrument whose traits must fit each other, as numbers and labels do: what is set at once is checked at once.

    Its validators raise `TraitError`, which takes all of it back.
    """

    def show(self, **traits) -> None:
        """Set several traits as one message to the page, checked together."""
        with self.hold_sync(), self.hold_trait_notifications():
            super().show(**traits)
