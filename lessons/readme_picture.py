"""The README's first picture: the encoder and decoder of lesson 02 at work, as an animated WebP.

    python -m lessons.readme_picture

The lesson's own cells train the two translators and make the explorer, in JupyterLab. Its film is stepped through, and
the page's clock is held while a picture is taken, so that each shows its motion at the same moment on any machine.
"""

import io
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from lessons.build import LESSONS, from_source
from lessons.lab import Lab, Notebook, chromium

TARGET = LESSONS / "images" / "encoder_decoder.webp"
CELLS = ("from textwrap import fill", "small = Progressives()", "translators = {", "machine = EncoderDecoderExplorer(")
WORDS = 3  # that are written: estamos comiendo pan
WIDTH, SCALE = 830, 2  # of a README's column, and dots to a pixel
SHARE, SHOWN = 75, 60  # ms of a motion that a picture stands for, and how long it is seen
HOLD = {"start": 300, "read": 150, "hand over": 400, "ask": 300, "weigh": 350, "add": 350, "write": 500}  # ms
LATER = 0.4  # of these for every word but the first
REST = 2000  # ms at the end, before it begins anew
ALONE = f".machine {{ width: {WIDTH}px }} .machine :is(.top, .line) {{ display: none !important }}"
CLOCK = """() => { const now = performance.now.bind(performance); performance.now = () => window.held ?? now(); }"""
PAINTED = """(ms) => new Promise((done) => {
    window.held = ms;
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));
})"""


def cells() -> list[str]:
    """The code of the lesson that makes `machine`. Raises ValueError for a lesson that no longer has it."""
    sources = [cell.source for cell in from_source(LESSONS / "sources" / "02_looking_back.py").cells]
    found = [next((source for source in sources if source.startswith(start)), None) for start in CELLS]
    if None in found:
        raise ValueError(f"expected a cell of lesson 02 that starts with {CELLS[found.index(None)]!r}, got none")
    return [*(source.partition("guess(")[0] for source in found if source), "machine"]


def shots(page: Notebook) -> Iterator[tuple[Image.Image, int]]:
    """Each picture of the film, and how many ms it stands."""
    page.page.add_style_tag(content=ALONE)
    page.page.locator(".machine .track").scroll_into_view_if_needed()
    page.page.evaluate(CLOCK)
    film = page.ask("machine.result.film")
    for step, frame in enumerate(film):
        if frame["step"] >= WORDS:
            break
        page.page.evaluate(PAINTED, 0)
        page.execute(f"machine.step = {step}")
        page.page.wait_for_function(f"document.querySelector('.machine .track input')?.value === '{step}'")
        moves = frame["ms"] if frame["step"] >= 0 else 0
        count = max(1, round(moves / SHARE))
        for i in range(1, count + 1):
            page.page.evaluate(PAINTED, frame["ms"] * i / count)
            yield picture(page), SHOWN if moves else 0
        pause = HOLD[frame["phase"]]
        yield picture(page), round(LATER * pause) if frame["step"] > 0 else pause
    yield picture(page), REST


def picture(page: Notebook) -> Image.Image:
    """The machine and its film as they are drawn now."""
    first, last = (page.page.locator(f".machine .{name}").bounding_box() for name in ("stage", "track"))
    clip = {"x": first["x"] - 8, "y": first["y"] - 8, "width": WIDTH + 16}
    clip["height"] = last["y"] + last["height"] - clip["y"]
    return Image.open(io.BytesIO(page.page.screenshot(clip=clip))).convert("RGB")


def animate(seen: Iterator[tuple[Image.Image, int]]) -> bytes:
    """One animated WebP, without loss; pictures that are equal stand as one. It begins with the last one, at rest: that
    is what is seen where nothing moves."""
    pictures: list[Image.Image] = []
    times: list[int] = []
    for one, ms in seen:
        if pictures and one.tobytes() == pictures[-1].tobytes():
            times[-1] += ms
        else:
            pictures.append(one)
            times.append(ms)
    pictures, times = [pictures[-1], *pictures[:-1]], [times[-1], *times[:-1]]
    out = io.BytesIO()
    how = {"lossless": True, "quality": 90, "method": 5, "minimize_size": True, "loop": 0}
    pictures[0].save(out, "WEBP", save_all=True, append_images=pictures[1:], duration=times, **how)
    return out.getvalue()


def main() -> None:
    with chromium() as browser, Lab() as lab:
        name = lab.write("picture.ipynb", cells())
        with lab.open(browser, name, width=1300, height=1200, scale=SCALE) as page:
            page.page.evaluate("jupyterapp.shell.collapseLeft()")
            page.run_all()
            page.wait_until_drawn()
            found = animate(shots(page))
    TARGET.write_bytes(found)
    print(f"{TARGET.relative_to(Path.cwd())}: {len(found)} bytes")


if __name__ == "__main__":
    main()
