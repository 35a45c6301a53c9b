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

import comm
import comm.base_comm
from ipywidgets import Widget
from ipywidgets.widgets.widget import _instances as instances

LIGHT = {}
DARK = {
    "--jp-layout-color1": "#212121", "--jp-layout-color2": "#424242", "--jp-border-color2": "#424242",
    "--jp-content-font-color1": "rgba(255,255,255,.92)", "--jp-brand-color1": "#42a5f5",
}

PAGE = (Path(__file__).parent / "bridge.html").read_text()


class _Comm(comm.base_comm.BaseComm):
    bridge = None

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        if self.bridge is not None:
            self.bridge.outbox.append({
                "id": self.comm_id, "kind": msg_type.removeprefix("comm_"), "data": data,
                "buffers": [base64.b64encode(bytes(b)).decode() for b in buffers or []],
            })


@contextmanager
def kernel():
    """Within it, new widgets speak to the bridge that was made last."""
    original = comm.create_comm
    comm.create_comm = _Comm
    try:
        yield
    finally:
        Widget.close_all()  # a widget that outlives its test would be unknown to the next page
        comm.create_comm = original
        _Comm.bridge = None


class Bridge:
    """One page, any number of widgets. Make it before the widgets, inside `kernel()` (the `bridge` fixture does)."""

    def __init__(self, page, dark=False, width=1000):
        self.page, self.outbox, self.errors, self.widgets = page, [], [], {}
        _Comm.bridge = self
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        page.expose_function("kernel", self._receive)
        look = ";".join(f"{k}:{v}" for k, v in (DARK if dark else LIGHT).items())
        page.set_content(PAGE.replace("BACKGROUND", "#212121" if dark else "#fff").replace("STYLE", look)
                         .replace("WIDTH", str(width)))

    def _receive(self, message):
        widget = instances[message["id"]]
        data = message["data"]
        buffers = [memoryview(base64.b64decode(b)) for b in message["buffers"]]
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

    def settle(self, ms=60):
        """Bring messages both ways until nothing is under way, then let the page paint."""
        for _ in range(20):
            self.page.evaluate("(messages) => receive(messages)", self._drain())
            self.page.wait_for_timeout(ms)
            if not self.outbox and not self.page.evaluate("window.traffic ?? 0"):
                break
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert not self.errors, self.errors
