"""Controls: the bar above a picture, made from an explorer's state.

    temperature = slider(1.0, 0.1, 4.0, step=0.1, help="divides the scores before the softmax")

Each function below makes a trait that checks its values and knows its control. The bar itself knows nothing of the
picture: it sends what the hand did, and plays frames.
"""

from collections.abc import Callable
from decimal import Decimal
from numbers import Integral
from typing import Any

from traitlets import Dict, List, TraitError, TraitType, Unicode

from widgets.base.instrument import Instrument

VISIBLE = 5  # controls; the others wait behind "more"


class StateError(TraitError, ValueError):
    """A value that a control does not take."""


class State(TraitType):
    """A part of an explorer's state. `accept` returns the value to keep, or raises ValueError or TypeError.

    `expected` is what an error says was expected; `spec` is what the page needs to draw the control, None for a part
    of the state without one. `follows`: the view and its trait that a hand changes, and this state with it.
    """

    def __init__(
        self,
        default,
        accept: Callable,
        expected: str,
        help: str,
        spec: dict | None = None,
        follows: tuple[str, str] | None = None,
    ) -> None:
        self.accept, self.expected, self.spec, self.follows = accept, expected, spec, follows
        super().__init__(self.checked(default, "default"), help=help)

    def validate(self, obj, value) -> Any:
        return self.checked(value, self.name)

    def checked(self, value, name: str | None) -> Any:
        """The value to keep, or a StateError that says what was expected and what came."""
        try:
            return self.accept(value)
        except Exception:  # of whatever kind: a tensor raises RuntimeError, a number without end OverflowError
            shown = repr(value)
            shown = shown if len(shown) <= 80 else shown[:77] + "..."
            raise StateError(f"{name}: expected {self.expected}, got {shown}") from None


def slider(default, min, max, step=None, label=None, help="", follows=None) -> State:
    """A number from `min` to `max`. Whole numbers where `step` is whole (and where it is not given: 1).

    Where its steps are places in a list, the picture says what stands there:
    `{"controls": {"labels": {"names": ["1", "2", "4", "8"]}}}`.
    """
    step = 1 if step is None else step
    whole = isinstance(step, Integral) and isinstance(min, Integral)

    def accept(x) -> object:
        x = _whole(x) if whole else _real(x)
        if not min <= x <= max:
            raise ValueError
        return x

    kind = "a whole number" if whole else "a number"
    spec = {"kind": "slider", "label": label, "min": min, "max": max, "step": step, "decimals": decimals(min, step)}
    return State(default, accept, f"{kind} from {min} to {max}", help, spec, follows)


def stepper(default, min, max, label=None, help="", follows=None, beat=500) -> State:
    """A position from `min` to `max`, with buttons for first, back, play and forward; `beat`: ms a position in play.

    Where the last position depends on the rest of the state, `max` is None and the picture says it; it may name each
    position: `{"controls": {"step": {"max": 2, "names": ["before", "now", "after"]}}}`.
    """

    def accept(x) -> object:
        x = _whole(x)
        if x < min or (max is not None and x > max):
            raise ValueError
        return x

    upper = "on" if max is None else f"to {max}"
    spec = {"kind": "stepper", "label": label, "min": min, "max": max, "step": 1, "decimals": 0, "beat": beat}
    return State(default, accept, f"a whole number from {min} {upper}", help, spec, follows)


def switch(default, label=None, help="") -> State:
    """On or off."""

    def accept(x) -> object:
        if x not in (True, False):
            raise ValueError
        return bool(x)

    return State(default, accept, "True or False", help, {"kind": "switch", "label": label})


def select(options, default=None, label=None, help="") -> State:
    """One of several names; `options` may be a dict, whose keys are offered. The first one is the default."""
    return _one_of(options, default, help, {"kind": "select", "label": label})


def choice(options, default=None, label=None, roles=(), help="") -> State:
    """One of a few, all of them in sight as radio buttons; else as `select`.

    roles: the role of each option, whose colour it has. The options are called by their names; where the names depend
    on the rest of the state, the picture says them, and what has no name is not offered:
    `{"controls": {"word": {"labels": ["cats", "watch"]}}}`.
    """
    return _one_of(options, default, help, {"kind": "choice", "label": label, "roles": list(roles)})


def _one_of(options, default, help: str, spec: dict) -> State:
    options = list(options)

    def accept(x) -> object:
        return options[options.index(x)]  # not what is merely equal to it: True, or a tensor of one number

    expected = "one of " + ", ".join(map(repr, options))
    return State(options[0] if default is None else default, accept, expected, help, {**spec, "options": options})


def text(default, label=None, width=19, help="", optional=False) -> State:
    """A line of text; `width` is the width of the field in characters. optional: an empty field is what it should be
    until something is typed."""

    def accept(x) -> object:
        if not isinstance(x, str):
            raise TypeError
        x.encode()  # half of a character, which an editor may leave behind, is no text and cannot be sent
        return x

    return State(default, accept, "text", help, {"kind": "text", "label": label, "width": width, "optional": optional})


def button(label=None, help="") -> State:
    """A button. Its value counts how often it was pressed: the seed of "another example", say."""

    def accept(x) -> object:
        if (x := _whole(x)) < 0:
            raise ValueError
        return x

    return State(0, accept, "a count of presses, 0 or more", help, {"kind": "button", "label": label})


def held(default, help="", follows=None) -> State:
    """A part of the state without a control in the bar: what the hand does in a picture, say. Anything goes."""
    return State(default, lambda x: x, "", help, follows=follows)


def selected_cell(default, view="matrix", help="panel, query and key that are selected") -> State:
    """What is selected in a view: [panel, query, key] of a Matrix, [query, key] of a Product, [] for nothing."""
    return held(default, help, (view, "selected"))


def decimals(*numbers) -> int:
    """How many decimals these numbers need: decimals(0, 0.25) is 2."""
    return max(0, *(-int(Decimal(str(x)).as_tuple().exponent) for x in numbers))


def positions(spec: dict) -> list:
    """All values of a slider or stepper, first to last."""
    low, high, step = spec["min"], spec["max"], spec["step"]
    count = int((high - low) / step + 1e-9) + 1
    return [round(low + i * step, spec["decimals"]) for i in range(count)]


def _real(x) -> float:
    if isinstance(x, (bool, str, bytes)):
        raise TypeError
    return float(x)


def _whole(x) -> int:
    if not _real(x).is_integer():
        raise ValueError
    return int(x)


class Controls(Instrument):
    """The bar. The page sends messages `{kind: "move", sequence, values}`: what was moved and is not answered yet.

    `values` and `sequence` are the answer: the page shows the hand's values until `sequence` has caught up.
    `versions[name]` counts what makes the frames of `name` old.
    """

    bundle = "controls"
    spec = List(help="per control: name, kind, label, help, and what the kind needs").tag(sync=True)
    changes = Dict(help="what the present picture changes in the spec: {name: {max, names, disabled}}").tag(sync=True)
    values = Dict(help="the state the picture shows").tag(sync=True)
    versions = Dict(help="per slider: how often its frames have become old").tag(sync=True)
    views = List(help="the ids of the views, to see whether each got its first picture").tag(sync=True)
    whose = Unicode("", help="of which of two side by side it is the bar: left, right").tag(sync=True)
    pending = Dict(help="the page's own: what the hand moved last; every page begins with nothing").tag(sync=True)

    def __repr__(self) -> str:
        return "Controls(" + ", ".join(f"{name}={value!r}" for name, value in self.values.items()) + ")"
