"""The builder in a real page: texts and pictures of a lesson come from one run of its cells."""

import base64
import io
from contextlib import nullcontext
from types import SimpleNamespace

import nbformat
import pytest
from PIL import Image

from lessons import build

pytestmark = pytest.mark.browser

SOURCE = """# %% [markdown]
# # Does it build?

# %%
from types import SimpleNamespace

from widgets import Matrix, Training, guess

# %%
training = Training(lambda: (SimpleNamespace(step=i, loss=1 / i, metrics={}) for i in range(1, 8)), 7)
training

# %%
guess("00.temperature", then=Matrix([[0.2, 0.8]]))

# %%
Matrix([[0.0, 1.0]])

# %% tags=["raises-exception"]
1 / 0

# %%
training.run()
2 * 3
"""


@pytest.fixture(scope="module")
def built(lab, browser, tmp_path_factory):
    """A lesson's source, and the notebooks of two runs."""
    folder = tmp_path_factory.mktemp("lessons")
    (folder / "sources").mkdir()
    source = folder / "sources" / "00_try.py"
    source.write_text(SOURCE, encoding="utf-8")
    again = folder / "again"
    again.mkdir()
    project = build.project() | {"urls": {"Repository": "https://github.com/me/my-attnlab"}}
    with pytest.MonkeyPatch.context() as patch:  # with the links and the cell that a fork's address brings
        patch.setattr(build, "project", lambda: project)
        for place in (folder, again):
            build.build(source, place / "00_try.ipynb", lab, browser)
        yield source, folder / "00_try.ipynb", again / "00_try.ipynb"


@pytest.fixture(scope="module")
def cells(built):
    return [cell for cell in nbformat.read(built[1], 4).cells if cell.cell_type == "code"]


def picture(cell) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(cell.outputs[0].data["image/png"]))).convert("RGB")


def test_nothing_is_wrong_with_it(built):
    assert build.problems(*built[:2]) == []


def test_two_runs_give_the_same_bytes(built):
    assert built[1].read_bytes() == built[2].read_bytes()


def test_texts(cells):
    assert cells[0].outputs == [], "the Colab cell did something here"
    assert cells[2].outputs[0].data["text/plain"] == "Training(7 steps, not started; loss)"
    assert cells[5].outputs[0].traceback == ["ZeroDivisionError: division by zero"]
    assert cells[6].outputs[0].data["text/plain"] == "6"


def test_a_picture_is_what_the_page_draws(cells):
    seen = picture(cells[4])
    shown = cells[4].outputs[0].metadata["image/png"]
    assert seen.size == (2 * shown["width"], 2 * shown["height"])
    colours = {colour for count, colour in seen.getcolors(10**6) if count > 2000}
    assert {(255, 255, 255), (0x1C, 0x21, 0x5D)} <= colours, "no weight is the page, weight 1 is ink"


def test_a_question_hides_what_stands_behind_it(cells):
    [asked] = cells[3].outputs
    assert "Matrix(" in asked.data["text/plain"]
    assert set(asked.data) == {"text/plain", "text/markdown"}
    assert "(b) one word takes everything" in asked.data["text/markdown"]
    assert "Matrix(" not in asked.data["text/markdown"]
    shown = cells[4].outputs[0].metadata["image/png"]
    assert 40 < asked.metadata["text/markdown"]["height"] < shown["height"], "the room of the question alone"


def test_a_still_says_that_it_is_one_and_where_it_lives(cells):
    for cell in (cells[2], cells[4]):
        height = cell.outputs[0].metadata["image/png"]["height"]
        still, drawn = picture(cell), build.without_line(picture(cell), height)
        below = still.crop((0, drawn.height, still.width, still.height)).convert("L")
        assert below.size[1] == 2 * build.LINE
        assert 200 < sum(count for count, grey in below.getcolors() if grey < 200) < 4000, "a line of small letters"


def test_a_training_is_pictured_after_its_run(cells):
    blue = [count for count, (red, _, blue) in picture(cells[2]).getcolors(10**6) if blue > red + 60]
    assert sum(blue) > 2000, "no curve, no handle"
    assert cells[2].outputs[0].metadata["image/png"]["alt"] == "Training(7 steps, done; loss)"


def test_a_cell_that_fails_ends_the_build(tmp_path):
    """How a page sees that it failed is tested with the page, in `test_lab.py`."""
    source, target, root = tmp_path / "00_bad.py", tmp_path / "00_bad.ipynb", tmp_path / "root"
    root.mkdir()
    source.write_text("# %% [markdown]\n# # Does it build?\n\n# %%\n1 / 0\n", encoding="utf-8")
    page = SimpleNamespace(
        page=SimpleNamespace(evaluate=lambda script: None),
        run_all=lambda: None,
        wait_until_drawn=lambda: None,
        reveal_trainings=lambda: None,
        complaints=lambda: ["code cell 2: ZeroDivisionError: division by zero"],
    )
    lab = SimpleNamespace(root=root, open=lambda *arguments, **screen: nullcontext(page))
    with pytest.raises(RuntimeError, match="code cell 2: ZeroDivisionError: division by zero"):
        build.build(source, target, lab, browser=None)
    assert not target.exists()
