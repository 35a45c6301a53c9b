"""Waves: the sinusoidal code of positions, wave by wave, and how alike the codes of two places are."""

from typing import NamedTuple

import torch
from ipywidgets import HBox
from torch import Tensor

from attnlab.positions import Learned, sinusoidal

from .controls import held, select, slider, switch
from .explorer import Explorer
from .matrix import Matrix
from .words import key, number, query, say

DIM, LONGEST = 64, 64
HALF = DIM // 2


class Waves(NamedTuple):
    """code: [tokens, columns], those that are used. alike: [tokens, tokens], code code^T, 1 on the diagonal (of the
    learned code: on average)."""

    code: Tensor
    alike: Tensor


class WaveExplorer(Explorer):
    """P on the left, P Pᵀ on the right: which waves make places near each other alike, and far ones different?"""

    waves = slider(HALF, 1, HALF, help="how many frequencies are used, from the fastest on")
    alone = switch(False, label="the last one alone", help="only the slowest of these frequencies")
    tokens = slider(32, 8, LONGEST, label="length", help="how many places")
    table = select(["sinusoidal", "learned"], label="code", help="learned: random numbers, as before any training")
    cell = held([0, 2, 6], help="panel and two places that are selected")

    shows = {"P": ("code", "values"), "alike": ("alike", "values")}
    follows = {"cell": ("alike", "selected")}

    def __init__(self, **state):
        super().__init__(**state)
        controls, code, alike, caption = self.children
        self.children = [controls, HBox([code, alike]), caption]

    @property
    def alike(self) -> Tensor:
        """[tokens, tokens] as shown."""
        return self.result.alike

    def views(self):
        half = {"flex": "1 1 0", "min_width": "0"}
        return {
            "code": Matrix(torch.zeros(2, 2), panel_names=["P"], scale="scores", limit=1.0, query_title="places",
                           key_title="waves", layout=half),
            "alike": Matrix(torch.zeros(2, 2), panel_names=["P Pᵀ"], scale="scores", limit=1.0, query_title="places",
                            key_title="places", layout=half),
        }

    def compute(self, state):
        code = sinusoidal(LONGEST, DIM) if state.table == "sinusoidal" else learned()
        code = code[: state.tokens, 2 * state.waves - 2 if state.alone else 0 : 2 * state.waves]
        return Waves(code, code @ code.T / code.square().sum(dim=1).mean())

    def picture(self, state, result):
        places = [str(place) for place in range(state.tokens)]
        cell = state.cell if state.cell and max(state.cell[1:]) < state.tokens else []
        return {
            "code": {"values": result.code, "query_labels": places},
            "alike": {"values": result.alike, "query_labels": places, "key_labels": places, "selected": cell},
        }

    def sentence(self, state, result):
        if state.table == "learned":
            return say("Random vectors: every place is ", key("like itself"), " and like no other. Place 3 is no "
                       "nearer to place 4 than to place 30; what is near must be learned.")
        i, j = (state.cell or [0, -1, -1])[1:]
        if not (0 <= i < state.tokens and 0 <= j < state.tokens):
            i, j = 0, min(4, state.tokens - 1)
        told = [query(f"place {i}"), " and ", key(f"place {j}"), f" are alike by {number(result.alike[i, j].item())}, ",
                f"and so is every other pair {abs(i - j)} apart. " if i != j else "and so is every place to itself. "]
        period = 6.283185 * 10000 ** ((state.waves - 1) / HALF)
        if state.alone:
            return say(*told, f"This wave comes round again every {number(period, 1)} places",
                       ": places that far apart look the same." if period < state.tokens else
                       ": longer than this sequence, so it changes slowly and tells near from far.")
        if state.waves < 4:
            return say(*told, "Fast waves alone come round again: far places look the same as near ones.")
        return say(*told, "Fast waves tell neighbours apart, slow ones tell near from far; together a ridge.")

    def code(self, state):
        first = 2 * state.waves - 2 if state.alone else 0
        made = [f"P = sinusoidal({state.tokens}, {DIM})"]
        if state.table == "learned":
            made = ["torch.manual_seed(0)", f"P = Learned({DIM}, {LONGEST}).table.detach()[:{state.tokens}]"]
        return "\n".join([
            "import torch",
            f"from attnlab.positions import {'sinusoidal' if state.table == 'sinusoidal' else 'Learned'}",
            "",
            *made,
            f"P = P[:, {first}:{2 * state.waves}]",
            "alike = P @ P.T / P.square().sum(dim=1).mean()",
        ])


def learned() -> Tensor:
    """[places, dim]: the table of the learned code before any training."""
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        return Learned(DIM, LONGEST).table.detach()
