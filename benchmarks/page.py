"""Hands and eyes in a real page: a key or a drag on a slider, and when the new picture was on the screen."""

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from websocket import create_connection  # comes with jupyter-server

from lessons.lab import chromium, free_port

WATCH = (Path(__file__).parent / "watch.js").read_text(encoding="utf-8")
PATIENCE = 5000  # ms until a picture counts as not drawn
PORT = free_port()  # where the browser listens for movements of its mouse


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium, whose mouse `sweep` moves."""
    with chromium(f"--remote-debugging-port={PORT}") as chrome:
        yield chrome


def sweep(page, path: Iterable[tuple[float, float]], rate=120, pressed=True) -> None:
    """Moves the mouse to these places, so many a second: two for each frame. pressed: its button is down.

    Playwright's own mouse waits for the answer to each movement, which comes with a later frame: its thirty movements a
    second would be all that a page could follow.
    """
    target = page.context.new_cdp_session(page).send("Target.getTargetInfo")["targetInfo"]["targetId"]
    address = f"ws://127.0.0.1:{PORT}/devtools/page/{target}"
    with closing(create_connection(address, suppress_origin=True)) as debugger:
        begun = time.perf_counter()
        for number, (x, y) in enumerate(path, 1):
            moved = {"type": "mouseMoved", "x": x, "y": y, **({"button": "left", "buttons": 1} if pressed else {})}
            debugger.send(json.dumps({"id": number, "method": "Input.dispatchMouseEvent", "params": moved}))
            time.sleep(max(0, begun + number / rate - time.perf_counter()))


def there_and_back(least=0.15, most=0.85, moves=240) -> list[float]:
    """Shares of a way, two times from one end to the other and back."""
    return [least + (most - least) * abs((i / moves * 4) % 2 - 1) for i in range(moves)]


def opened(lab, browser, name, cells, **way) -> Any:
    """A new notebook of these cells, all run, in a page that was watched before the first view listened for keys."""
    lab.write(name, cells)
    notebook = lab.open(browser, name, **way)
    notebook.page.evaluate(WATCH)
    notebook.run_all()
    if wrong := notebook.complaints():
        raise RuntimeError("\n".join([f"{name} did not run:", *wrong]))
    return notebook


class View:
    """One output of a notebook: a slider and what follows it. `kind`: canvas, chart, plotly, image or text."""

    def __init__(self, notebook, cell: int, kind: str) -> None:
        self.page, self.kind = notebook.page, kind
        self.output = self.page.locator(".jp-CodeCell").nth(cell).locator(".jp-Cell-outputArea")
        self.slider = self.output.locator("[role=slider], input[type=range]").first
        picture = {
            "canvas": "canvas",
            "chart": ".main-svg",
            "plotly": ".main-svg",
            "image": "img",
            "text": ".widget-html-content",
        }[kind]
        self.output.locator(picture).first.wait_for(timeout=60_000)

    def look(self) -> None:
        self.output.scroll_into_view_if_needed()
        self.page.wait_for_timeout(500)
        self.output.evaluate("(el, kind) => bench.watch(el, kind)", self.kind)

    def press(self, key="ArrowRight", rest=100) -> float | None:
        """One key on the slider -> milliseconds to the new picture; None where none came.

        The page is left alone until it has answered: to ask it meanwhile would cost time on the same two cores.
        """
        self.slider.focus()
        self.page.evaluate("bench.begin()")
        self.page.wait_for_timeout(rest)
        self.page.keyboard.press(key)
        self.page.wait_for_timeout(rest)
        return self.page.evaluate("(limit) => bench.next(limit)", PATIENCE)

    def presses(self, events: int, keys=("ArrowLeft", "ArrowRight")) -> list[float]:
        """Six keys one way, six back, and so on. To the left first: a drag leaves the handle near its right end."""
        self.look()
        self.press(keys[0]), self.press(keys[1])  # warm
        answers = [self.press(keys[i // 6 % 2]) for i in range(events)]
        return [PATIENCE if answer is None else answer for answer in answers]

    def drag(self) -> dict:
        """Drag the handle to and fro -> `times` (ms to the next picture, each movement), `pictures`, `moves`, `ms`."""
        self.look()
        box = self.slider.bounding_box()
        track = self.slider if self.slider.evaluate("el => el.tagName") == "INPUT" else self.slider.locator("xpath=..")
        whole = track.bounding_box()
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(whole["x"] + whole["width"] * 0.3, y) if whole == box else self.page.mouse.move(
            box["x"] + box["width"] / 2, y
        )
        self.page.mouse.down()
        self.page.wait_for_timeout(800)  # the first grab: a film may be on its way
        self.page.evaluate("bench.begin()")
        sweep(self.page, [(whole["x"] + whole["width"] * share, y) for share in there_and_back()])
        self.page.wait_for_timeout(400)
        seen = self.page.evaluate("bench.drag()")
        self.page.mouse.up()
        seen["times"] = [PATIENCE if ms is None else ms for ms in seen["times"]]
        return seen
