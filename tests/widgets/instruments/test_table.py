"""Table keeps its rows in order."""

import math

import numpy as np
import pytest
import torch
from traitlets import TraitError

from widgets.instruments.table.table import Table

COLUMNS = {"name": ["x", "y", "z"], "size": [3, 1, 2], "right": [[0.5, 0.7], torch.tensor([1.0, 0.9]), [0.1, 0.1]]}


def test_order():
    table = Table(COLUMNS)
    assert table.order == [0, 1, 2]
    table.sort = "right"
    assert table.order == [1, 0, 2]
    table.descending = False
    assert table.order == [2, 0, 1]
    table.sort = "name"
    assert table.order == [0, 1, 2]
    table.sort = ""
    assert table.order == [0, 1, 2]


@pytest.mark.parametrize("descending", [True, False])
def test_what_cannot_be_measured_comes_last(descending):
    table = Table({"name": ["x", "y", "z"], "right": [None, [0.5, 0.7], [0.1, 0.1]]}, sort="right")
    table.descending = descending
    assert table.order == ([1, 2, 0] if descending else [2, 1, 0])


def test_words_do_not_hang_on_the_numbers():
    table = Table(COLUMNS, sort="right", title="three")
    assert repr(table) == "Table(three: 3 rows of name, size, right)"
    assert repr(Table({})) == "Table(0 rows of )"


def test_numbers_stand_before_texts():
    assert Table({"a": ["x", 2, "b", 1]}, sort="a", descending=False).order == [3, 1, 2, 0]


@pytest.mark.parametrize(
    ("columns", "words"),
    [([1], r"expected \{name: entries\}, got \[1\]"), ({"a": 1}, "a list of entries for 'a', got 1")],
)
def test_what_is_no_table(columns, words):
    with pytest.raises(TraitError, match=words):
        Table(columns)


def test_misfits_are_refused():
    with pytest.raises(TraitError, match=r"of one length, got \{'a': 1, 'b': 2\}"):
        Table({"a": [1], "b": [1, 2]})
    with pytest.raises(TraitError, match="sort: expected one of"):
        Table(COLUMNS, sort="colour")


def test_numbers_of_numpy_and_torch_are_numbers():
    table = Table({
        "a": [np.int64(3), np.float32(0.5), torch.tensor(2.0)],
        "b": [torch.tensor([0.5, 1.0]), [0.1], None],
    })
    assert table.columns == {"a": [3, 0.5, 2.0], "b": [[0.5, 1.0], [0.1], None]}


@pytest.mark.parametrize("wrong", [[], [0.5, math.inf], [math.nan]])
def test_measurements_that_have_no_mean_are_refused(wrong):
    with pytest.raises(TraitError, match="expected finite measurements, one or more, got"):
        Table({"a": [wrong]})
