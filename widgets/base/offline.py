"""Views for a page without a kernel: the models behind them, and what answers a hand in the kernel's place.

A page of the site holds what is written here, and `offline.js` brings it to life with the same scripts that draw in
JupyterLab. Each view says in `offline()` what its page needs beside its traits: an explorer the pictures of its states,
a training what it recorded, a question what its answer shows.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ipywidgets import Box, Layout, Widget
from ipywidgets.widgets.widget import _instances

from widgets.base.fewer_bytes import halved, packed_size
from widgets.base.frames import sealed
from widgets.base.instrument import Library
from widgets.base.states import States

LEFT_OUT = re.compile(
    r"_(model|view)_module(_version)?|_view_(name|count)|_esm|_css|_anywidget_id|record|tabbable|tooltip"
)
PICTURES = {False: 180_000, True: 800_000}  # bytes of those of all explorers of a page, without charts and with them
LARGE = 40_000  # bytes of an array
LAYOUT = ("display", "flex_flow", "width", "min_width", "max_width", "flex", "align_self", "align_items", "overflow")


class Export:
    """The views of a page: `models` are the states of all of them by name, `answers` what `offline()` said."""

    def __init__(self) -> None:
        self.models: dict[str, dict] = {}
        self.answers: dict[str, dict] = {}
        self.names: dict[str, str] = {}  # id of a widget -> its name on the page

    def add(self, view: Widget) -> str:
        """Take a view with all that belongs to it; returns its name on the page."""
        found = list(family(view))
        if not all(map(is_drawn, found)):  # its picture stands there, and what it needs
            name = self.names.setdefault(view.model_id, f"m{len(self.names)}")
            self.models[name], self.answers[name] = {}, {"kind": "kernel"}
            return name
        for widget in found:
            self.names.setdefault(widget.model_id, f"m{len(self.names)}")
        for widget in found:
            name = self.names[widget.model_id]
            if name in self.models:
                continue
            self.models[name] = {}
            if answer := getattr(widget, "offline", dict)():
                self.answers[name] = self.named(answer)
            self.models[name] = self.named(state_of(widget))
        return self.names[view.model_id]

    def named(self, value: Any) -> Any:
        """The same with names in place of ids: names are the same in every run."""
        if isinstance(value, str):
            bare = value.removeprefix("IPY_MODEL_")
            return value.replace(bare, self.names[bare]) if bare in self.names else value
        if isinstance(value, dict):
            return {self.named(key): self.named(item) for key, item in value.items()}
        return [self.named(item) for item in value] if isinstance(value, (list, tuple)) else value


def is_drawn(widget: Widget) -> bool:
    """Whether a page without a kernel has a script for it: it has those of our own views, and lays out boxes."""
    return isinstance(widget, (Box, Layout)) or hasattr(widget, "libraries")


def family(view: Widget) -> Iterator[Widget]:
    """A view and all widgets that its page asks for, each once."""
    waiting, seen = [view], set()
    while waiting:
        widget = waiting.pop(0)
        if widget.model_id in seen or isinstance(widget, Library):
            continue
        seen.add(widget.model_id)
        yield widget
        waiting += [widget.layout] if hasattr(widget, "layout") else []
        waiting += list(widget.children) if isinstance(widget, Box) else []


def state_of(widget: Widget) -> dict:
    """The traits of a widget that its page needs, as they travel; `libraries` names its scripts."""
    state = {name: value for name, value in widget.get_state().items() if not LEFT_OUT.fullmatch(name)}
    if isinstance(widget, Layout):
        return {name: state[name] for name in LAYOUT if state.get(name) is not None}
    if "libraries" in state:
        state["libraries"] = {name: f"script:{name}" for name in state["libraries"]}
    return state


def write(views: list[str], folder: str, stem: str) -> dict[str, dict]:
    """Write the files of a page that shows these views (ids of widgets), and say what is in them.

    `folder` takes `<stem>.views.bin`, and one more file for the pictures of each explorer, which a page asks for when a
    hand comes near. Returns {"views": {id: {name, kind}}, "explorers": {name: {explorer, states, whole, bytes}}}.
    """
    export, found = Export(), {}
    for view in views:
        found[view] = {"name": export.add(_instances[view]), "kind": type(_instances[view]).__name__}
    states = {name: answer["states"] for name, answer in export.answers.items() if answer["kind"] == "explorer"}
    charts = any("plotly" in model.get("libraries", {}) for model in export.models.values())
    explorers = {}
    for name, made in together(states, PICTURES[charts]).items():
        answer, packed = export.answers[name], sealed(export.named(made))
        answer["states"] = f"{stem}.{name}.bin"
        (Path(folder) / answer["states"]).write_bytes(packed)
        explorers[name] = {
            "explorer": answer["class"],
            "states": len(made["nodes"]) // 2 // len(made["names"]),
            "whole": made["whole"],
            "bytes": len(packed),
        }
    for name, model in export.models.items():
        export.models[name] = {trait: halved(value) if is_large(value) else value for trait, value in model.items()}
    (Path(folder) / f"{stem}.views.bin").write_bytes(sealed({"models": export.models, "answers": export.answers}))
    return {"views": found, "explorers": explorers}


def together(states: dict[str, States], most: int) -> dict[str, dict]:
    """The pictures of all explorers of a page, in about `most` bytes: what one needs less than an even share is left to
    the others."""
    made = {name: one.packed() for name, one in states.items()}
    sizes = {name: packed_size(one) for name, one in made.items()}
    for at, name in enumerate(sorted(sizes, key=lambda name: sizes[name])):
        share = most // (len(sizes) - at)
        if sizes[name] > share:
            made[name] = states[name].packed(most=share)
        most -= min(sizes[name], share)
    return made


def is_large(value: Any) -> bool:
    """Whether a trait has so many numbers that three digits of each must do."""
    return isinstance(value, dict) and "shape" in value and len(value.get("data", b"")) > LARGE
