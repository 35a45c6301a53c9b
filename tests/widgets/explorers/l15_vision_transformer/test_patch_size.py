"""PatchSizeExplorer: the table's numbers, and the grid that belongs to them."""

import pytest
from explorers import drive

from attnlab.trained import patch_sizes
from widgets.explorers.l15_vision_transformer.patch_size import LINE, SIZES, PatchSizeExplorer


def test_every_control(digits):
    drive(PatchSizeExplorer(digits), digits=digits)


def test_cuts_and_words_follow_the_size(digits):
    explorer = PatchSizeExplorer(digits)
    for position, size in enumerate(SIZES, 1):
        explorer.size = position
        row = patch_sizes()["sizes"][str(size)]
        across = 28 // size
        shown = explorer.parts["patches"].image[0, 0, :, :, 0]
        lines = (abs(shown - LINE) < 1e-6).all(0).reshape(28, 10).any(1)
        assert lines.sum() == 2 * (across - 1)
        assert row["tokens"] == across**2 + 1
        assert f"{row['tokens']} tokens" in repr(explorer.parts["caption"])
        assert f"of {size} × {size} = {size**2} numbers" in repr(explorer.parts["caption"])
        assert explorer.parts["controls"].changes["size"]["names"][position - 1] == f"{size} × {size}"
        mark = explorer.parts["chart"].trace("this size")
        assert list(mark["x"]) == [pytest.approx(row["multiply_adds"] / 1e6)]


def test_all_sizes_of_the_table_are_offered():
    assert sorted(int(size) for size in patch_sizes()["sizes"]) == SIZES
