"""Instrument: the base of every view of ours. One look, one film protocol, a name in words, a still picture."""

import base64
import gzip
import io
from pathlib import Path

import anywidget
import numpy as np
from ipywidgets import Box
from ipywidgets.widgets.widget import _instances
from traitlets import Int, TraitError, TraitType

HERE = Path(__file__).parent
CSS = (HERE / "instrument.css").read_text()


def script(*names: str) -> str:
    """The ES module of an instrument: the shared prelude, then its own files `<name>.js` one after the other.

    A string, not a path: anywidget would connect a file watcher to every instance made from a path.
    """
    return "".join((HERE / f"{name}.js").read_text() for name in ("instrument", *names))


def packed(source: str) -> str:
    """A module that unpacks `source` in the page: fewer bytes, for every instance of a widget sends its script."""
    data = base64.b64encode(gzip.compress(source.encode(), mtime=0)).decode()
    return f"""
const bytes = Uint8Array.from(atob("{data}"), (c) => c.charCodeAt(0));
const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
const url = URL.createObjectURL(new Blob([text], {{ type: "text/javascript" }}));
const module = await import(url);
URL.revokeObjectURL(url);
export default module.default;
"""


def style(name: str) -> str:
    """The shared style sheet, then the instrument's own file `<name>.css`, if there is one."""
    own = HERE / f"{name}.css"
    return CSS + (own.read_text() if own.exists() else "")


class Array(TraitType):
    """A float32 numpy array that travels to the page as raw bytes: `{shape, data}`.

    Takes anything `numpy.asarray` takes, torch tensors, and None for "nothing there" (the default).
    `ndim` is the number of axes it must have. Not-a-number is let through (the page draws it as such).
    """

    info_text = "an array of numbers"

    def __init__(self, ndim: int | None = None, **kwargs):
        self.ndim = ndim
        super().__init__(None, allow_none=True, **kwargs)
        self.tag(sync=True, to_json=pack_array, from_json=unpack_array)

    def validate(self, obj, value):
        if hasattr(value, "detach"):
            value = value.detach().cpu().numpy()
        try:
            array = np.ascontiguousarray(value, dtype=np.float32)
        except (TypeError, ValueError) as error:
            got = type(value).__name__
            raise TraitError(f"{self.name}: expected an array of numbers, got {got}: {error}") from None
        if self.ndim is not None and array.ndim != self.ndim:
            raise TraitError(f"{self.name}: expected {self.ndim} axes, got shape {array.shape}")
        return array

    def set(self, obj, value):
        # traitlets would ask `old == new`, which numpy answers with an array.
        new = self._validate(obj, value)
        old = obj._trait_values.get(self.name, self.default_value)
        obj._trait_values[self.name] = new
        same = old is new if old is None or new is None else np.array_equal(old, new, equal_nan=True)
        if not same:
            obj._notify_trait(self.name, old, new)


def pack_array(array, owner=None):
    """numpy array -> `{shape, data}` with the bytes as a buffer; None stays None."""
    return None if array is None else {"shape": list(array.shape), "data": memoryview(array).cast("B")}


def unpack_array(packed, owner=None):
    """`{shape, data}` from the page -> numpy array; None stays None.

    Raises `TraitError` where the bytes are not as many as the shape says.
    """
    if packed is None:
        return None
    shape, numbers = tuple(packed["shape"]), np.frombuffer(packed["data"], dtype=np.float32)
    if numbers.size != np.prod(shape, dtype=int):
        raise TraitError(f"expected {np.prod(shape, dtype=int)} numbers for shape {shape}, got {numbers.size}")
    return numbers.reshape(shape)


class Still:
    """A name in words and a still picture in the mime bundle, for readers without a kernel.

    Subclasses give `__repr__` (stable: nbval compares it) and `still(axes)`, which draws on matplotlib axes and
    returns False where there is nothing to draw.
    """

    still_size = (7.0, 3.0)  # inches

    def still(self, axes) -> bool | None:
        return False

    def still_png(self) -> bytes | None:
        """The still as PNG bytes, or None."""
        from matplotlib.figure import Figure  # slow to import, and only needed when something is displayed

        figure = Figure(figsize=self.still_size, layout="constrained", dpi=110)
        if self.still(figure.subplots()) is False:
            return None
        out = io.BytesIO()
        figure.savefig(out, format="png", metadata={"Software": None})
        return out.getvalue()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        data = {**data, "text/plain": repr(self)}
        if png := self.still_png():
            data["image/png"] = base64.b64encode(png).decode()
            metadata = {**metadata, "image/png": {"alt": repr(self)}}
        return data, metadata


def leave_boxes(widget):
    """Take a widget that is about to be closed out of the boxes that hold it.

    A page that is loaded again asks for all widgets of the kernel, and one box with a closed child is enough for
    ipywidgets to give up: no view would come back, of whatever cell.
    """
    for box in list(_instances.values()):
        if isinstance(box, Box) and widget in box.children:
            box.children = [child for child in box.children if child is not widget]


class Instrument(Still, anywidget.AnyWidget):
    """A view of ours: an anywidget with the shared look.

    `stamp` counts the hand's movements; an answer of the kernel carries the stamp it answers, so that a film that
    plays in the page is not overrun by answers to older positions.
    """

    _css = CSS
    stamp = Int(-1, help="the latest movement of the hand that this state answers; -1: no picture yet").tag(sync=True)

    _quiet = None

    def show(self, **traits):
        """Set several traits as one message to the page."""
        with self.hold_sync():
            for name, value in traits.items():
                setattr(self, name, value)

    def take(self, **traits) -> dict:
        """Set several traits without a message: who calls tells the page {trait: value on the wire}."""
        self._quiet = set()
        try:
            with self.hold_trait_notifications():  # labels and numbers of another shape are checked together
                for name, value in traits.items():
                    setattr(self, name, value)
            return self.get_state(self._quiet)
        finally:
            self._quiet = None

    def _should_send_property(self, key, value):
        if self._quiet is None:
            return super()._should_send_property(key, value)
        self._quiet.add(key)
        return False
