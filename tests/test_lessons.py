"""Each lesson's source and notebook are in step and clean; and the rules that say so see what they should."""

import base64
import io
import os

import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from lessons import build

PAIRS = build.pairs()

SOURCE = '''# %% [markdown]
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
'''


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
    folder = tmp_path_factory.mktemp("lessons")
    (folder / "sources").mkdir()
    source = folder / "sources" / "00_try.py"
    source.write_text(SOURCE)
    target = folder / "00_try.ipynb"
    build.build(source, target)
    return source, target


def test_build(pair):
    source, target = pair
    assert build.problems(source, target) == []
    cells = nbformat.read(target, 4).cells
    assert [cell.cell_type for cell in cells] == ["markdown", "code", "code", "code", "code", "markdown"]
    assert cells[0].source.startswith("# Does it build?\n\n[Open in Binder](https://mybinder.org/")
    assert "00_try.ipynb" in cells[0].source
    assert cells[1].outputs == [], "the Colab cell did something here"
    assert "jupyterlab" not in cells[1].source
    assert "plotly" in cells[1].source
    assert cells[2].outputs[0].data == {"text/plain": "IntSlider(value=3)"}
    assert cells[3].outputs[0].traceback == ["ZeroDivisionError: division by zero"]
    assert cells[4].outputs[0].data["text/plain"] == "6"


def test_build_twice_gives_the_same_bytes(pair, tmp_path):
    source, target = pair
    before = target.read_bytes()
    again = tmp_path / target.name
    build.build(source, again)
    assert again.read_bytes() == before


def test_pictures_become_smaller_and_stay_the_same():
    figure = Figure(dpi=110)
    figure.subplots().plot([2, 3, 5, 7, 11])
    out = io.BytesIO()
    figure.savefig(out, format="png")
    before = base64.b64encode(out.getvalue()).decode()
    after = build.smaller(before)
    assert len(after) < len(before) / 2
    pictures = [Image.open(io.BytesIO(base64.b64decode(png))) for png in (before, after)]
    old, new = (np.asarray(picture.convert("RGB"), int) for picture in pictures)
    assert abs(old - new).max() <= 16


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
