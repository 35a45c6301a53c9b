"""Weights over an image in JupyterLab: from a key to the new picture beside a bare text, and from picture to picture.

28 x 28 weights over an image of 256 x 256 pixels, behind an explorer's slider: once with frames that the page plays,
once with so many positions that the kernel makes each picture. The yardstick takes turns with both in one page.
"""

from collections.abc import Iterator

from benchmarks.machines import between, dragged, script
from benchmarks.page import browser, opened, there_and_back
from benchmarks.report import Record, latencies
from benchmarks.views import COMMON, TEXT, TEXT_NAME, in_turn, ratio
from lessons.lab import Lab

ABOUT = "3 minutes"
SIDE, PIXELS = 28, 256  # of the weights, of the image
EXPLORER = f"""from widgets.base.controls import slider as handle
from widgets.base.explorer import Explorer
from widgets.instruments.picture.picture import Picture
image = np.random.default_rng(0).random(({PIXELS}, {PIXELS}))
class Looks(Explorer):
    temperature = handle(1.0, 0.1, 4.0, step=STEP, help="divides the scores")
    def views(self): return {{"picture": Picture(image, weights(1.0))}}
    def compute(self, state): return weights(state.temperature)
    def picture(self, state, result): return {{"picture": {{"weights": result}}}}
    def sentence(self, state, result): return [f"The temperature is {{state.temperature}}."]
    def code(self, state): return f"attend(query, key, value, temperature={{state.temperature}})"
looks = Looks()
looks"""
FILM, LIVE = EXPLORER.replace("STEP", "0.1"), EXPLORER.replace("STEP", "0.001")
NAME = f"Picture, {SIDE} x {SIDE} weights over {PIXELS} x {PIXELS} pixels"

# Every picture: when it was painted, and how long that took.
WATCH = """(el) => {
    window.seen = [];
    let own = el.attnlab.paintedIn;
    Object.defineProperty(el.attnlab, "paintedIn", { configurable: true, get: () => own, set: (script) => {
        own = script;
        seen.push({ at: performance.now(), script });
    } });
}"""


def measure(quick: bool = False) -> Iterator[Record]:
    events, rounds = (6, 1) if quick else (24, 5)
    with browser() as chrome, Lab() as lab:
        yield from compare(lab, chrome, events, rounds)
        yield from film(lab, chrome, rounds)


def compare(lab, chrome, events, rounds) -> Iterator[Record]:
    """A key on the slider until the new picture stands, beside the bare text's."""
    ways = {TEXT_NAME: (TEXT, "text"), "live": (LIVE, "canvas"), "film": (FILM, "canvas")}
    (_, bare, _), (_, live, _), (_, frames, _) = in_turn(lab, chrome, "pictures.ipynb", SIDE, ways, events, rounds)
    yield from latencies(f"{TEXT_NAME}, key to picture", bare)
    yield from latencies(f"{NAME}, key to picture", live, 20, 33, bare)
    yield ratio(f"{NAME} / {TEXT_NAME}", live, bare, 1)
    yield ratio(f"{NAME}, a film / {TEXT_NAME}", frames, bare, 0.5)


def film(lab, chrome, rounds) -> Iterator[Record]:
    """The slider dragged to and fro while its frames play in the page."""
    with opened(lab, chrome, "picture_film.ipynb", [COMMON.format(n=SIDE), FILM]) as notebook:
        page = notebook.page
        page.evaluate("jupyterapp.shell.collapseLeft()")
        notebook.wait_until_drawn()
        picture = page.locator(".picture")
        picture.scroll_into_view_if_needed()
        picture.evaluate(WATCH)
        slider = page.locator(".controls input[type=range]").first.bounding_box()
        y = slider["y"] + slider["height"] / 2
        path = [(slider["x"] + slider["width"] * share, y) for share in there_and_back()]
        dragged(page, path)  # the frames come
        seen = [dragged(page, path) for _ in range(rounds)]
    yield script(f"{NAME}, a film", seen)
    yield between(f"{NAME}, a film", seen)
