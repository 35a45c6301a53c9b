"""AskingPatch: whose query it is, as a place among the tokens."""

from types import SimpleNamespace

import pytest

from widgets.base.asking_patch import PATCH, TOKEN, AskingPatch, Grid, clicked_patch, who_asks


class Asked(AskingPatch):
    def __init__(self, *grid):
        self.grid = lambda: Grid(*grid)


@pytest.mark.parametrize(
    ("grid", "asks", "cell", "token"),
    [
        ((1, 4, 4), TOKEN, [0, 3, 3], 0),
        ((1, 4, 4), PATCH, [1, 2, 3], 1 + 2 * 4 + 3),
        ((5, 2, 6), PATCH, [], 5 + 1 * 6 + 3),  # the one in the middle
        ((0, 2, 3), PATCH, [0, 1, 0], 3),
    ],
)
def test_the_place_of_the_query(grid, asks, cell, token):
    assert Asked(*grid).token(SimpleNamespace(asks=asks, cell=cell)) == token


def test_no_class_token():
    with pytest.raises(ValueError, match="no class token: let a patch ask"):
        Asked(0, 2, 3).token(SimpleNamespace(asks=TOKEN, cell=[]))


def test_the_states_of_an_explorer():
    assert who_asks().spec["options"] == [TOKEN, PATCH]
    assert clicked_patch("maps").follows == ("maps", "selected")
