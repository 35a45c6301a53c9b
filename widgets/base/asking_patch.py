"""Whose query it is over a picture: the class token's, or that of a patch, which a click chooses.

class HeadsExplorer(AskingPatch, Explorer):
    asks, cell = who_asks(), clicked_patch("maps")
"""

from typing import NamedTuple

from widgets.base.controls import State, choice, held

TOKEN, PATCH = "the class token", "a patch"


class Grid(NamedTuple):
    """others: the tokens before the patches, the class token first. rows, columns: of the patches."""

    others: int
    rows: int
    columns: int


def who_asks() -> State:
    return choice([TOKEN, PATCH], roles=["query", "query"], help="whose query it is: click a patch to choose one")


def clicked_patch(view: str) -> State:
    """view: the picture that is clicked."""
    return held([], "[head, row, column] of the patch that asks; [] the one in the middle", (view, "selected"))


class AskingPatch:
    """For an explorer with the state `asks` and `cell`, as the functions above make them."""

    def grid(self) -> Grid:
        """How the tokens lie over the picture."""
        raise NotImplementedError

    def asking(self, state) -> list[int]:
        """[head, row, column] of the patch that asks, also where none is selected."""
        _, rows, columns = self.grid()
        head, row, column = state.cell or (0, rows // 2, columns // 2)
        if not (0 <= row < rows and 0 <= column < columns):
            raise ValueError(f"expected a patch within {rows} rows and {columns} columns, got {[head, row, column]}")
        return [head, row, column]

    def token(self, state) -> int:
        """The query's place among the tokens. Raises ValueError where the class token asks and there is none."""
        others, _, columns = self.grid()
        if state.asks == TOKEN:
            if not others:
                raise ValueError("this model has no class token: let a patch ask")
            return 0
        _, row, column = self.asking(state)
        return others + row * columns + column
