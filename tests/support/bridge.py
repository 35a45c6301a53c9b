"""A page without Jupyter: real widgets in this process, their scripts in a real Chromium, a thin bridge between.

Fast (no server, no kernel), so instruments are tested here and drawn here while they are written; that they also work
inside JupyterLab is what the lesson tests show. Only anywidgets and boxes are drawn.

    bridge = Bridge(page)
    matrix = bridge.show(Matrix(...))      # drawn; returns the widget itself
    page.keyboard.press("ArrowRight")
    bridge.settle()                        # messages exchanged both ways, frames painted
    assert matrix.selected == [0, 0, 1]
"""

import base64
import json
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

import comm
import comm.base_comm
from ipywidgets import Widget
from ipywidgets.widgets.widget import _instances as instances

from widgets.base.instrument import Library

LIGHT = {"margin": "0", "padding": "20px 24px", "background": "#fff"}
DARK = {
    **LIGHT,
    "background": "#212121",
    "--jp-layout-color1": "#212121",
    "--jp-layout-color2": "#424242",
    "--jp-border-color2": "#424242",
    "--jp-content-font-color1": "rgba(255,255,255,.92)",
    "--jp-brand-color1": "#42a5f5",
}

PAGE = (Path(__file__).parent / "bridge.html").read_text(encoding="utf-8")
WEAR = """([style, width]) => {
    for (const { name } of [...document.body.attributes]) document.body.removeAttribute(name);
    document.body.style.cssText = style;
    document.getElementById("stage").style.cssText = `width: ${width}px`;
}"""
CLEAR = """() => {
    for (const view of window.controllers ?? []) view.abort();
    window.controllers = [];
    document.getElementById("stage").replaceChildren();
}"""
OUTSIDE = """(parts) => {
    const stage = document.getElementById("stage").getBoundingClientRect();
    return [...document.querySelectorAll(parts)].map((el) => [el.className, el.getBoundingClientRect()])
        .filter(([, box]) => box.right > stage.right + 1 || box.left < stage.left - 1).map(([name]) => name);
}"""
BRIDGES: WeakKeyDictionary = WeakKeyDictionary()  # page -> the bridge that was made last for it


class _Comm(comm.base_comm.BaseComm):
    bridge = None

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        if self.bridge is not None:
            self.bridge.outbox.append({
                "id": self.comm_id,
                "kind": msg_type.removeprefix("comm_"),
                "data": data,
                "buffers": [base64.b64encode(bytes(b)).decode() for b in buffers or []],
            })


@contextmanager
def kernel():
    """Within it, new widgets speak to the bridge that was made last.

    All others are closed before and after: a widget that outlives its test would be unknown to the next page.
    """
    create_comm, bridge = comm.create_comm, _Comm.bridge
    Widget.close_all()
    comm.create_comm = _Comm
    try:
        yield
    finally:
        Widget.close_all()
        comm.create_comm, _Comm.bridge = create_comm, bridge


@contextmanager
def without_kernel(page):
    """What is shown meanwhile is as in a page that nbconvert and other programs write: saved, with nobody behind it."""
    page.evaluate("""() => Object.defineProperty(WidgetModel.prototype, "comm", {
        configurable: true,
        set(comm) { this.held = comm; },
        get() { return this.widget_manager ? undefined : this.held; }, // once it is made
    })""")
    try:
        yield
    finally:
        page.evaluate("delete WidgetModel.prototype.comm")


class Bridge:
    """One page, any number of widgets. Make it before the widgets, inside `kernel()` (the `bridge` fixture does)."""

    def __init__(self, page, dark=False, width=1000):
        self.page, self.outbox, self.errors, self.widgets = page, [], [], {}
        _Comm.bridge = self
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        if page not in BRIDGES:
            page.expose_function("kernel", lambda message: BRIDGES[page]._receive(message))
        BRIDGES[page] = self
        page.set_content(PAGE)
        self.wear(dark, width)

    def wear(self, dark=False, width=1000):
        """Give the page its look, whatever it wore before, and the widgets their width."""
        self.page.evaluate(WEAR, [";".join(f"{k}:{v}" for k, v in (DARK if dark else LIGHT).items()), width])

    def clear(self):
        """Take all views off the page. What brought its scripts stays, and they are not run again."""
        _Comm.bridge = self
        self.page.evaluate(CLEAR)
        for widget in [widget for widget in instances.values() if not isinstance(widget, Library)]:
            widget.close()
        self.settle()

    def _receive(self, message):
        widget = instances.get(message["id"])
        data = message["data"]
        buffers = [memoryview(base64.b64decode(b)) for b in message["buffers"]]
        if widget:  # else it was closed while the message was on its way: a kernel says nothing to that
            widget._handle_msg({"content": {"data": data}, "buffers": buffers})
        return self._drain()

    def _drain(self):
        out, self.outbox = self.outbox, []
        return json.loads(json.dumps(out, default=str))

    def show(self, widget):
        """Draw a widget at the foot of the page and return it."""
        self.page.evaluate("(messages) => receive(messages)", self._drain())
        self.page.evaluate("(id) => render(id, document.getElementById('stage'))", widget.model_id)
        self.settle()
        return widget

    def outside(self, parts):
        """The classes of those parts, named by a CSS selector, that reach beyond the room of the widgets."""
        return self.page.evaluate(OUTSIDE, parts)

    def settle(self, soon=200):
        """Bring messages both ways until nothing is left that is due within `soon` ms, and the page has painted."""
        for _ in range(20):
            self.page.evaluate("(messages) => receive(messages)", self._drain())
            self.page.evaluate("(soon) => quiet(soon)", soon)
            if not self.outbox:
                break
        assert not self.errors, self.errors
