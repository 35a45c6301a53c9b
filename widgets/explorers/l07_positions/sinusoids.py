"""The sinusoidal code of positions, wave by wave, and how alike the codes of two places are."""

from typing import NamedTuple

import torch
from torch import Tensor

from attnlab.analysis import POSITION_TABLES
from widgets.base.controls import select, selected_cell, slider, switch
from widgets.base.explorer import Explorer
from widgets.base.words import key, number, query, say
from widgets.instruments.matrix.matrix import Matrix

DIM, LONGEST = 64, 64
HALF = DIM // 2


class CodeAndProducts(NamedTuple):
    """code: [tokens, columns], those that are used. alike: [tokens, tokens], code code^T, 1 on the diagonal (of the
    learned code: on average)."""

    code: Tensor
    alike: Tensor


class SinusoidsExplorer(Explorer):
    """P on the left, P Pᵀ on the right: which waves make places near each other more alike than far ones?"""

    waves = slider(HALF, 1, HALF, help="how many frequencies are used, from the fastest on")
    alone = switch(False, label="the last one alone", help="only the slowest of these frequencies")
    tokens = slider(32, 8, LONGEST, label="length", help="how many places")
    table = select(POSITION_TABLES, label="code", help="learned: random numbers, as before any training")
    cell = selected_cell([0, 2, 6], help="panel and two places that are selected", view="alike")

    shows = {"P": ("code", "values"), "alike": ("alike", "values")}
    row = ("code", "alike")

    @property
    def alike(self) -> Tensor:
        """[tokens, tokens] as shown."""
        return self.result.alike

    def views(self) -> dict:
        half = {"flex": "1 1 300px", "min_width": "0"}
        return {
            "code": Matrix(
                torch.zeros(2, 2),
                panel_names=["P"],
                scale="scores",
                limit=1.0,
                measure="number",
                query_title="place",
                key_title="column",
                layout=half,
            ),
            "alike": Matrix(
                torch.zeros(2, 2),
                panel_names=["P Pᵀ"],
                scale="scores",
                limit=1.0,
                measure="alike",
                query_title="place",
                key_title="place",
                layout=half,
            ),
        }

    def compute(self, state) -> CodeAndProducts:
        P = POSITION_TABLES[state.table](LONGEST, DIM)
        code = P[: state.tokens, 2 * state.waves - 2 if state.alone else 0 : 2 * state.waves]
        return CodeAndProducts(code, code @ code.T / code.square().sum(dim=1).mean())

    def picture(self, state, result) -> dict:
        places = [str(place) for place in range(state.tokens)]
        cell = state.cell if state.cell and max(state.cell[1:]) < state.tokens else []
        return {
            "code": {"values": result.code, "query_labels": places},
            "alike": {"values": result.alike, "query_labels": places, "key_labels": places, "selected": cell},
        }

    def sentence(self, state, result) -> list:
        if state.table == "learned":
            i, j = self._places(state)
            return say(
                "Random vectors: ",
                query(f"place {i}"),
                " and ",
                key(f"place {j}"),
                f" are alike by {number(result.alike[i, j].item())}, by chance. How far apart they are says nothing; "
                "what is near must be learned.",
            )
        i, j = self._places(state)
        others = f"every other pair {abs(i - j)} apart" if i != j else "every place to itself"
        parts = [
            query(f"place {i}"),
            " and ",
            key(f"place {j}"),
            f" are alike by {number(result.alike[i, j].item())}, and so is {others}. ",
        ]
        period = 6.283185 * 10000 ** ((state.waves - 1) / HALF)
        if state.alone:
            return say(*parts, f"This wave comes round again every {number(period, 1)} places: ", turns(period, state))
        if comes_round(result.alike):
            return say(*parts, "Fast waves alone come round again: some far places look nearly as alike as near ones.")
        slow = (
            f" The slowest hardly move in {state.tokens} places, and raise all numbers alike: the ridge stands on high "
            "ground."
        )
        ground = slow if result.alike.min() > 0.2 else ""
        return say(*parts, f"Fast waves tell neighbours apart, slower ones take the false stripes away.{ground}")

    @staticmethod
    def _places(state) -> tuple[int, int]:
        """Those that are selected, else the first and the fifth."""
        i, j = (state.cell or [0, -1, -1])[1:]
        return (i, j) if 0 <= i < state.tokens and 0 <= j < state.tokens else (0, min(4, state.tokens - 1))

    def code(self, state) -> str:
        first = 2 * state.waves - 2 if state.alone else 0
        return "\n".join([
            "from attnlab.analysis import POSITION_TABLES",
            "",
            f"P = POSITION_TABLES[{state.table!r}]({LONGEST}, {DIM})",
            f"P = P[:{state.tokens}, {first}:{2 * state.waves}]",
            "alike = P @ P.T / P.square().sum(dim=1).mean()",
        ])


def turns(period: float, state) -> str:
    """What a wave of this period does over so many places."""
    if period < state.tokens:
        return "places that far apart look the same."
    if period < 2 * state.tokens:
        return "it turns back within this sequence."
    if period > 20 * state.tokens:
        return f"it hardly moves in {state.tokens}, so all pairs look nearly the same."
    return "longer than this sequence, so it changes slowly and tells near from far."


def comes_round(alike: Tensor) -> bool:
    """Whether two places that are far apart are alike, and more so than nearer ones."""
    by_distance = alike[0]
    rise = by_distance - by_distance.cummin(0).values
    return bool(((by_distance > 0.5) & (rise > 0.5)).any())
