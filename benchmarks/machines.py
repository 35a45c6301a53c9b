"""Machines in JupyterLab: milliseconds of script a picture, from picture to picture, and from a switch to new bars.

The picture is asked for while a hand rests on a switch, and when its button goes down: so a hand that rests, one that
presses as it comes, and one that lets go at once are measured, beside a bare text behind a slider of ipywidgets, in the
same page and round.
"""

from collections.abc import Iterator
from itertools import chain, pairwise
from math import isnan
from statistics import median

from playwright.sync_api import Page

from benchmarks.page import PATIENCE, View, browser, opened, sweep, there_and_back
from benchmarks.report import Record, latencies, percentile, span
from benchmarks.views import COMMON, TEXT, TEXT_NAME, ratio
from lessons.lab import Lab, Notebook

ABOUT = "6 minutes"
BLOCKS = "from widgets import BlockMachineExplorer\nBlockMachineExplorer()"
GPT = """import torch
from attnlab.analysis import scale_weights
from attnlab.tasks import Text
from attnlab.trained.train_ladder import small_gpt
from widgets import GPTMachineExplorer
torch.manual_seed(0)
text = Text.from_string("The value of an expression is computed by its operators. " * 40)
model = scale_weights(small_gpt(len(text.vocabulary)).eval(), 3)
GPTMachineExplorer(model, text, begin="The value of an expr")"""
PROJECTIONS = "from widgets import ProjectionsExplorer\nProjectionsExplorer()"
TRANSLATORS = """from attnlab import AttentionSeq2Seq, FixedContext
from attnlab.tasks import Progressives
from widgets import EncoderDecoderExplorer
task = Progressives()
sizes = len(task.source_vocabulary), len(task.target_vocabulary), 8, 8
kinds = {"looking back": AttentionSeq2Seq, "one fixed vector": FixedContext}
models = {mode: kind(*sizes, bidirectional=False) for mode, kind in kinds.items()}
EncoderDecoderExplorer(models, task, text="we are eating bread", step=12)"""

LARGEST = """import torch
from attnlab.analysis import colour_limits, largest_branch, model_graph, run_machine
from attnlab.transformer import gpt
from widgets.instruments.machine.machine import Machine, pack
torch.manual_seed(0)
model = gpt(90, 768, 16, 12, 64).eval()
logits, made = run_machine(model, model_graph(model), [], torch.randint(90, (1, 64)))
nodes = [{"id": "", "label": "whole machine", "line": "x"}, *made.nodes,
         {"id": "next", "kind": "word", "in": "", "label": "next token", "line": "softmax(logits)"}]
labels = {"token": [f"token {i}" for i in range(64)], "vocabulary": [f"word {i}" for i in range(12)]}
spec = {"title": "a GPT", "nodes": nodes, "labels": labels, "branch": largest_branch(made)}
machine = Machine("stream")
machine.show(**pack(spec, {**made.tensors, "next/out": logits[0, -1, :12].softmax(-1)}, colour_limits(made)))
machine"""
ZOOMS = {"whole": "", "a block": "blocks.0", "a head": "blocks.0.attention:0"}

SCRIPT, BETWEEN = 4, 20  # ms a picture, at most in the middle; between pictures, at most for 95 of 100
LARGE = 16  # ms of script a picture of the largest model, at most
REST = 250  # ms before and after a press, and after a pointer has come where it rests
PRESSES = 15
# A hand: whether it rests on the switch before it presses, and for how many ms it then holds the button.
HANDS = {"": (True, 0), ", pressed as the pointer comes": (False, 80), ", pressed for no time as it comes": (False, 0)}
STANDS = 300  # ms between pictures of two motions
BARS = (20, 33)  # from a switch to new bars: as for every explorer

# Every picture of the machine: when it was handed over, how long its script took, and how long its bars are.
WATCH = """(el) => {
    window.seen = [];
    let own = el.attnlab;
    const handedOver = new MessageChannel();  // a message posted while a frame is made arrives when it is handed over
    handedOver.port1.onmessage = ({ data }) => { seen.push({ ...data, at: performance.now() }); };
    Object.defineProperty(el, "attnlab", { configurable: true, get: () => own, set: (value) => {
        own = value;
        const bars = value.picture.marks.filter(({ key }) => key.startsWith("bar ")).map(({ width }) => width);
        const frame = document.timeline.currentTime;  // the display's, for which it is painted
        handedOver.port2.postMessage({ script: value.paintedIn, frame, bars: String(bars) });
    } });
    // A switch moves when the button comes up; between down and up lies what Playwright waits for.
    addEventListener("pointerup", (event) => { window.pressed = event.timeStamp; }, { capture: true });
}"""


def measure(quick: bool = False) -> Iterator[Record]:
    rounds = 1 if quick else 5
    with browser() as chrome, Lab() as lab:
        yield from blocks(lab, chrome, rounds)
        yield from gpt(lab, chrome, rounds)
        yield from projections(lab, chrome, rounds)
        yield from translators(lab, chrome, rounds)
        yield from largest(lab, chrome, rounds)


def blocks(lab, chrome, rounds) -> Iterator[Record]:
    """The stream of lesson 09: heads switched, and the slider of the weights dragged."""
    with opened(lab, chrome, "blocks.ipynb", [COMMON.format(n=8), BLOCKS, TEXT]) as notebook:
        page = ready(notebook)
        yield from switches("stream", notebook, rounds)
        page.locator(".controls").scroll_into_view_if_needed()
        slider = page.locator(".controls input[type=range]").first.bounding_box()
        y = slider["y"] + slider["height"] / 2
        path = [(slider["x"] + slider["width"] * share, y) for share in there_and_back()]
        yield script("stream, a slider dragged", [dragged(page, path) for _ in range(rounds)])


def gpt(lab, chrome, rounds) -> Iterator[Record]:
    """The stream of lesson 11, as large as there, with a model that has learned nothing: heads switched."""
    with opened(lab, chrome, "gpt.ipynb", [COMMON.format(n=8), GPT, TEXT]) as notebook:
        ready(notebook)
        yield from switches("GPT", notebook, rounds)


def switches(name, notebook, rounds) -> Iterator[Record]:
    """Heads switched by all hands, in turns with the bare text of the third cell."""
    text, times = View(notebook, 2, "text"), {hand: [] for hand in HANDS}
    bare = []
    for _ in range(rounds):
        bare.append(text.presses(PRESSES))
        notebook.page.locator(".controls").scroll_into_view_if_needed()
        for hand, seen in times.items():
            seen.append(switched(notebook.page, *HANDS[hand]))
    for hand, seen in times.items():
        what = f"{name}, switch to new bars{hand}"
        yield from latencies(what, seen, *BARS, bare)
        yield ratio(f"{what} / {TEXT_NAME}", seen, bare, 1)


def projections(lab, chrome, rounds) -> Iterator[Record]:
    """The tables of lesson 04: a number of a map dragged."""
    with opened(lab, chrome, "projections.ipynb", [PROJECTIONS]) as notebook:
        page = ready(notebook)
        box = page.locator(".machine [data-part='W_v 3 1']").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        path = [(x, y - 60 * share) for share in there_and_back()]
        seen = [dragged(page, path) for _ in range(rounds)]
        yield script("product, a number dragged", seen)
        yield from between("product, a number dragged", seen)


def translators(lab, chrome, rounds) -> Iterator[Record]:
    """The rails of lesson 02, with models that have learned nothing: the film plays."""
    with opened(lab, chrome, "translators.ipynb", [TRANSLATORS]) as notebook:
        page = ready(notebook)
        seen = [played(page) for _ in range(rounds)]
        yield script("rails, the film plays", seen)
        yield from between("rails, the film plays", seen)


def largest(lab, chrome, rounds) -> Iterator[Record]:
    """A GPT of 12 blocks of 16 heads, 64 tokens, 768 wide, in each zoom: pictures of other numbers each time."""
    with opened(lab, chrome, "largest.ipynb", [LARGEST]) as notebook:
        page = ready(notebook)
        for name, zoom in ZOOMS.items():
            seen = [repainted(notebook, page, zoom) for _ in range(rounds)]
            yield script(f"largest machine, {name}", seen, LARGE)


def repainted(notebook, page, zoom, pictures=4) -> list[dict]:
    """The pictures of so many turns of all signs, after that of the zoom."""
    notebook.execute(f"machine.zoom = {zoom!r}")
    page.wait_for_timeout(4 * REST)
    page.evaluate("seen = []")
    for _ in range(pictures):
        notebook.execute("machine.numbers = -machine.numbers")
        page.wait_for_timeout(2 * REST)
    return page.evaluate("seen")


def played(page, ms=8000) -> list[dict]:
    """The pictures of the film's motions, from its first step; between two motions it stands still."""
    page.locator(".controls").get_by_label("to the first step").click()
    page.evaluate("seen = []")
    page.locator(".controls").get_by_label("play").click()
    page.wait_for_timeout(ms)
    page.locator(".controls").get_by_label("pause").click()
    return page.evaluate("seen")


def ready(notebook: Notebook) -> Page:
    """The page, with the machine in sight and watched."""
    notebook.page.evaluate("jupyterapp.shell.collapseLeft()")
    notebook.wait_until_drawn()
    machine = notebook.page.locator(".machine")
    machine.scroll_into_view_if_needed()
    machine.evaluate(WATCH)
    return notebook.page


def switched(page, rests: bool, hold: int) -> list[float]:
    """Milliseconds from the end of each press to the first picture with other bars. After none of them the same heads
    are off as before, so that nothing is remembered. The page is left alone until it has answered."""
    switches, found = page.locator(".machine [data-part$=' switch']"), []
    for i in range(1, PRESSES + 1):
        switch = switches.nth(
            (i & -i).bit_length() - 1
        )  # the first one every other time, the second half as often, ...
        box = switch.bounding_box()
        where = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(*(where if rests else (box["x"], box["y"] - 40)))
        page.wait_for_timeout(REST)
        page.evaluate("seen = seen.slice(-1)")
        page.mouse.move(*where)
        page.mouse.down()
        if hold:
            page.wait_for_timeout(hold)
        page.mouse.up()
        page.wait_for_timeout(REST)
        found.append(page.evaluate("seen.find(({ bars }) => bars !== seen[0].bars)?.at - pressed"))
    return [PATIENCE if isnan(ms) else ms for ms in found]


def dragged(page, path) -> list[dict]:
    """The pictures while the mouse goes along."""
    page.mouse.move(*path[0])
    page.mouse.down()
    page.wait_for_timeout(500)
    page.evaluate("seen = []")
    sweep(page, path)
    seen = page.evaluate("seen")
    page.mouse.up()
    return seen


def script(name, rounds, most=SCRIPT) -> Record:
    """Of each round's pictures."""
    times = [[one["script"] for one in seen] for seen in rounds]
    return Record(f"{name}, script a picture, p50", median(chain(*times)), most, "ms", span(map(median, times)))


def between(name, rounds) -> Iterator[Record]:
    """From picture to picture: when the page has handed them over, anywhere within a frame, and by the display's frames
    that they are for."""
    for when, told in (("at", "pictures"), ("frame", "frames with a new picture")):
        gaps = [[gap for a, b in pairwise(seen) if (gap := b[when] - a[when]) < STANDS] for seen in rounds]
        late = [percentile(one, 0.95) for one in gaps]
        yield Record(f"{name}, between {told}, p95", percentile(chain(*gaps), 0.95), BETWEEN, "ms", span(late))
