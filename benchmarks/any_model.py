"""Any model, beside BertViz: the same random GPT-2 and the same text in one JupyterLab, each in a notebook of its own.

From the press of Run to the first picture, the model's own run included; what came to the page for it; and how a long
text follows the pointer; and the longest text of each that has a picture in time. BertViz's page asks a server for its
scripts: it gets them from packages that are installed, in a frame, so that it draws without a network. Its numbers are
sent as it ships them.

    python -m benchmarks.any_model "BertViz, head view" 128     # one picture of one way, as [ms, bytes]
"""

import json
import math
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from benchmarks import ROOT
from benchmarks.page import browser, sweep, there_and_back
from benchmarks.report import Record, percentile, span
from lessons.lab import Lab

ABOUT = "14 minutes"
TIME, BYTES = 0.5, 0.1  # of BertViz's, at most
BETWEEN = 1000 / 60  # ms between pictures while the pointer moves
LAYERS, HEADS, TOKENS, LONG = 12, 12, 64, 512
LONGER = (128, 256, 512)  # tokens of the texts that are tried one after the other
IN_TIME, AROUND = 60, 120  # seconds that a picture may take, and what comes before it: server, browser, kernel, model

COMMON = f"""import string
import torch
from transformers import GPT2Config, GPT2LMHeadModel
from attnlab.tasks.text import Characters
torch.set_num_threads(1)
torch.manual_seed(0)
tokenizer = Characters(string.ascii_lowercase + " ")
model = GPT2LMHeadModel(GPT2Config(vocab_size=27, n_embd=768, n_layer={LAYERS}, n_head={HEADS}, bos_token_id=0,
                                   eos_token_id=0, attn_implementation="eager")).eval()
words = "the cat sat on the mat while the dog slept in the warm sun near the old house "
text = (words * 8)[:TOKENS]
model(tokenizer.encode(text)[None], output_attentions=True)  # warm
import html, bertviz, widgets
from IPython.display import HTML
from widgets import HeadsExplorer
from widgets.instruments.bertviz.bertviz import STAND_IN, inside, libraries"""
OURS = "HeadsExplorer(model, tokenizer, text)"
BERTVIZ = """with torch.no_grad():
    weights = model(tokenizer.encode(text)[None], output_attentions=True).attentions
made = bertviz.{view}(weights, list(text), html_action="return").data
body, _, code = made.partition('<script type="text/javascript">')
code = code.rpartition("</script>")[0]
scripts = "".join(f"<script>{{inside(part)}}</script>" for part in (STAND_IN, *libraries(), code))
page = "<script>const COLOURS = {{}};</script>" + body.partition("</script>")[2] + scripts
HTML(f'<iframe width="100%" height="900" srcdoc="{{html.escape(page)}}"></iframe>')"""
WAYS = {  # name -> the cell, and whose picture it makes
    "HeadsExplorer": (OURS, "ours"),
    "BertViz, head view": (BERTVIZ.format(view="head_view"), "bertviz"),
    "BertViz, model view": (BERTVIZ.format(view="model_view"), "bertviz"),
}
SEEN = {
    "ours": "(out) => ['.attnlab-headmap', '.matrix'].every((view) => out.querySelector(view)?.attnlab?.painted)",
    "bertviz": "(out) => out.querySelector('iframe')?.contentDocument?.querySelector('svg rect, svg line')",
}

# Runs the cell. `drawn`: milliseconds until a look at its output says that it is drawn, and painted two frames later.
RUN = """(seen) => {
    const begun = performance.now(), look = eval(seen), done = () => (window.drawn = performance.now() - begun);
    const step = () => {
        const out = [...document.querySelectorAll(".jp-CodeCell .jp-Cell-outputArea")].at(-1);
        if (out && look(out)) requestAnimationFrame(() => requestAnimationFrame(done));
        else requestAnimationFrame(step);
    };
    window.drawn = null;
    jupyterapp.commands.execute("notebook:run-cell");
    step();
}"""


def measure(quick: bool = False) -> Iterator[Record]:
    rounds = 1 if quick else 5
    with browser() as chrome, Lab() as lab:
        first: dict = {name: [] for name in WAYS}
        sent: dict = {name: [] for name in WAYS}
        for number in range(rounds):  # they take turns, so that a busy moment of the machine meets all of them
            for name, (cell, kind) in WAYS.items():
                ms, size = picture(lab, chrome, f"{kind}{number}.ipynb", cell, kind)
                first[name].append(ms)
                sent[name].append(size)
        for name in WAYS:
            what = f"{name}, {LAYERS} x {HEADS} heads, {TOKENS} tokens"
            yield Record(f"{what}, run to picture", median(first[name]), None, "ms", span(first[name]))
            yield Record(
                f"{what}, to the page", median(sent[name]) / 1e6, None, "MB", span(x / 1e6 for x in sent[name])
            )
        quicker = min(("BertViz, head view", "BertViz, model view"), key=lambda name: median(first[name]))
        ratios = [mine / other for mine, other in zip(first["HeadsExplorer"], first[quicker], strict=True)]
        yield Record(f"HeadsExplorer / {quicker}, run to picture", median(ratios), TIME, "times", span(ratios))
        bytes_ = median(sent["HeadsExplorer"]) / min(median(sent[name]) for name in WAYS if name != "HeadsExplorer")
        yield Record("HeadsExplorer / BertViz, to the page", bytes_, BYTES, "times")
        yield from pointer(lab, chrome, rounds)
    for name in WAYS:
        yield from longest(name, LONGER[:1] if quick else LONGER)


def picture(lab, chrome, file, cell, kind, tokens=TOKENS) -> tuple[float, int]:
    """Milliseconds from run to picture, and bytes that came from the kernel for it, scripts included."""
    with ready(lab, chrome, file, tokens, cell) as notebook:
        before = notebook.came[0]
        return shown(notebook.page, kind), notebook.came[0] - before


def shown(page, kind) -> float:
    """Runs the selected cell; milliseconds until its picture. Playwright's error where that is not in time."""
    page.evaluate(RUN, SEEN[kind])
    return page.wait_for_function("window.drawn", polling=100, timeout=1000 * IN_TIME).json_value()


def longest(name: str, texts: Sequence[int], picture_of: Callable | None = None) -> Iterator[Record]:
    """Longer and longer texts, until one has no picture in time; the last record is the longest that had."""
    reached = TOKENS
    for tokens in texts:
        found = (picture_of or alone)(name, tokens)
        ms, size = found or (math.nan, math.nan)
        yield Record(f"{name}, {tokens} tokens, run to picture", ms, None, "ms")
        if not found:
            break
        yield Record(f"{name}, {tokens} tokens, to the page", size / 1e6, None, "MB")
        reached = tokens
    yield Record(f"{name}, longest of {max(texts)} tokens with a picture within {IN_TIME} s", reached, None, "tokens")


def alone(name: str, tokens: int) -> list[float] | None:
    """One picture in a process of its own, with its own server and browser: what a long text takes down with it is not
    the benchmark. [milliseconds, bytes], or None where it ended without a picture, or did not end."""
    return answer_of([sys.executable, "-m", "benchmarks.any_model", name, str(tokens)], IN_TIME + AROUND)


def answer_of(command: Sequence[str], seconds: float) -> list[float] | None:
    """The last line that a command prints, as JSON; None where it fails, or takes longer."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as begun:
        try:
            told, _ = begun.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            begun.terminate()  # it ends its server and its browser
            try:
                begun.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                begun.kill()
            return None
    return json.loads(told.splitlines()[-1]) if begun.returncode == 0 else None


def main() -> None:
    """What `alone` starts."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    name, tokens = sys.argv[1], int(sys.argv[2])
    with browser() as chrome, Lab() as lab:
        print(json.dumps(picture(lab, chrome, "alone.ipynb", *WAYS[name], tokens)), flush=True)


def ready(lab, chrome, file, tokens, cell) -> Any:
    """A notebook whose first cell has run and whose second is selected; `came` counts the bytes from the kernel."""
    lab.write(file, [COMMON.replace("TOKENS", str(tokens)), cell])
    came = [0]
    notebook = lab.page(chrome, file)

    def count(frame) -> None:
        came[0] += len(frame)

    notebook.page.on("websocket", lambda socket: socket.on("framereceived", count))
    notebook.go(f"lab/workspaces/{file.partition('.')[0]}/tree/{file}")
    notebook.wait_for_kernel()
    notebook.came = came
    notebook.page.evaluate("jupyterapp.commands.execute('notebook:run-cell-and-select-next')")
    return notebook


def pointer(lab, chrome, rounds) -> Iterator[Record]:
    """A text of 512 tokens: milliseconds from picture to picture while the pointer moves over the matrix."""
    with ready(lab, chrome, "long.ipynb", LONG, OURS) as notebook:
        page = notebook.page
        page.evaluate("jupyterapp.shell.collapseLeft()")
        ms = shown(page, "ours")
        yield Record(f"HeadsExplorer, {LONG} tokens, run to picture", ms, None, "ms")
        yield Record(f"HeadsExplorer, {LONG} tokens, to the page", notebook.came[0] / 1e6, None, "MB")
        canvas = page.locator(".matrix canvas").first
        canvas.scroll_into_view_if_needed()
        page.wait_for_timeout(1000)
        box = page.evaluate(
            """() => {
                const el = document.querySelector('.matrix'), g = el.attnlab.geometry(), b = g.boxes[0];
                const rect = el.querySelector('canvas').getBoundingClientRect();
                return { x: rect.x + b.x, y: Math.max(rect.y + b.y, 0), width: b.right - b.x, height: 300 };
            }"""
        )
        rest = [between(page, box, moving=False) for _ in range(rounds)]
        seen = [between(page, box) for _ in range(rounds)]
    for share in (0.5, 0.95):
        name = f"HeadsExplorer, {LONG} tokens, between frames while the pointer moves, p{round(100 * share)}"
        each, idle = ([percentile(gaps, share) for gaps in many] for many in (seen, rest))
        limit = BETWEEN * 1.05 if share == 0.5 else None
        yield Record(name, median(each), limit, "ms", span(each), median(idle))


FRAMES = """() => {
    const frames = (window.watched = []);
    const step = (now) => {
        if (window.watched !== frames) return;
        frames.push(now);
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
}"""


def between(page, box, moving=True) -> list[float]:
    """Milliseconds between the frames of the page while the pointer goes across; or rests, to compare."""
    page.evaluate(FRAMES)
    if moving:
        across, down = there_and_back(0.05, 0.95), there_and_back(0.1, 0.9)
        places = zip(across, down, strict=True)
        sweep(page, [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in places], pressed=False)
    else:
        page.wait_for_timeout(2000)
    frames = page.evaluate("() => { const frames = window.watched; window.watched = null; return frames; }")
    return [b - a for a, b in pairwise(frames)]


if __name__ == "__main__":
    main()
