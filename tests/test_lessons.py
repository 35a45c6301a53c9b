"""Each lesson's source and notebook are in step and clean; and the rules that say so see what they should."""

import ast
import base64
import io
import os
import re
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from outputs import differences
from PIL import Image, ImageDraw

from attnlab.exercises import hint
from attnlab.exercises.guesses import all_questions
from lessons import build, site
from lessons.length import LIMITS, Length, about, length
from lessons.length import problems as too_long
from widgets import guess

PAIRS = build.pairs()

SOURCE = """# %% [markdown]
# # Does it build?
#
# A product: $2 \\\\cdot 3$.

# %%
from IPython.display import display
import ipywidgets
display(ipywidgets.IntSlider(3))

# %% tags=["raises-exception"]
1 / 0

# %%
2 * 3
"""
OUTPUTS = [  # of its code cells
    [nbformat.v4.new_output("display_data", data={"text/plain": "IntSlider(value=3)", build.WIDGET_VIEW: {}})],
    [nbformat.v4.new_output("error", ename="ZeroDivisionError", evalue="division by zero")],
    [nbformat.v4.new_output("execute_result", data={"text/plain": "6"}, execution_count=4)],
]


@pytest.mark.parametrize(("source", "target"), PAIRS, ids=[source.stem for source, _ in PAIRS])
def test_pair_is_in_step(source, target):
    assert build.problems(source, target) == []


@pytest.mark.parametrize("target", [target for _, target in PAIRS], ids=[source.stem for source, _ in PAIRS])
def test_hints_are_those_of_today(target):
    """A hint may be written anew without a change of its lesson."""
    for cell in nbformat.read(target, 4).cells:
        asked = re.fullmatch(r'hint\("(.+)"\)', cell.source.strip())
        if cell.cell_type == "code" and asked:
            assert cell.outputs[0]["data"]["text/html"] == hint(asked[1])._repr_html_()


def test_each_lesson_leads_to_the_next():
    names = [target.stem for _, target in PAIRS if target.stem[2] == "_"]  # what goes deeper is not the next one
    for source, target in PAIRS:
        last = nbformat.read(target, 4).cells[-1].source
        following = [name for name in names if int(name[:2]) == int(source.stem[:2]) + 1 and name[2] == "_"]
        assert [f"]({name}.ipynb)" in last for name in following] == [True] * len(following), source.stem


def test_what_goes_deeper_is_linked_both_ways(tmp_path, monkeypatch):
    (tmp_path / "sources").mkdir()
    for slug in ("01_one", "01a_deep", "02_two"):
        (tmp_path / "sources" / f"{slug}.py").write_text(f"# %% [markdown]\n# # Is this {slug}?\n", encoding="utf-8")
    monkeypatch.setattr(build, "LESSONS", tmp_path)
    deeper, back, following = (
        f"[lesson {slug[:3].strip('_')}. Is this {slug}?]({slug}.ipynb)" for slug in ("01a_deep", "01_one", "02_two")
    )
    assert [cell.source for cell in build.onward("01_one")] == [f"**Also:** {deeper}\n\n**Next:** {following}"]
    assert [cell.source for cell in build.onward("01a_deep")] == [f"**Back:** {back}\n\n**Next:** {following}"]
    assert build.onward("02_two") == []


# ---- how long a lesson is

LONG = """# %% [markdown]
# # Five words and one more?
# Two [linked words](an/address.html). $x$
# <details><summary>A solution</summary>Nobody needs to read this.</details>

# %%
from widgets import Chart, WeightsExplorer, bars, guess

explorer = WeightsExplorer()
Chart(bars([1, 2]))

# %% tags=["hide-input"]
guess("00.more", then=WeightsExplorer())

# %%
check("00.weights", weights)
"""


def test_a_lesson_is_measured(tmp_path):
    source = tmp_path / "00_try.py"
    source.write_text(LONG, encoding="utf-8")
    found = length(build.lesson(source))
    assert found[:3] == (9, 4, 3)  # 5 + 3 and a letter; a blank line and folded code are not read
    assert found.minutes == pytest.approx(9 / 200 + 4 / 10 + 3 * 1.5 + 1 + 4)  # three views, a guess, an exercise
    assert about(found) == 10
    assert "**About 10 minutes** · [" in build.from_source(source).cells[0].source


FITS = Length(1500, 130, 28, 30.04)  # minutes are compared as they are shown
MORE = {"words": 1501, "lines": 131, "cells": 29, "minutes": 30.1}


def test_limits_are_held():
    assert list(too_long(FITS)) == []
    for name, value in MORE.items():
        [text] = too_long(FITS._replace(**{name: value}))
        assert text.startswith(f"{value} {name}, at most {getattr(LIMITS, name):.5g} allowed")


def test_readme_promises_the_minutes_of_its_lessons():
    assert (build.ROOT / "README.md").read_text(encoding="utf-8") == build.readme()
    assert len(build.ROW.findall(build.readme())) >= 18


def test_minutes_stand_in_the_row_of_a_lesson():
    row = "| 01 | [Bottleneck](lessons/01_bottleneck.ipynb) | How much can one vector remember? |{}|"
    minutes = about(length(build.lesson(build.LESSONS / "sources" / "01_bottleneck.py")))
    for before in (" ", " 7 "):
        assert build.ROW.sub(build.with_minutes, row.format(before)) == row.format(f" {minutes} ")


FORK = "https://github.com/me/my-attnlab"


PROJECT = build.project()


@pytest.fixture
def at(monkeypatch):
    """`at(address)`: pyproject.toml says that the project lies there; "" where it says nothing."""

    def say(address):
        urls = {"urls": {"Repository": address}} if address else {"urls": {}}
        monkeypatch.setattr(build, "project", lambda: PROJECT | urls)

    return say


@pytest.fixture(params=["", FORK], ids=["nowhere", "a fork"])
def pair(request, at, tmp_path_factory):
    """A lesson as the builder writes it; the browser's part in it is tested in browser/test_build.py."""
    at(request.param)
    folder = tmp_path_factory.mktemp("lessons")
    (folder / "sources").mkdir()
    source, target = folder / "sources" / "00_try.py", folder / "00_try.ipynb"
    source.write_text(SOURCE, encoding="utf-8")
    notebook = build.from_source(source)
    for cell, outputs in zip(build.own_code(notebook), OUTPUTS, strict=True):
        cell.outputs = deepcopy(outputs)
    build.count(notebook)
    build.illustrate(notebook, [drawing(70)], ["IntSlider(value=7)"])
    nbformat.write(notebook, target)
    return source, target


def test_a_source_becomes_a_notebook(pair):
    source, target = pair
    assert build.problems(source, target) == []
    cells = nbformat.read(target, 4).cells
    assert [cell.cell_type for cell in cells if not build.is_for_colab(cell)] == ["markdown", *["code"] * 3, "markdown"]
    assert cells[0].source.startswith("# Does it build?\n\n**About 5 minutes** · [")
    assert "(sources/00_try.py)" in cells[0].source


def everything(notebook) -> str:
    return "\n".join(cell.source for cell in notebook.cells)


def test_without_an_address_no_link_leads_to_one(pair, at):
    at("")
    text = everything(build.from_source(pair[0]))
    assert "https://" not in text
    assert "google.colab" not in text


def test_every_link_is_made_from_the_one_line(pair, at):
    at(FORK)
    notebook = build.from_source(pair[0])
    assert "https://mybinder.org/v2/gh/me/my-attnlab/HEAD?urlpath=lab/tree/lessons/00_try.ipynb" in everything(notebook)
    assert "https://colab.research.google.com/github/me/my-attnlab/blob/main/lessons/00_try.ipynb" in everything(
        notebook
    )
    [colab] = filter(build.is_for_colab, notebook.cells)
    assert f"--no-deps git+{FORK}" in colab.source
    assert "jupyterlab" not in colab.source
    assert max(map(len, colab.source.splitlines())) <= 90, "it runs off the edge of GitHub's page"
    run = [line for line in TransformerManager().transform_cell(colab.source).splitlines() if "pip install" in line]
    asked = sum(map(colab.source.count, "<>"))  # each package with its version, at least or below
    assert [line.count('"') for line in run] == [2 * asked, 0], "one command, whatever its lines"
    assert all(line.strip().startswith("get_ipython().system('pip install -q ") for line in run)
    assert "plotly" in run[0]


def test_no_cell_of_a_lesson_for_colab_runs_off_the_edge():
    for _, target in PAIRS:
        cells = filter(build.is_for_colab, nbformat.read(target, 4).cells)
        assert not [line for cell in cells for line in cell.source.splitlines() if len(line) > 90], target.name


def test_an_address_elsewhere_makes_no_links_to_binder_and_colab(pair, at):
    at("https://git.example.org/attnlab")
    assert "https://" not in everything(build.from_source(pair[0]))


@pytest.mark.parametrize("address", ["", FORK])
def test_a_new_address_is_written_without_a_run(pair, at, tmp_path, address):
    target = tmp_path / "00_try.ipynb"
    target.write_bytes(pair[1].read_bytes())
    before = [cell.outputs for cell in build.own_code(nbformat.read(target, 4))]
    at(address)
    build.retext(pair[0], target)
    assert build.problems(pair[0], target) == []
    after = build.own_code(nbformat.read(target, 4))
    assert [cell.outputs[0].get("data") for cell in after] == [outputs[0].get("data") for outputs in before]
    assert after[-1].outputs[0].execution_count == after[-1].execution_count


def drawing(size: int) -> Image.Image:
    """Lines and a word, such as a page draws, with all the shades of their edges."""
    picture = Image.new("RGB", (4 * size, 4 * size), "white")
    pen = ImageDraw.Draw(picture)
    for i in range(0, 4 * size, 17):
        pen.line([(0, i), (4 * size, 2 * i)], fill="#3B4592", width=5)
    pen.text((size, size), "weights", fill="#8A5A00", font_size=size)
    return picture.reduce(2)


def test_a_picture_stands_beside_the_words_in_place_of_the_view(pair):
    [output] = build.own_code(nbformat.read(pair[1], 4))[0].outputs
    assert set(output.data) == {"text/plain", "image/png"}
    assert output.data["text/plain"] == "IntSlider(value=3)", "what its cell gave"
    shown = output.metadata["image/png"]
    assert shown == {"alt": "IntSlider(value=7)", "width": 70, "height": 70 + build.LINE}, "what was pictured later"


def test_a_still_says_below_that_it_is_one():
    seen = drawing(400)
    still = build.with_line(seen)
    assert still.crop((0, 0, *seen.size)).tobytes() == seen.tobytes()
    assert has_line(still, 400 + build.LINE)
    assert not has_line(seen, 400)
    bare = build.without_line(still.reduce(2), 400 + build.LINE)
    assert np.array_equal(np.asarray(bare), np.asarray(seen.reduce(2)))


def has_line(still: Image.Image, height: int) -> bool:
    """Whether a still of this height in the page ends with a line of small grey letters at its left."""
    scale = still.height / height
    below = np.asarray(still.convert("L"))[round(still.height - build.LINE * scale) :]
    letters, others = np.split(below < 200, [round(200 * scale)], axis=1)
    return bool(letters.any() and not letters[0].any() and not others.any())


def test_pictures_are_as_fine_as_there_is_room():
    seen = [drawing(50), drawing(400)]
    free = build.fitting(seen, 10**6)
    for picture, stored in zip(seen, free, strict=True):
        difference = np.asarray(picture, int) - np.asarray(decoded(stored), int)
        assert abs(difference).max() <= 16
    room = sum(map(len, free)) - 1
    small, large = build.fitting(seen, room)
    assert len(small + large) <= room
    assert small == free[0], "the largest becomes coarser, not the other"
    tight = build.fitting(seen, len(small) + len(free[1]) // 2)
    assert decoded(tight[1]).size < seen[1].size
    with pytest.raises(ValueError, match="2 pictures do not fit into 100 bytes"):
        build.fitting(seen, 100)


def decoded(png: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")


def test_stale(pair, tmp_path):
    source, target = pair
    os.utime(target, (4e9, 4e9))  # newer than any code
    assert not build.stale(source, target)
    os.utime(target, (1, 1))
    assert build.stale(source, target)
    os.utime(target, (4e9, 4e9))
    assert build.stale(source, tmp_path / "missing.ipynb")
    changed = tmp_path / "00_try.py"
    changed.write_text(SOURCE.replace("2 * 3", "2 * 5"), encoding="utf-8")
    assert build.stale(changed, target)
    assert "does not say what its source says" in build.problems(changed, target)[0]


def test_changed_words_are_written_without_a_run(pair, tmp_path):
    source, target = tmp_path / "00_try.py", tmp_path / "00_try.ipynb"
    source.write_text(SOURCE.replace("A product", "Two factors"), encoding="utf-8")
    target.write_bytes(pair[1].read_bytes())
    os.utime(target, (1, 1))
    before = build.outputs(nbformat.read(target, 4))
    build.retext(source, target)
    assert build.problems(source, target) == []
    assert "Two factors" in nbformat.read(target, 4).cells[0].source
    assert build.outputs(nbformat.read(target, 4)) == before
    assert target.stat().st_mtime == 1, "a notebook is as old as its outputs"


@pytest.mark.parametrize("other", ["2 * 5", '# %% tags=["solution"]\n2 * 3'])
def test_changed_code_is_not_written_without_a_run(pair, tmp_path, other):
    source = tmp_path / "00_try.py"
    source.write_text(
        SOURCE.replace("# %%\n2 * 3", other if other.startswith("#") else f"# %%\n{other}"), encoding="utf-8"
    )
    before = pair[1].read_bytes()
    build.retext(source, pair[1])
    assert pair[1].read_bytes() == before


@pytest.mark.parametrize(
    ("words", "complaint"),
    [("word " * 1501, " words, at most 1500 allowed"), ("**About 25 minutes**, or", "it promises minutes itself")],
)
def test_too_many_words_and_minutes_by_hand_are_seen(pair, tmp_path, words, complaint):
    source = tmp_path / "00_try.py"
    source.write_text(SOURCE.replace("A product", words), encoding="utf-8")
    assert any(complaint in text for text in build.problems(source, pair[1]))


def tag(cell, *tags):
    cell.metadata["tags"] = [*cell.metadata.get("tags", []), *tags]


def output(**data):
    return nbformat.v4.new_output("display_data", data={name.replace("_", "/"): text for name, text in data.items()})


WARNED = nbformat.v4.new_output("stream", name="stderr", text="Warning!")
SPOILT = {
    "execution counts": lambda cells, metadata: cells[-2].update(execution_count=7),
    "a cell failed": lambda cells, metadata: cells[-3].metadata.update(tags=[]),
    "metadata beside the kernelspec": lambda cells, metadata: metadata.update(widgets={}),
    "cell metadata beside what its tags ask for": lambda cells, metadata: cells[-4].metadata.update(execution={}),
    "bytes, at most": lambda cells, metadata: cells[-2].outputs.append(output(text_html="x" * 300_001)),
    "it is folded": lambda cells, metadata: (tag(cells[-2], "hide-input"), cells[-2].update(source="1" + " + 1" * 25)),
    "at most 15 expected": lambda cells, metadata: cells[-2].update(source="1\n" * 16),
    "title that asks": lambda cells, metadata: cells[0].update(source="# It builds."),
    "only the Colab cell": lambda cells, metadata: tag(cells[-2], "nbval-skip"),
    "unknown tags": lambda cells, metadata: tag(cells[-2], "nbval-ignore-output"),
    "switches the comparison": lambda cells, metadata: cells[-2].update(source="2 * 3  # NBVAL_IGNORE_OUTPUT"),
    "stderr": lambda cells, metadata: cells[-2].outputs.append(WARNED),
    "only this run's kernel": lambda cells, metadata: cells[-2].outputs[0].data.update({build.WIDGET_VIEW: {}}),
    "address": lambda cells, metadata: cells[-2].outputs[0].data.update({"text/plain": "<object at 0x7f33aa10>"}),
    "holds the answer": lambda cells, metadata: cells[-2].update(source='guess("00.temperature", answer=2)'),
    "a question that is also": lambda cells, metadata: cells[-4].outputs[0].data.update({"text/markdown": "**What?**"}),
    "alt text of its view": lambda cells, metadata: cells[-4].outputs[0].metadata["image/png"].update(alt="a slider"),
    "alt text": lambda cells, metadata: cells[0].update(source=cells[0].source + "\n![](images/a.png)"),
}


@pytest.mark.parametrize("complaint", SPOILT)
def test_each_rule_sees_its_fault(pair, tmp_path, complaint):
    source, target = pair
    notebook = nbformat.read(target, 4)
    SPOILT[complaint](notebook.cells, notebook.metadata)
    spoilt = tmp_path / target.name
    nbformat.write(notebook, spoilt)
    assert any(complaint in text for text in build.problems(source, spoilt))


# ---- what is asked before it is shown


def test_each_question_is_asked_once_in_its_lesson():
    asked = Counter()
    for source, _ in PAIRS:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "guess":
                name = ast.literal_eval(node.args[0])
                assert name.partition(".")[0] == source.stem.partition("_")[0], f"{name} is asked in {source.stem}"
                then = [keyword.value for keyword in node.keywords if keyword.arg == "then"]
                listed = [one for value in then for one in getattr(value, "elts", [value])]
                texts = [one.value for one in listed if isinstance(one, ast.Constant) and one.value is not ...]
                assert not texts, f"{name} tells in its cell what its file should hold: {texts}"
                asked[name] += 1
    assert asked == dict.fromkeys(all_questions(), 1)


@pytest.mark.parametrize("target", [target for _, target in PAIRS], ids=lambda target: target.stem)
def test_a_notebook_asks_and_does_not_tell(target):
    """As GitHub shows it, where folded code is read and nothing can be clicked."""
    cells = [cell for cell in nbformat.read(target, 4).cells if cell.cell_type == "code"]
    for name, asked in all_questions().items():
        if name.partition(".")[0] != target.stem.partition("_")[0]:
            continue
        [cell] = [cell for cell in cells if re.search(rf'guess\(\s*"{re.escape(name)}"', cell.source)]
        [shown] = [output for output in cell.outputs if "text/markdown" in output.get("data", {})]
        assert set(shown.data) == {"text/plain", "text/markdown"}
        assert set(shown.metadata) == {"text/markdown"}
        markdown = shown.data["text/markdown"]
        if "choices" in asked:
            assert markdown == guess(name)._repr_mimebundle_()[0]["text/markdown"]
        replies = [*asked.get("choices", {}).values(), *filter(None, [asked.get("why")]), *asked.get("then", [])]
        assert replies
        for reply in replies:
            assert not [other.id for other in cells if reply in other.source]
            assert reply not in markdown


@pytest.mark.parametrize("target", [target for _, target in PAIRS], ids=lambda target: target.stem)
def test_each_still_says_what_it_is(target):
    for output in build.outputs(nbformat.read(target, 4)):
        if "alt" in output.get("metadata", {}).get("image/png", {}):
            height = output.metadata["image/png"]["height"]
            still = decoded(output.data["image/png"])
            assert has_line(still, height), output.data["text/plain"][:80]
            foot = np.asarray(build.without_line(still, height).convert("L"))[-2:]
            assert (foot < 240).mean() < 0.9, f"a line of the page's frame below {output.data['text/plain'][:80]}"


def has_come_to_its_end(still: Image.Image) -> bool:
    """Whether a training's handle, in the brand's colour, has drawn its line across more than a third of the still."""
    brand = np.abs(np.asarray(still).astype(int) - (0x19, 0x76, 0xD2)).max(-1) < 40
    return bool(brand.mean(1).max() > 1 / 3)


@pytest.mark.parametrize("target", [target for _, target in PAIRS], ids=lambda target: target.stem)
def test_alt_texts_say_what_the_stills_show(target):
    for output in build.outputs(nbformat.read(target, 4)):
        alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
        if alt.startswith("Training("):
            still = decoded(output.data["image/png"])
            assert has_come_to_its_end(still) == (" done;" in alt), alt
            still.paste("white", (0, 0, still.width // 2, still.height))
            assert not has_come_to_its_end(still), "this is no measure of it"


@pytest.mark.parametrize("target", [target for _, target in PAIRS], ids=lambda target: target.stem)
def test_each_lesson_is_seen_where_nothing_runs(target):
    """Not all of its pictures stand behind questions, and each training that it runs is shown after it."""
    cells = [cell for cell in nbformat.read(target, 4).cells if cell.cell_type == "code"]
    shown = [
        (cell.source.splitlines()[-1], "image/png" in output.get("data", {}))
        for cell in cells
        for output in cell.outputs
    ]
    assert any(picture for _, picture in shown)
    for name in re.findall(r"^(\w+)\.run\(\)$", "\n".join(cell.source for cell in cells), re.M):
        assert (name, True) in shown, f"{name}.run(), and no picture of {name}"


ASKED = {"text/plain": "Guess first: What? (a) this", "text/markdown": "**Guess first:** What?\n\n* (a) this"}


@pytest.fixture
def asking(tmp_path):
    """A notebook that asks, and its cells as the page holds them after a run."""
    question = nbformat.v4.new_output("execute_result", data={**ASKED, build.WIDGET_VIEW: {}}, execution_count=1)
    cell = nbformat.v4.new_code_cell('guess("00.what")', outputs=[question], execution_count=1)
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata=build.KERNEL)
    ran = deepcopy(notebook.cells)
    build.illustrate(notebook, [drawing(70)], ["Ask()"])
    nbformat.write(notebook, tmp_path / "00_try.ipynb")
    return tmp_path / "00_try.ipynb", ran


def test_a_question_is_stored_as_markdown_with_the_room_that_it_takes(asking):
    [output] = nbformat.read(asking[0], 4).cells[0].outputs
    assert output.data == ASKED
    assert output.metadata == {"text/markdown": {"width": 70, "height": 70}}


def test_another_question_is_a_difference(asking, request):
    target, ran = asking
    assert differences(request.session, target, ran) == []
    ran[0].outputs[0].data["text/markdown"] = "**Guess first:** Which?"
    assert differences(request.session, target, ran) != []


# ---- what nbval says to the outputs of a run in the page


def missing(cells):
    cells[-1].outputs.clear()


CHANGED = {
    "now:\n    '7'": lambda cells: cells[-1].outputs[0].data.update({"text/plain": "7"}),
    "Missing output fields": missing,
    "Unexpected output fields": lambda cells: cells[-1].outputs.append(WARNED),
    "now:\n    'ZeroDivisionError: division by nought'": lambda cells: (
        cells[-2].outputs[0].update(evalue="division by nought")
    ),
    "0 views in the page, 1 pictures committed": lambda cells: cells[-3].outputs[0].data.pop(build.WIDGET_VIEW),
    "1 views in the page, 0 pictures committed": lambda cells: (
        cells[-1].outputs[0].data.update({build.WIDGET_VIEW: {}})
    ),
    "other cells were run": lambda cells: cells[-1].update(source="2 * 5"),
}


def ran(target) -> list:
    """The code cells as the page holds them after a run that gave what is committed."""
    notebook = nbformat.read(target, 4)
    for cell, outputs in zip(build.own_code(notebook), OUTPUTS, strict=True):
        cell.outputs = deepcopy(outputs)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_the_same_outputs_are_no_difference(pair, request):
    assert differences(request.session, pair[1], ran(pair[1])) == []


@pytest.mark.parametrize("complaint", CHANGED)
def test_each_changed_output_is_seen(pair, request, complaint):
    cells = ran(pair[1])
    CHANGED[complaint](cells)
    [text] = differences(request.session, pair[1], cells)
    assert text.startswith("00_try.ipynb")
    assert complaint in text


def test_a_difference_shows_both_texts(pair, request):
    cells = ran(pair[1])
    cells[-1].outputs[0].data["text/plain"] = "7"
    [text] = differences(request.session, pair[1], cells)
    assert "committed:\n    '6'\nnow:\n    '7'" in text


IN_THE_BROWSER = "tests/browser/test_lessons.py::test_outputs_are_the_committed_ones[00_try.ipynb]"


@pytest.mark.parametrize(
    ("chromium", "chosen", "left"),
    [
        ("chromium", [IN_THE_BROWSER, "00_try.ipynb::Cell 0", "01_other.ipynb::Cell 0"], [2, 0]),
        (None, [IN_THE_BROWSER, "00_try.ipynb::Cell 0"], [1, 0]),
        (
            "chromium",
            ["tests/browser/test_lessons.py::test_light_and_dark[00_try.ipynb]", "00_try.ipynb::Cell 0"],
            [1, 0],
        ),
        ("chromium", ["00_try.ipynb::Cell 0"], [0]),
    ],
)
def test_nbval_runs_what_the_browser_does_not_and_the_browser_comes_last(request, monkeypatch, chromium, chosen, left):
    [plugin] = [
        plugin
        for plugin in request.config.pluginmanager.get_plugins()
        if getattr(plugin, "__file__", None) == str(build.ROOT / "conftest.py")
    ]
    monkeypatch.setattr(plugin, "CHROMIUM", chromium)
    items = [
        SimpleNamespace(nodeid=name, path=Path(name.partition("::")[0]), add_marker=lambda mark: None)
        for name in chosen
    ]
    dropped = []
    config = SimpleNamespace(hook=SimpleNamespace(pytest_deselected=lambda items: dropped.extend(items)))
    given = list(items)
    plugin.pytest_collection_modifyitems(config, items)
    assert items == [given[i] for i in left]
    assert len(dropped) == len(given) - len(left)


@pytest.mark.parametrize("target", [target for _, target in PAIRS], ids=lambda target: target.stem)
def test_a_wrapped_number_begins_no_list(target):
    """JupyterLab takes a line of a list's item that begins with "60. " for an item of a list in it."""
    for cell in nbformat.read(target, 4).cells:
        if cell.cell_type == "markdown":
            assert not re.findall(r"(?m)^ +\d+[.)] ", cell.source)


CLOSED = """
import contextlib, os, platform, socket
from lessons.lab import START

vars(os).pop("uname", None)  # as on Windows
exec(START)
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
with contextlib.suppress(OSError):  # who refuses it has noted it
    socket.getaddrinfo(platform.node(), 80)
try:
    socket.getaddrinfo("another.machine", 80)
except ConnectionRefusedError as error:
    print(error)
"""


def test_a_kernel_reaches_this_machine_alone(tmp_path):
    noted = tmp_path / "outside"
    folders = {"ATTNLAB_HOME": str(tmp_path), "ATTNLAB_OUTSIDE": str(noted)}
    command = [sys.executable, "-c", CLOSED]
    done = subprocess.run(command, env=os.environ | folders, cwd=build.ROOT, capture_output=True, text=True)
    assert done.stdout == "the network is closed in this test: another.machine\n", done.stderr
    assert noted.read_text(encoding="utf-8") == "another.machine\n"


@pytest.mark.parametrize("program", [build, site])
def test_a_lesson_that_is_not_there_is_named(monkeypatch, capsys, tmp_path, program):
    """Before anything is started or written."""
    folder = [str(tmp_path / "site")] if program is site else []
    monkeypatch.setattr(sys, "argv", ["program", *folder, "03"])
    with pytest.raises(SystemExit):
        program.main()
    assert "expected lessons as 03_alignment, got 03" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


def test_a_site_that_cannot_be_written_is_said(monkeypatch, capsys, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setattr(sys, "argv", ["program", str(tmp_path / "file"), "04b_kernel_regression"])
    with pytest.raises(SystemExit):
        site.main()
    assert "nothing can be written there (File exists)" in capsys.readouterr().err
