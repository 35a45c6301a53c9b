"""SideBySide: what is shared moves both, what is changed stays, and the difference is right less left."""

from threading import Thread

import numpy as np
import pytest
import torch
from explorers import Plain, move
from ipywidgets.widgets.widget import _instances as instances

from widgets.explorers.l00_start_here.temperature import TemperatureExplorer
from widgets.explorers.l06_masks.masks import MasksExplorer
from widgets.explorers.l08_many_heads.number_of_heads import NumberOfHeadsExplorer
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.side_by_side import side_by_side
from widgets.instruments.side_by_side.side_by_side import SideBySide
from widgets.instruments.training.lock import PoliteLock


@pytest.fixture
def pair():
    return SideBySide(TemperatureExplorer(), TemperatureExplorer(temperature=3.0))


def difference(pair, name="matrix"):
    return pair.differences[name].shown


def expected(pair, name="matrix"):
    return pair.right.parts[name].shown - pair.left.parts[name].shown


def test_what_is_changed_is_named(pair):
    assert pair.changed == ["temperature"]
    assert repr(pair).startswith(
        "SideBySide(TemperatureExplorer): Changed: temperature 1.0 on the left, 3.0 on the right. All else moves both. "
        "Right less left: at most −0."
    )
    assert [spec["name"] for spec in pair.right.parts["controls"].spec] == ["temperature"]
    assert [spec["name"] for spec in pair.left.parts["controls"].spec] == ["temperature", "words"]


def test_the_difference_is_right_less_left(pair):
    np.testing.assert_array_equal(difference(pair), expected(pair))
    assert np.abs(difference(pair)).max() > 0.1
    matrix = pair.differences["matrix"]
    assert (matrix.scale, matrix.query_labels) == ("scores", pair.left.parts["matrix"].query_labels)


@pytest.mark.parametrize("side", ["left", "right"])
def test_what_is_shared_moves_both(pair, side):
    getattr(pair, side).words = "fish eat fish"
    assert pair.left.words == pair.right.words == "fish eat fish"
    assert (pair.left.temperature, pair.right.temperature) == (1.0, 3.0)
    np.testing.assert_array_equal(difference(pair), expected(pair))
    assert difference(pair).shape == (1, 3, 3)


def test_a_hand_in_the_page_moves_both(pair):
    move(pair.left, 1, words="fish eat fish")
    assert pair.right.words == "fish eat fish"
    pair.left.parts["matrix"].selected = [0, 1, 1]
    assert pair.right.parts["matrix"].selected == [0, 1, 1]
    move(pair.right, 1, temperature=2.0)
    assert (pair.left.temperature, pair.right.temperature) == (1.0, 2.0)
    assert "3.0" not in repr(pair)
    np.testing.assert_array_equal(difference(pair), expected(pair))


def test_no_frames_play_on_one_side_alone(pair, monkeypatch):
    said = []
    controls = pair.left.parts["controls"]
    monkeypatch.setattr(controls, "send", lambda message, buffers=None: said.append(message))
    ask = {"kind": "frames", "id": 1, "name": "temperature", "around": 0, "have": 0, "pending": {}}
    controls._handle_custom_msg(ask, [])
    assert said[-1]["refused"] == "watched"
    pair.close()
    controls._handle_custom_msg(ask, [])
    assert "refused" not in said[-1]


def test_equal_sides_have_no_difference(pair):
    pair.right.temperature = 1.0
    assert "The matrices are the same." in repr(pair)
    assert not difference(pair).any()


def test_sizes_that_differ():
    pair = SideBySide(NumberOfHeadsExplorer(), NumberOfHeadsExplorer(words="a dog runs"))
    assert "different sizes, 6 × 6 and 3 × 3: there is no difference to draw" in repr(pair)
    assert pair.differences["matrix"].layout.display == "none"
    pair.right.words = "two dogs ran over the hill"
    assert pair.differences["matrix"].layout.display == ""
    np.testing.assert_array_equal(difference(pair), expected(pair))
    assert pair.differences["matrix"].query_labels[4] == "the"
    assert pair.differences["matrix"].query_labels[0] == "the / two"


def test_only_cells_that_both_may_attend_to_count():
    pair = SideBySide(MasksExplorer(), MasksExplorer())
    assert "All controls move both: what differs is what stands behind the two. The matrices are the same." in repr(
        pair
    )
    one = pair.left.parts["matrix"].mask
    assert (pair.differences["matrix"].mask == one).all()


def test_cells_without_a_finite_number_are_left_out():
    told = side_by_side._in_words(Matrix(torch.tensor([[0.5, -torch.inf], [torch.nan, 0.25]]), scale="scores"))
    assert told == (
        "Right less left: at most 0.50, at row 1, column 1; 0.375 on average, whatever the sign. "
        "2 cells left out, where a side is no finite number. "
    )


def test_both_trainings_wait_while_it_computes():
    left, right = (TemperatureExplorer(lock=PoliteLock()) for _ in range(2))
    locks = left.lock, right.lock
    pair = SideBySide(left, right)
    with left.lock:
        held = [Thread(target=lambda lock=lock: free.append(lock.acquire(blocking=False))) for lock in locks]
        free: list[bool] = []
        for thread in held:
            thread.start()
            thread.join()
    assert free == [False, False]
    pair.close()
    assert (left.lock, right.lock) == locks


def test_a_picture_without_a_matrix_says_so():
    pair = SideBySide(Plain(), Plain(count=5))
    assert repr(pair) == (
        "SideBySide(Plain): Changed: count 3 on the left, 5 on the right. All else moves both. "
        "The picture of Plain has no matrix: its two sides are compared by eye."
    )
    pair.left.word = "seven"
    assert pair.right.word == "seven"


@pytest.mark.parametrize("right", [Plain(), None])
def test_two_of_different_kinds(right):
    left = TemperatureExplorer()
    with pytest.raises(ValueError, match="expected two of one explorer, got TemperatureExplorer and"):
        SideBySide(left, right)
    with pytest.raises(ValueError, match="expected two of one explorer"):
        SideBySide(left, left)


def test_close_leaves_the_two_explorers():
    left, right = TemperatureExplorer(), TemperatureExplorer(temperature=2.0)
    before = set(instances)
    pair = SideBySide(left, right)
    pair.close()
    assert set(instances) == before
    left.words = "fish eat fish"
    assert right.words != left.words


def test_close_gives_back_what_it_was_given():
    left, right = TemperatureExplorer(), TemperatureExplorer(temperature=2.0)
    given = right.lock, right.parts["controls"].spec
    SideBySide(left, right).close()
    assert (right.lock, right.parts["controls"].spec) == given
    assert not left.page.watched


def test_an_explorer_leaves_the_pair_in_which_it_stood():
    """A baseline, first against one and then against another."""
    baseline = TemperatureExplorer()
    one, other = (baseline.twin(temperature=temperature) for temperature in (2.0, 3.0))
    locks, first = (baseline.lock, other.lock), SideBySide(baseline, one)
    second = SideBySide(baseline, other)
    assert first.comm is None
    move(baseline, 1, words="fish eat fish")
    assert (other.words, one.words != other.words) == ("fish eat fish", True)
    move(one, 1, temperature=1.5)
    assert baseline.page.watched is second
    second.close()
    assert (baseline.lock, other.lock) == locks
    assert not baseline.page.watched


def test_made_again_of_the_same_two_it_moves_both(monkeypatch):
    """As when its cell is run again and the explorers stand in another one."""
    left, right = TemperatureExplorer(), TemperatureExplorer(temperature=2.0)
    first = SideBySide(left, right)
    bar = right.parts["controls"].spec
    monkeypatch.setattr(side_by_side, "replace_earlier", lambda new: first.close())
    SideBySide(left, right)
    assert left.page.watched
    assert right.page.watched
    assert right.parts["controls"].spec == bar
    left.words = "fish eat fish"
    assert right.words == left.words


def test_twins_with_one_thing_changed():
    explorer = TemperatureExplorer(words="fish eat fish")
    pair = SideBySide(explorer, explorer.twin(temperature=0.5))
    assert pair.changed == ["temperature"]
    assert pair.right.words == "fish eat fish"
