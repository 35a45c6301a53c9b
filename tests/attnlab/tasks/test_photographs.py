"""The photographs that come with the project: what the file holds, and the script that has made it."""

import io
from zipfile import ZipFile

import numpy as np
from PIL import Image

from attnlab.tasks import make_photographs
from attnlab.tasks.photographs import FILE, NAMES, SIZE, photographs


def test_the_file():
    found = photographs()
    assert tuple(found) == NAMES
    assert {photograph.shape for photograph in found.values()} == {(3, SIZE, SIZE)}
    assert all(photograph.min() >= 0 and 0.8 < photograph.max() <= 1 for photograph in found.values())
    assert FILE.stat().st_size < 60_000 * len(NAMES)


def test_they_show_what_their_names_say():
    """The sky behind the rocket is blue, the astronaut wears orange, the saucer is red."""
    sky = photographs()["a rocket"][:, :60].mean(dim=(1, 2))
    suit = photographs()["an astronaut"][:, 100:, 10:40].mean(dim=(1, 2))
    saucer = photographs()["a cup of coffee"][:, 120:135, 30:60].mean(dim=(1, 2))
    assert sky.argmax() == 2
    assert suit[0] > 1.5 * suit[1] > 1.5 * suit[2]
    assert saucer[0] > 3 * saucer[1:].max()


def test_each_has_its_source():
    said = FILE.with_suffix(".md").read_text(encoding="utf-8")
    assert all(name in said and make_photographs.CUTS[name][0] in said for name in NAMES)


def test_the_script(tmp_path, monkeypatch):
    """It cuts the squares out of the wheel's pictures, twice the same."""
    with ZipFile(tmp_path / "a.whl", "w") as wheel:
        for file, left, top, side in make_photographs.CUTS.values():
            whole = np.zeros((top + side + 5, left + side + 7, 3), np.uint8)
            whole[top : top + side, left : left + side] = [200, 100, 50]
            packed = io.BytesIO()
            Image.fromarray(whole).save(packed, "PNG")
            wheel.writestr(f"skimage/data/{file}", packed.getvalue())
    monkeypatch.setattr(make_photographs, "FILE", tmp_path / "photographs.npz")
    make_photographs.main(str(tmp_path / "a.whl"))
    once = (tmp_path / "photographs.npz").read_bytes()
    with np.load(tmp_path / "photographs.npz") as file:
        assert file["images"].shape == (len(NAMES), SIZE, SIZE, 3)
        assert (file["images"] == [202, 102, 50]).all()
    make_photographs.main(str(tmp_path / "a.whl"))
    assert (tmp_path / "photographs.npz").read_bytes() == once


def test_what_a_learner_changes_is_the_learners_own():
    photographs()["a cat"].zero_()
    assert photographs()["a cat"].any()
