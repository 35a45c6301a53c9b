"""A site of all lessons that needs no kernel: `make site`, or `python -m lessons.site FOLDER [LESSON ...]`.

Each lesson runs once. Its page is the notebook with what this run printed; in place of each view stands the view
itself, alive over pictures that were computed in advance (`widgets/base/offline.py`), and until it is drawn, or where
no script runs, its picture from the executed notebook. Nothing is asked of another machine: any server of plain files
will do, as `python -m http.server` in the folder.
"""

import argparse
import base64
import functools
import gzip
import html
import io
import json
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from latex2mathml.converter import convert
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from PIL import Image
from traitlets.config import Config

from lessons import glossary
from lessons.build import (
    KERNEL,
    LESSONS,
    LINE,
    ROOT,
    ROW,
    WIDGET_VIEW,
    from_source,
    is_for_colab,
    links,
    pairs,
    repository,
    without_line,
)
from lessons.lab import CHECKS, CHROMIUM, NO_CHROMIUM, PATIENCE, chromium
from widgets import TemperatureExplorer
from widgets.base.frames import opened
from widgets.base.offline import write

PAGES = LESSONS / "pages"
STATIC = ROOT / "widgets" / "static"
PLOTLY = ROOT / "node_modules" / "plotly.js-basic-dist-min" / "plotly-basic.min.js"  # curves and bars: a quarter of all
EXPORT = """
import json as _json
from widgets.base.offline import write as _write
print(_json.dumps(_write({views!r}, {folder!r}, {stem!r})))
"""
DRAWN = {"scatter", "bar"}  # what this part of Plotly draws
LOWEST = 40  # pixels that a view has at least
NOTE = 27  # pixels of the line below a training, which says that it is a record
SCREENS = {"room": {"width": 1100, "height": 900}, "narrow": {"width": 390, "height": 800}}  # pixels
# The height of each place of a view without what is kept free for it, in pixels, once all is drawn and stands still.
HEIGHTS = """() => {
    const places = [...document.querySelectorAll("[data-view]")];
    for (const place of places) place.style.minHeight = "0";
    const heights = places.map((place) => Math.ceil(parseFloat(getComputedStyle(place).height)));
    const still = String(heights) === globalThis.heightsBefore && !checks.notDrawn().length;
    globalThis.heightsBefore = String(heights);
    return still && heights;
}"""


class Markdown(IPythonRenderer):
    """Text with formulas as MathML, headings that can be linked to, and links between the pages."""

    def block_math(self, body: str) -> str:
        return spaced(convert(body.strip(), display="block"))

    def inline_math(self, body: str) -> str:
        return spaced(convert(body.strip()))

    def text(self, text: str) -> str:
        """A number stays in one line with its sign."""
        return super().text(re.sub(r"(?<=\d) (?=[%×])|(?<=×) (?=\d)", "\u00a0", text))

    def heading(self, text: str, level: int, **attrs) -> str:
        return f'<h{level} id="{html.escape(anchor(text))}">{text}</h{level}>\n'

    def link(self, text: str, url: str, title=None) -> str:
        return super().link(text, re.sub(r"^(\w+)\.ipynb", r"\1.html", url), title)


def spaced(formula: str) -> str:
    """MathML in which a function stands off from its argument, and a sign keeps to its number."""
    formula = re.sub(r"(?<!<msup>)(<mi>(?:exp|ln|log|tanh)</mi>)(?=<m[infrs])", r'\1<mspace width="0.17em"/>', formula)
    return re.sub(r"(<mo[^>]*>(?:&#x0003D;|,)</mo>)<mo>&#x02212;</mo>", r'\1<mo form="prefix">&#x02212;</mo>', formula)


def anchor(heading: str) -> str:
    """A heading's name in a link, as Jupyter makes it: what leads to a section there leads to it here."""
    return html.unescape(re.sub(r"<[^>]*>", "", heading)).strip().replace(" ", "-")


def markdown2html(source: str) -> str:
    """A cell of text as HTML."""
    return MarkdownWithMath(renderer=Markdown(escape=False)).render(source)


def page_exporter() -> HTMLExporter:
    """nbconvert with our template."""
    exporter = HTMLExporter(template_name="site", extra_template_basedirs=[str(PAGES)])
    exporter.register_filter("markdown2html", markdown2html)
    exporter.environment.globals["repository"] = repository()
    # Lines that were printed come in pieces, each of which would be an output of its own.
    exporter.register_preprocessor(CoalesceStreamsPreprocessor(), enabled=True)
    return exporter


def page_of(notebook, title: str, views: str) -> str:
    """A lesson that ran, as a page; `views` is the file of its views, whose names stand in the outputs' metadata."""
    text, _ = page_exporter().from_notebook_node(notebook, {"page": {"title": title, "views": views}})
    return text


# ---- a lesson


def run(slug: str, folder: Path) -> tuple[nbformat.NotebookNode, dict]:
    """The lesson as it ran, and what `write` says of its views, whose files lie in the folder then."""
    notebook = from_source(LESSONS / "sources" / f"{slug}.py")
    notebook.cells = [cell for cell in notebook.cells if not is_for_colab(cell)]
    notebook.cells[0].source = notebook.cells[0].source.replace(f" · {links(slug)}", "")
    quiet = {"KernelManager": {"transport_encryption": "auto"}}  # else each kernel warns that nothing is encrypted
    client = NotebookClient(
        notebook, timeout=None, kernel_name="python3", store_widget_state=False, config=Config(quiet)
    )
    with tempfile.TemporaryDirectory() as home, client.setup_kernel(env=environment(home), cwd=str(LESSONS)):
        for position, cell in enumerate(notebook.cells):
            client.execute_cell(cell, position)
        views = [output.data[WIDGET_VIEW]["model_id"] for _, output in views_of(notebook)]
        source = EXPORT.format(views=list(dict.fromkeys(views)), folder=str(folder.resolve()), stem=slug)
        notebook.cells.append(nbformat.v4.new_code_cell(source))
        client.execute_cell(notebook.cells[-1], len(notebook.cells) - 1)
    said = notebook.cells.pop().outputs
    return notebook, json.loads("".join(one.text for one in said if one.get("name") == "stdout"))


def environment(home: str) -> dict[str, str]:
    """A kernel's variables: what a learner has stored is neither read nor changed."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", "PYTHONPATH": path, "ATTNLAB_HOME": home}


def views_of(notebook) -> list[tuple]:
    """(cell, output) of each view, from top to bottom."""
    return [
        (cell, output)
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if WIDGET_VIEW in output.get("data", {})
    ]


def stills(slug: str, folder: Path) -> dict[str, list[dict]]:
    """What the executed notebook has in place of each view, {cell: [{still, width, height}, ...]}; without it nothing.

    The pictures become files; a question has none, only its size.
    """
    notebook = LESSONS / f"{slug}.ipynb"
    found: dict[str, list[dict]] = {}
    if not notebook.exists():
        return found
    for cell in nbformat.read(notebook, 4).cells:
        for output in cell.get("outputs", []):
            metadata, places = output.get("metadata", {}), found.setdefault(cell.id, [])
            if "alt" in metadata.get("image/png", {}):
                size = metadata["image/png"]
                place = f"pictures/{slug}.{cell.id}.{len(places)}.png"
                still = Image.open(io.BytesIO(base64.b64decode(output.data["image/png"])))
                without_line(still, size["height"]).save(folder / place, optimize=True)
                places.append({"still": place, **size, "height": size["height"] - LINE})
            elif "text/markdown" in metadata:
                places.append(metadata["text/markdown"])
    return found


def lesson(slug: str, folder: Path, browser) -> tuple[str, dict]:
    """Write the page of a lesson. Returns its HTML and a report of its views."""
    notebook, written = run(slug, folder)
    pictures = stills(slug, folder)
    for cell, output in views_of(notebook):
        view = written["views"][output.data[WIDGET_VIEW]["model_id"]]
        still = pictures[cell.id].pop(0) if pictures.get(cell.id) else {}
        height = still.get("height", LOWEST) + (NOTE if view["kind"] == "Training" else 0)
        output.metadata["attnlab"] = {**still, "name": view["name"], "room": height}
        cell.metadata["view"] = True
    for cell in notebook.cells:
        if cell.cell_type == "code" and re.search(r"^check\(", cell.source, re.M):
            cell.metadata["exercise"] = True
    title = notebook.cells[0].source.partition("\n")[0].removeprefix("# ")
    places = [output.metadata["attnlab"] for _, output in views_of(notebook)]
    page = with_room(folder / f"{slug}.html", places, browser, lambda: page_of(notebook, title, f"{slug}.views.bin"))
    for name in sorted(set(re.findall(r'src="(images/[\w.]+)"', page))):
        (folder / "images").mkdir(exist_ok=True)
        shutil.copy(LESSONS / name, folder / name)
    return page, report(slug, written, page, folder)


def with_room(path: Path, places: list[dict], browser, page: Callable[[], str]) -> str:
    """Write a page whose views lie in `places`, from top to bottom, each with the `room` that its still takes; and once
    more with what they take in a window, and on a phone. Returns it as it is then."""
    path.write_text(page(), encoding="utf-8")
    if browser:
        for name, screen in SCREENS.items():
            for place, height in zip(places, heights_on(screen, path, browser), strict=True):
                place[name] = height
        path.write_text(page(), encoding="utf-8")
    return page()


def heights_on(screen: dict[str, int], path: Path, browser) -> list[int]:
    """How high the views of a page are on a screen of this size, in pixels, from top to bottom."""
    with serving(path.parent) as address, closing(browser.new_page(viewport=screen)) as page:
        page.set_default_timeout(PATIENCE * 1000)
        page.goto(f"{address}/{path.name}")
        page.evaluate(CHECKS)
        for place in page.locator("[data-view]").all():
            place.scroll_into_view_if_needed()
            page.wait_for_function("(place) => 'alive' in place.dataset", arg=place.element_handle())
        return page.wait_for_function(HEIGHTS, polling=200).json_value()


class Quiet(SimpleHTTPRequestHandler):
    """A server of plain files that does not tell what it was asked for."""

    def log_message(self, *_) -> None:
        pass


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server of plain files, which knows nothing of the site."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def charted(model: dict) -> list[dict]:
    """The traces of a chart; of another view nothing."""
    return model["spec"].get("data", []) if "figure_layout" in model else []


def report(slug: str, written: dict, page: str, folder: Path) -> dict:
    """What a lesson's page holds, and its bytes when packed: page, views, pictures of the explorers, Plotly."""
    explorers = list(written["explorers"].values())
    views = folder / f"{slug}.views.bin"
    models = opened(views.read_bytes())[0]["models"].values()
    drawn = {trace.get("type", "scatter") for model in models for trace in charted(model)}
    if drawn - DRAWN:
        raise ValueError(f"{slug} has charts of {sorted(drawn - DRAWN)}, the site's Plotly draws {sorted(DRAWN)} only")
    bundles = {name for model in models for name in model.get("libraries", {})}
    packed = {name: (folder / "assets" / f"{name}.bin").stat().st_size for name in bundles}
    shared = sum((folder / "assets" / name).stat().st_size for name in ("page.css", "page.js", "offline.js"))
    return {
        "lesson": slug,
        "views": len(written["views"]),
        "explorers": explorers,
        "plotly": packed.pop("plotly", 0),
        "first": len(gzip.compress(page.encode())) + views.stat().st_size + sum(packed.values()) + shared,
        "pictures": sum(one["bytes"] for one in explorers),
    }


# ---- the site


def assets(folder: Path) -> None:
    """The scripts, once for all pages; those of the views packed, so that a plain server sends little."""
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    (folder / "pictures").mkdir(exist_ok=True)
    for path in (PAGES / "page.css", PAGES / "page.js", STATIC / "offline.js"):
        shutil.copy(path, folder / "assets" / path.name)
    for path in STATIC.glob("*.js"):
        if path.stem not in ("offline", "loader"):
            pack(folder / "assets" / f"{path.stem}.bin", path.read_bytes())
    pack(folder / "assets" / "plotly.bin", plotly())


def pack(path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content, mtime=0))


def plotly() -> bytes:
    """Plotly's script: with node's packages the part that draws curves and bars, which is all that lessons use."""
    from plotly.offline import get_plotlyjs, get_plotlyjs_version

    if PLOTLY.exists() and f"v{get_plotlyjs_version()}" in PLOTLY.read_text(encoding="utf-8")[:300]:
        return PLOTLY.read_bytes()
    return get_plotlyjs().encode()


def home(folder: Path, slugs: list[str], browser) -> None:
    """The first page: the promise, one live explorer, the lessons."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^\*\*(.*?)\*\* (.*?)\n\n", readme, re.M | re.S)
    tagline, promise = (found[1].rstrip("."), " ".join(found[2].split())) if found else ("attnlab", "")
    lessons = [
        row.groupdict() | {"page": f"{row['slug']}.html" if row["slug"] in slugs else ""}
        for row in ROW.finditer(readme)
    ]
    template = page_exporter().environment.get_template("home.html.j2")
    explorer = TemperatureExplorer()
    written = write([explorer.model_id], str(folder), "index")
    view = {"name": written["views"][explorer.model_id]["name"], "words": repr(explorer), "room": 492}
    hours = round(sum(int(row["minutes"] or 0) for row in lessons) / 60)
    told = {"tagline": tagline, "promise": promise, "lessons": lessons, "hours": hours, "view": view}
    with_room(folder / "index.html", [view], browser, lambda: template.render(told))


def sections(slug: str, page: str) -> list[list[str]]:
    """[page, anchor, lesson, heading, text] of each section of a page, for the search."""
    soup = BeautifulSoup(page, "html.parser")
    title = soup.h1.get_text()
    found = [[f"{slug}.html", "", title, "", ""]]
    for element in soup.select("section.text > *"):
        if element.name in ("h2", "h3"):
            found.append([f"{slug}.html", element["id"], title, element.get_text(), ""])
        elif element.name != "h1":
            for part in element.select("li, td, th, br"):
                part.insert_after(" ")
            found[-1][4] += " " + " ".join(element.get_text().split())
    return found


def site(folder: Path, slugs: list[str], browser) -> list[dict]:
    """Write the site of these lessons; without a browser (None) nothing is measured. Returns a report of each."""
    assets(folder)
    reports, index = [], []
    for slug in slugs:
        page, told = lesson(slug, folder, browser)
        print(line(told), flush=True)
        reports.append(told)
        index += sections(slug, page)
    page = page_of(glossary.page(KERNEL), "Glossary", "").replace('<main class="', '<main class="glossary ')
    (folder / "glossary.html").write_text(page, encoding="utf-8")
    index += sections("glossary", page)
    pack(folder / "search.bin", json.dumps(index, ensure_ascii=False).encode())
    home(folder, slugs, browser)
    return reports


def line(told: dict) -> str:
    """A report in a line."""
    whole = sum(one["whole"] for one in told["explorers"])
    count, states = len(told["explorers"]), sum(one["states"] for one in told["explorers"])
    plotly = f" + Plotly {told['plotly'] / 1000:.0f}" if told["plotly"] else ""
    return (
        f"{told['lesson']}: {told['views']} views, {count} explorers, {states} pictures, all states of {whole}; "
        f"packed {told['first'] / 1000:.0f} KB{plotly}, pictures {told['pictures'] / 1000:.0f} KB"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lessons.site", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the site is written")
    parser.add_argument("lesson", nargs="*", help="NN_slug; all, if none is named")
    options = parser.parse_args()
    try:
        slugs = [source.stem for source, _ in pairs(options.lesson) if source.exists()]
        options.folder.mkdir(parents=True, exist_ok=True)
        (options.folder / "index.html").touch()
    except ValueError as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(f"{options.folder}: nothing can be written there ({error.strerror})")
    with chromium() if CHROMIUM else nullcontext() as browser:
        site(options.folder, slugs, browser)
    if not CHROMIUM:
        print(f"On a phone, what is below a view may move when it is drawn: {NO_CHROMIUM}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
