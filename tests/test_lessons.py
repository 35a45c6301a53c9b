"""Each lesson's source and notebook are in step and clean; and the rules that say so see what they should."""

import base64
import io
import os
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from outputs import differences
from PIL import Image, ImageDraw

from lessons import build

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
OUTPUTS = [  # of its code cells, the first of which is Colab's
    [],
    [nbformat.v4.new_output("display_data", data={"text/plain": "IntSlider(value=3)", build.WIDGET_VIEW: {}})],
    [nbformat.v4.new_output("error", ename="ZeroDivisionError", evalue="division by zero")],
    [nbformat.v4.new_output("execute_result", data={"text/plain": "6"}, execution_count=4)],
]


@pytest.mark.parametrize(("source", "target"), PAIRS, ids=[source.stem for source, _ in PAIRS])
def test_pair_is_in_step(source, target):
    assert build.problems(source, target) == []


def test_each_lesson_leads_to_the_next():
    names = [target.stem for _, target in PAIRS]
    for source, target in PAIRS:
        last = nbformat.read(target, 4).cells[-1].source
        following = [name for name in names if int(name[:2]) == int(source.stem[:2]) + 1]
        assert [f"]({name}.ipynb)" in last for name in following] == [True] * len(following), source.stem


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A lesson as the builder writes it; the browser's part in it is tested in browser/test_build.py."""
    folder = tmp_path_factory.mktemp("lessons")
    (folder / "sources").mkdir()
    source, target = folder / "sources" / "00_try.py", folder / "00_try.ipynb"
    source.write_text(SOURCE)
    notebook = build.from_source(source)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for count, (cell, outputs) in enumerate(zip(code, OUTPUTS, strict=True), 1):
        cell.execution_count, cell.outputs = count, deepcopy(outputs)
    build.illustrate(notebook, [drawing(70)])
    nbformat.write(notebook, target)
    return source, target


def test_a_source_becomes_a_notebook(pair):
    source, target = pair
    assert build.problems(source, target) == []
    cells = nbformat.read(target, 4).cells
    assert [cell.cell_type for cell in cells] == ["markdown", "code", "code", "code", "code", "markdown"]
    assert cells[0].source.startswith("# Does it build?\n\n[Open in Binder](https://mybinder.org/")
    assert "00_try.ipynb" in cells[0].source
    assert "jupyterlab" not in cells[1].source
    assert "plotly" in cells[1].source


def drawing(size: int) -> Image.Image:
    """Lines and a word, such as a page draws, with all the shades of their edges."""
    picture = Image.new("RGB", (4 * size, 4 * size), "white")
    pen = ImageDraw.Draw(picture)
    for i in range(0, 4 * size, 17):
        pen.line([(0, i), (4 * size, 2 * i)], fill="#3B4592", width=5)
    pen.text((size, size), "weights", fill="#8A5A00", font_size=size)
    return picture.reduce(2)


def test_a_picture_stands_beside_the_words_in_place_of_the_view(pair):
    [output] = nbformat.read(pair[1], 4).cells[2].outputs
    assert set(output.data) == {"text/plain", "image/png"}
    assert output.metadata["image/png"] == {"alt": "IntSlider(value=3)", "width": 70, "height": 70}


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
    changed.write_text(SOURCE.replace("2 * 3", "2 * 5"))
    assert build.stale(changed, target)
    assert "does not say what its source says" in build.problems(changed, target)[0]


def tag(cell, *tags):
    cell.metadata["tags"] = [*cell.metadata.get("tags", []), *tags]


def output(**data):
    return nbformat.v4.new_output("display_data", data={name.replace("_", "/"): text for name, text in data.items()})


WARNED = nbformat.v4.new_output("stream", name="stderr", text="Warning!")
SPOILT = {
    "execution counts": lambda cells, metadata: cells[4].update(execution_count=7),
    "a cell failed": lambda cells, metadata: cells[3].metadata.update(tags=[]),
    "metadata beside the kernelspec": lambda cells, metadata: metadata.update(widgets={}),
    "cell metadata beside what its tags ask for": lambda cells, metadata: cells[2].metadata.update(execution={}),
    "bytes, at most": lambda cells, metadata: cells[4].outputs.append(output(text_html="x" * 300_001)),
    "at most 15 expected": lambda cells, metadata: cells[4].update(source="1\n" * 16),
    "title that asks": lambda cells, metadata: cells[0].update(source="# It builds."),
    "only the Colab cell": lambda cells, metadata: tag(cells[4], "nbval-skip"),
    "unknown tags": lambda cells, metadata: tag(cells[4], "nbval-ignore-output"),
    "switches the comparison": lambda cells, metadata: cells[4].update(source="2 * 3  # NBVAL_IGNORE_OUTPUT"),
    "stderr": lambda cells, metadata: cells[4].outputs.append(WARNED),
    "only this run's kernel": lambda cells, metadata: cells[4].outputs[0].data.update({build.WIDGET_VIEW: {}}),
    "address": lambda cells, metadata: cells[4].outputs[0].data.update({"text/plain": "<object at 0x7f33aa10>"}),
    "not the output's text": lambda cells, metadata: cells[2].outputs[0].metadata["image/png"].update(alt="a slider"),
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


# ---- what nbval says to the outputs of a run in the page


def missing(cells):
    cells[3].outputs.clear()


CHANGED = {
    "code cell 4: the outputs differ": lambda cells: cells[3].outputs[0].data.update({"text/plain": "7"}),
    "Missing output fields": missing,
    "Unexpected output fields": lambda cells: cells[3].outputs.append(WARNED),
    "code cell 3: the outputs differ": lambda cells: cells[2].outputs[0].update(evalue="division by nought"),
    "0 views in the page, 1 pictures committed": lambda cells: cells[1].outputs[0].data.pop(build.WIDGET_VIEW),
    "1 views in the page, 0 pictures committed": lambda cells: cells[3].outputs[0].data.update({build.WIDGET_VIEW: {}}),
    "other cells were run": lambda cells: cells[3].update(source="2 * 5"),
}


def ran(target) -> list:
    """The code cells as the page holds them after a run that gave what is committed."""
    cells = [cell for cell in nbformat.read(target, 4).cells if cell.cell_type == "code"]
    for cell, outputs in zip(cells, OUTPUTS, strict=True):
        cell.outputs = deepcopy(outputs)
    return cells


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
    cells[3].outputs[0].data["text/plain"] = "7"
    [text] = differences(request.session, pair[1], cells)
    assert "committed:\n    '6'\nnow:\n    '7'" in text


IN_THE_BROWSER = "tests/browser/test_lessons.py::test_outputs_are_the_committed_ones[00_try.ipynb]"


@pytest.mark.parametrize(
    ("chromium", "chosen", "left"),
    [
        ("chromium", [IN_THE_BROWSER, "00_try.ipynb::Cell 0", "01_other.ipynb::Cell 0"], [0, 2]),
        (None, [IN_THE_BROWSER, "00_try.ipynb::Cell 0"], [0, 1]),
        (
            "chromium",
            ["tests/browser/test_lessons.py::test_light_and_dark[00_try.ipynb]", "00_try.ipynb::Cell 0"],
            [0, 1],
        ),
        ("chromium", ["00_try.ipynb::Cell 0"], [0]),
    ],
)
def test_nbval_runs_what_the_browser_does_not(request, monkeypatch, chromium, chosen, left):
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
