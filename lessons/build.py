"""Lessons are written as percent scripts in `sources/` and read as executed notebooks beside this file.

    python -m lessons.build                  # rebuild the lessons whose source, attnlab or widgets changed
    python -m lessons.build 02_looking_back  # rebuild this one
    python -m lessons.build --texts          # where only words changed: write them, run nothing
    python -m lessons.build --check          # say what is wrong with the pairs, change nothing

A notebook says what its source says, plus how long it takes and the links in its title cell, README's table of lessons
where the source has a place for it, and the link to the next lesson at its end. Where pyproject.toml names a
`Repository`, it has links to Binder and Colab, too, and the cell that installs the package there. It is run in
JupyterLab, in a real browser and a fresh kernel: beside the text of each view stands its picture, as the page drew it
after the last cell, with a line below it that says where it moves. A question is stored as Markdown, to be read where
nothing runs. Texts hold nothing that differs from one machine or day to the next.
"""

import argparse
import ast
import base64
import io
import os
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import jupytext
import nbformat
from PIL import Image, ImageDraw, ImageFont

from lessons import glossary
from lessons.lab import Lab, Notebook, chromium
from lessons.length import about, length
from lessons.length import problems as too_long

LESSONS = Path(__file__).resolve().parent
ROOT = LESSONS.parent
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}}
GITHUB = "https://github.com/"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
ALL_WIDGETS = "__import__('ipywidgets').widgets.widget._instances"  # of a kernel, by the ids of their models
FOR_COLAB = "nbval-skip"
NOT_ON_COLAB = ("torch", "numpy", "networkx", "jupyterlab", "ipykernel")  # Colab brings its own, and must keep them
MOST_LINES = 15  # of a code cell
MOST_OF_A_FOLDED = 100  # letters of the first line of a folded one, which JupyterLab shows
MOST_BYTES = 300_000  # of a notebook
SCREEN = {"width": 1040, "height": 3000, "scale": 2}  # the page whose views are pictured: the tallest fits on it
TABLE = "<!-- the table of lessons -->"  # in a source: README's table stands there in the notebook
ROW = re.compile(
    r"^\| (?P<number>\d\d[a-z]?) \| \[(?P<name>[^]]+)\]\(lessons/(?P<slug>\w+)\.ipynb\) \| (?P<question>[^|]*) "
    r"\| (?P<minutes>\d*) *\|$",
    re.M,
)
STILL = "A still picture. Live: make lab"  # stands below each, since GitHub shows nothing else of what is beside it
LINE = 22  # pixels that it takes
COARSER = [(1, 256), (1, 64), (2, 64), (3, 64), (4, 64)]  # a picture's dots in one, and its colours


def project() -> dict:
    """The `[project]` table of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def repository() -> str:
    """Where others find this copy of the project: the one line of pyproject.toml that says so; "" without it."""
    return project().get("urls", {}).get("Repository", "")


def links(slug: str) -> str:
    """Where else a lesson opens, as a line of Markdown. Words, not badges: a picture would ask another machine."""
    here = f"[Source of this page](sources/{slug}.py) · [Glossary](glossary.ipynb)"
    if not repository().startswith(GITHUB):  # Binder and Colab open what lies there
        return here
    copy = repository().removeprefix(GITHUB)
    binder = f"https://mybinder.org/v2/gh/{copy}/HEAD?urlpath=lab/tree/lessons/{slug}.ipynb"
    colab = f"https://colab.research.google.com/github/{copy}/blob/main/lessons/{slug}.ipynb"
    return f"[Open in Binder]({binder}) · [Open in Colab]({colab}) · {here}"


def onward(slug: str) -> list:
    """A last cell with the links to what stands beside it (01a, where this is 01) and to the next lesson."""
    own, following = slug[:2], f"{int(slug[:2]) + 1:02}"
    beside = [] if slug[2] != "_" else sorted((LESSONS / "sources").glob(f"{own}[a-z]_*.py"))
    back = [] if slug[2] == "_" else sorted((LESSONS / "sources").glob(f"{own}_*.py"))
    onwards = sorted((LESSONS / "sources").glob(f"{following}_*.py"))
    steps = [("Also", beside), ("Back", back), ("Next", onwards)]
    links = [f"**{word}:** {link(path)}" for word, paths in steps for path in paths]
    return [nbformat.v4.new_markdown_cell("\n\n".join(links))] if links else []


def link(source: Path) -> str:
    """A link to the lesson of this source, by number and title."""
    title = re.search(r"^# # (.*)$", source.read_text(encoding="utf-8"), re.M)[1]
    return f"[lesson {source.stem.partition('_')[0]}. {title}]({source.stem}.ipynb)"


def table_of_lessons(own: str) -> str:
    """README's table, as it reads in the folder of the lessons, on the page `own`."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    first = lines.index("| | lesson | question | minutes |")
    rows = "\n".join(takewhile(lambda line: line.startswith("|"), lines[first:])).replace("](lessons/", "](")
    return re.sub(rf"\[([^]]+)\]\({own}\.ipynb\)", r"\1", rows)


def readme() -> str:
    """README as it should be: with the minutes of each lesson in its table."""
    return ROW.sub(with_minutes, (ROOT / "README.md").read_text(encoding="utf-8"))


def with_minutes(row: re.Match) -> str:
    """A row of README's table with the minutes that its lesson promises."""
    minutes = about(length(lesson(LESSONS / "sources" / f"{row['slug']}.py")))
    return row[0][: row.start("minutes") - row.start()] + f"{minutes} |"


def colab_cells() -> list[nbformat.NotebookNode]:
    """The cell that installs the package on Colab, and does nothing elsewhere; none where no link leads to Colab."""
    if not repository().startswith(GITHUB):
        return []
    needs = [f'"{need}"' for need in project()["dependencies"] if not need.startswith(NOT_ON_COLAB)]
    packages = " \\\n        ".join(textwrap.wrap(" ".join(needs), 66, break_on_hyphens=False))
    source = f"""# On Google Colab only: install attnlab. Elsewhere this cell does nothing.
import sys

if "google.colab" in sys.modules:
    !pip install -q {packages}
    !pip install -q --no-deps git+{repository()}"""
    return [nbformat.v4.new_code_cell(source, metadata={"tags": [FOR_COLAB, "hide-input"]})]


def is_for_colab(cell) -> bool:
    """Whether a cell was added for Colab, and is none of the lesson's own."""
    return FOR_COLAB in cell.metadata.get("tags", [])


def metadata(tags: list[str]) -> dict:
    """A cell's metadata. Its code is folded where the tag says so: what asks and prepares is not what is taught."""
    folded = {"jupyter": {"source_hidden": True}, "cellView": "form"} if "hide-input" in tags else {}
    return {"tags": tags, **folded} if tags else {}


def lesson(source: Path) -> nbformat.NotebookNode:
    """The cells of a percent script, as they are written."""
    return jupytext.reads(source.read_text(encoding="utf-8"), fmt="py:percent")


def glossary_in_step() -> bool:
    """Whether the glossary's page is what its table gives."""
    return glossary.PAGE.exists() and nbformat.read(glossary.PAGE, 4) == glossary.page(KERNEL)


def from_source(path: Path) -> nbformat.NotebookNode:
    """The notebook that a percent script stands for, not yet executed."""
    notebook = lesson(path)
    minutes = about(length(notebook))
    title, *rest = notebook.cells
    head, _, text = title.source.partition("\n")
    title.source = f"{head}\n\n**About {minutes} minutes** · {links(path.stem)}\n\n{text.strip()}".strip()
    for cell in rest:
        if TABLE in cell.source:
            cell.source = cell.source.replace(TABLE, table_of_lessons(path.stem))
    cells = [title, *colab_cells(), *rest, *onward(path.stem)]
    for position, cell in enumerate(cells):
        cell.id = f"cell-{position:03d}"
        cell.metadata = metadata(cell.metadata.get("tags", []))
    return nbformat.v4.new_notebook(cells=cells, metadata=KERNEL)


def execute(notebook, lab: Lab, browser, name: str) -> None:
    """Run all cells in a page of JupyterLab. What a learner has stored is neither read nor changed."""
    nbformat.write(notebook, lab.root / name)
    with lab.open(browser, name, **SCREEN) as page:
        page.page.evaluate("jupyterapp.shell.collapseLeft()")
        page.run_all()
        page.wait_until_drawn()
        page.reveal_trainings()
        if complaints := page.complaints():
            raise RuntimeError("\n".join([f"{name} did not run:", *complaints]))
        ran = page.notebook()
        for cell, done in zip(notebook.cells, ran.cells, strict=True):
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = done.outputs, done.execution_count
        seen, said = pictures(page, notebook), words(page, notebook)
    for output in outputs(notebook):
        if output.output_type == "error":  # a traceback names this machine's folders
            output.traceback = [f"{output.ename}: {output.evalue}"]
    illustrate(notebook, seen, said)


def outputs(notebook) -> list:
    """All outputs, from top to bottom."""
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def pictures(page: Notebook, notebook) -> list[Image.Image]:
    """What the page draws of each view, from top to bottom."""
    places = [
        (i, j)
        for i, cell in enumerate(notebook.cells)
        for j, output in enumerate(cell.get("outputs", []))
        if WIDGET_VIEW in output.get("data", {})
    ]
    return [Image.open(io.BytesIO(page.picture(*place))).convert("RGB") for place in places]


def views_in(notebook) -> list:
    """The outputs that are views, from top to bottom."""
    return [output for output in outputs(notebook) if WIDGET_VIEW in output.get("data", {})]


def words(page: Notebook, notebook) -> list[str]:
    """What each view says of itself now, from top to bottom: since its cell ran, a later one may have trained it."""
    ids = [view.data[WIDGET_VIEW]["model_id"] for view in views_in(notebook)]
    return page.ask(f"(lambda all: [repr(all[one]) for one in {ids}])({ALL_WIDGETS})")


def illustrate(notebook, seen: list[Image.Image], said: list[str]) -> None:
    """Put the pictures in place of the views, as fine as the notebook has room for; a question is not pictured.

    The alt text is what the view `said` when it was pictured.
    """
    stills = []
    for view, picture, alt in zip(views_in(notebook), seen, said, strict=True):
        # A view without its kernel is an error message in JupyterLab; without the view, what is beside it is shown.
        del view.data[WIDGET_VIEW]
        if "text/markdown" in view.data:
            view.metadata["text/markdown"] = size(picture)  # that a page of the site keeps free for it
        else:
            stills.append((view, with_line(picture)))
            view.metadata["image/png"] = {"alt": alt, **size(stills[-1][1])}
    room = MOST_BYTES - len(nbformat.writes(notebook).encode()) - 40 * len(stills)  # for the pictures' key and quotes
    for (view, _), png in zip(stills, fitting([still for _, still in stills], room), strict=True):
        view.data["image/png"] = png


def size(picture: Image.Image) -> dict[str, int]:
    """Its width and height in pixels of the page."""
    return {"width": picture.width // SCREEN["scale"], "height": picture.height // SCREEN["scale"]}


def with_line(picture: Image.Image) -> Image.Image:
    """The picture of a view with a line below it that says what it is, and where the view lives."""
    scale = SCREEN["scale"]
    whole = Image.new("RGB", (picture.width, picture.height + LINE * scale), "white")
    whole.paste(picture)
    place = (6 * scale, picture.height + LINE * scale // 2)
    ImageDraw.Draw(whole).text(place, STILL, "#666", ImageFont.load_default(12 * scale), anchor="lm")
    return whole


def without_line(still: Image.Image, height: int) -> Image.Image:
    """A still as the page drew its view; `height`, in pixels of the page, is that of the whole still."""
    return still.crop((0, 0, still.width, round(still.height * (1 - LINE / height))))


def fitting(seen: list[Image.Image], room: int) -> list[str]:
    """The pictures (PNG in base64) in at most `room` letters: while they are more, the largest becomes coarser."""
    steps = [0] * len(seen)
    found = [png(picture, *COARSER[0]) for picture in seen]
    while sum(map(len, found)) > room:
        rest = [i for i, step in enumerate(steps) if step + 1 < len(COARSER)]
        if not rest:
            raise ValueError(f"{len(seen)} pictures do not fit into {room} bytes: fewer views, or smaller ones")
        largest = max(rest, key=lambda i: len(found[i]))
        steps[largest] += 1
        found[largest] = png(seen[largest], *COARSER[steps[largest]])
    return found


def png(picture: Image.Image, dots: int, colours: int) -> str:
    """A picture of lines and flat colours (PNG in base64): `dots` by `dots` become one, of a palette of `colours`.

    Chosen so that colours far apart are kept, however few dots have them: the words in the colour of a role.
    """
    out = io.BytesIO()
    small = picture.reduce(dots).quantize(colours, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
    small.save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def build(source: Path, target: Path, lab: Lab, browser) -> None:
    """Write the executed notebook of one source."""
    notebook = from_source(source)
    execute(notebook, lab, browser, target.name)
    part = target.with_suffix(".part")
    nbformat.write(notebook, part)
    part.replace(target)


def retext(source: Path, target: Path) -> None:
    """Write the words of a source into its notebook and keep the outputs; nothing where its code is other code by now.

    Words are also the links, and the cell for Colab that comes and goes with them. The notebook keeps its time: it is
    as old as its outputs.
    """
    notebook, ran = from_source(source), nbformat.read(target, 4)
    if code_of(notebook) != code_of(ran) or cell_texts(notebook) == cell_texts(ran):
        return
    time = target.stat().st_mtime
    for cell, before in zip(own_code(notebook), own_code(ran), strict=True):
        cell.outputs = before.outputs
    count(notebook)
    nbformat.write(notebook, target)
    os.utime(target, (time, time))


def count(notebook) -> None:
    """Number the code cells and their results, as a run does."""
    for number, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
        for counted in [cell, *(output for output in cell.outputs if "execution_count" in output)]:
            counted.execution_count = number


def own_code(notebook) -> list:
    """The lesson's own code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and not is_for_colab(cell)]


def code_of(notebook) -> list:
    """Text and tags of the lesson's own code: what an output depends on."""
    return [(cell.source, cell.metadata.get("tags", [])) for cell in own_code(notebook)]


def stale(source: Path, target: Path) -> bool:
    """Whether a notebook is missing, says something else than its source, or is older than the code it shows."""
    if not target.exists() or cell_texts(nbformat.read(target, 4)) != cell_texts(from_source(source)):
        return True
    code = [path for package in ("attnlab", "widgets") for path in (ROOT / package).rglob("*.*")]
    shown = [path for path in [source, *code] if path.suffix != ".pyc"]
    return target.stat().st_mtime < max(path.stat().st_mtime for path in shown)


def cell_texts(notebook) -> list:
    """What makes two notebooks say the same: kind, text, tags and id of every cell."""
    return [(cell.cell_type, cell.source, cell.metadata.get("tags", []), cell.get("id")) for cell in notebook.cells]


def problems(source: Path, target: Path) -> list[str]:
    """What is wrong with a lesson's pair of source and notebook, in words; an empty list if nothing is."""
    if not source.exists() or not target.exists():
        return [f"{target.name} and sources/{source.name} must both exist"]
    notebook = nbformat.read(target, 4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    found = list(too_long(length(lesson(source))))
    found += [text for cell in code for text in cell_problems(cell)]
    found += [f"{cell.id}: {text}" for cell in own_code(notebook) for text in answers_in(cell.source)]
    if cell_texts(notebook) != cell_texts(from_source(source)):
        found.append("the notebook does not say what its source says: run `make lessons`")
    if [cell.execution_count for cell in code] != list(range(1, len(code) + 1)):
        found.append("the execution counts are not 1, 2, 3 ...: run `make lessons`")
    if set(notebook.metadata) != {"kernelspec"}:
        found.append(f"metadata beside the kernelspec: {sorted(set(notebook.metadata) - {'kernelspec'})}")
    if target.stat().st_size > MOST_BYTES:
        found.append(f"{target.stat().st_size} bytes, at most {MOST_BYTES} expected")
    if not re.match(r"# .*\?$", notebook.cells[0].source.partition("\n")[0]):
        found.append("the first line is not a title that asks a question")
    if [cell.source for cell in code if is_for_colab(cell)] != [cell.source for cell in colab_cells()]:
        found.append(f"only the Colab cell may be tagged {FOR_COLAB}")
    if re.search(r"^# .*\bminutes\*\*", source.read_text(encoding="utf-8"), re.M):
        found.append("it promises minutes itself: the build computes them")
    if any("![](" in cell.source for cell in notebook.cells):
        found.append("a picture without alt text")
    return found


def cell_problems(cell) -> list[str]:
    """What is wrong with one code cell, whatever its lesson."""
    found = []
    tags = cell.metadata.get("tags", [])
    if set(tags) - {FOR_COLAB, "raises-exception", "solution", "hide-input"}:
        found.append(f"unknown tags {tags}")
    if re.search(r"#\s*(NBVAL_|PYTEST_VALIDATE_)", cell.source):
        found.append("a comment that switches the comparison of outputs")
    if len(cell.source.splitlines()) > MOST_LINES:
        found.append(f"a code cell of {len(cell.source.splitlines())} lines, at most {MOST_LINES} expected")
    first = cell.source.partition("\n")[0]
    if "hide-input" in tags and len(first) > MOST_OF_A_FOLDED:
        found.append(f"folded, {len(first)} letters are seen of it: the sign that it is folded stands outside the page")
    if cell.metadata != metadata(tags):
        found.append(f"cell metadata beside what its tags ask for: {cell.metadata}")
    for output in cell.outputs:
        kinds = set(output.get("data", {}))
        if output.output_type == "error" and "raises-exception" not in tags:
            found.append(f"a cell failed: {output.ename}: {output.evalue}")
        if output.get("name") == "stderr":
            found.append(f"a cell wrote to stderr: {output.text[:200]}")
        if WIDGET_VIEW in kinds or any(kind.startswith("application/vnd.plotly") for kind in kinds):
            found.append(f"an output that only this run's kernel can show: {sorted(kinds)}")
        if {"text/markdown", "image/png"} <= kinds:
            found.append("a question that is also a picture")
        if "image/png" in kinds and not same_view(output):
            found.append("a picture without the alt text of its view")
        if re.search(r"\b0x[0-9a-f]{6,}|[0-9a-f]{32}", str(output.get("data", {}).get("text/plain", ""))):
            found.append(f"an address or a random id in an output: {output.data['text/plain'][:200]}")
    return [f"{cell.id}: {text}" for text in found]


def same_view(output) -> bool:
    """Whether a picture's alt text is of the view that the output's text is of, in whatever state."""
    alt, text = output.metadata.get("image/png", {}).get("alt", ""), output.data.get("text/plain", "")
    return bool(alt) and alt.partition("(")[0] == text.partition("(")[0]


def answers_in(source: str) -> Iterator[str]:
    """What a cell gives away: the code of a question is read on GitHub, folded or not."""
    for node in ast.walk(ast.parse(source)):
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        written = {word.arg for word in getattr(node, "keywords", ()) if isinstance(word.value, ast.Constant)}
        if name.startswith("Predict") or (name == "guess" and written & {"answer", "why", "choices"}):
            yield f"line {node.lineno} holds the answer to a guess: write it into attnlab/exercises/l*.toml"


def pairs(slugs=(), folder: Path = LESSONS) -> list[tuple[Path, Path]]:
    """(source, notebook) of the named lessons, or of all that have either. Raises ValueError for a name of neither."""
    found = {path.stem for path in [*folder.glob("sources/[0-9]*.py"), *folder.glob("[0-9]*.ipynb")]}
    if unknown := set(slugs) - found:
        raise ValueError(f"expected lessons as 03_alignment, got {', '.join(sorted(unknown))}")
    return [(folder / "sources" / f"{slug}.py", folder / f"{slug}.ipynb") for slug in slugs or sorted(found)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lessons.build", description=__doc__.partition("\n")[0])
    parser.add_argument("lesson", nargs="*", help="NN_slug; all that are out of date, if none is named")
    parser.add_argument("--texts", action="store_true", help="write changed words into the notebooks, run nothing")
    parser.add_argument("--check", action="store_true", help="say what is wrong with the pairs, change nothing")
    options = parser.parse_args()
    try:
        chosen = pairs(options.lesson)
    except ValueError as error:
        parser.error(str(error))
    if not options.check and readme() != (ROOT / "README.md").read_text(encoding="utf-8"):
        (ROOT / "README.md").write_text(readme(), encoding="utf-8")
    if not options.check and not glossary_in_step():
        nbformat.write(glossary.page(KERNEL), glossary.PAGE)
    for source, target in chosen if not options.check else ():
        if source.exists() and target.exists():
            retext(source, target)
    if not options.check and not options.texts:
        rebuild([pair for pair in chosen if options.lesson or stale(*pair)])
    wrong = [f"{target.name}: {text}" for source, target in chosen for text in problems(source, target)]
    if readme() != (ROOT / "README.md").read_text(encoding="utf-8"):
        wrong.append("README.md: other minutes than its lessons': run `python -m lessons.build --texts`")
    if not glossary_in_step():
        wrong.append("glossary.ipynb is not what its table gives: run `python -m lessons.build --texts`")
    print("\n".join(wrong) or f"{len(chosen)} lessons in step")
    return bool(wrong)


def rebuild(chosen: list[tuple[Path, Path]]) -> None:
    """Build these pairs, all with one server and one browser."""
    if not chosen:
        return
    with chromium() as browser, Lab() as lab:
        for source, target in chosen:
            print(f"building {target.name}", flush=True)
            build(source, target, lab, browser)


if __name__ == "__main__":
    sys.exit(main())
