"""Clocks: one matrix takes the code of any place to that of the place k later, found by least squares."""

from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from attnlab.positions import Learned, frequencies, sinusoidal

from .chart import Chart, curve, figure
from .controls import select, slider
from .explorer import Explorer
from .matrix import Matrix
from .words import context, key, number, query, say

DIM, SEEN, PLACES, FARTHEST = 8, 256, 512, 32
APART = 2.7  # between the centres of two clocks, in radii


class Solved(NamedTuple):
    """now, later: [dim], the codes of place t and of place t + k. M: [dim, dim]. inside, outside: the largest error of
    P(t) M, over the places that M was found from and over as many behind them."""

    now: Tensor
    later: Tensor
    M: Tensor
    inside: float
    outside: float


class ClockExplorer(Explorer):
    """Four clocks, each slower than the one before; k places later each hand has turned by an angle of its own."""

    place = slider(5, 0, 99, label="place t", help="where the first code is taken")
    k = slider(3, 0, FARTHEST, help="how many places later")
    table = select(["sinusoidal", "learned"], label="code", help="learned: random numbers, as before any training")

    shows = {"M": ("matrix", "values")}

    @property
    def M(self) -> Tensor:
        """[8, 8]: what least squares found."""
        return self.result.M

    def views(self):
        circle = torch.linspace(0, 6.2832, 61)
        rings = [curve(circle.cos(), circle.sin() + APART * i, line={"width": 1, "color": "#999999"})
                 for i in range(4)]
        hands = [curve([0.0, 0.0], [0.0, 0.0], role=role, line={"width": width})
                 for i in range(4) for role, width in (("query", 4), ("key", 4))]
        names = [f"f = {number(f, 3)}" for f in frequencies(DIM).tolist()]
        return {
            "clocks": Chart(figure(
                *rings, *hands, height=230, showlegend=False, x="orange: P(t), blue: P(t + k)",
                x_range=[-1.2, 3 * APART + 1.2], y_range=[-1.15, 1.15], yaxis_visible=False, yaxis_scaleanchor="x",
                xaxis_tickvals=[APART * i for i in range(4)], xaxis_ticktext=names, xaxis_showgrid=False,
            )),
            "matrix": Matrix(torch.zeros(DIM, DIM), panel_names=["M"], scale="scores", limit=1.0,
                             query_title="P(t)", key_title="P(t + k)", query_labels=names_of(), key_labels=names_of()),
        }

    def compute(self, state):
        M, inside, outside = solved(state.table, state.k)
        P = table(state.table)
        return Solved(P[state.place], P[state.place + state.k], M, inside, outside)

    def picture(self, state, result):
        hands = {}
        for i in range(4):
            for j, code in enumerate((result.now, result.later)):
                sin, cos = code[2 * i : 2 * i + 2].tolist()
                hands[4 + 2 * i + j] = {"x": [APART * i, APART * i + sin], "y": [0.0, cos]}
        return {"clocks": {"traces": hands}, "matrix": {"values": result.M}}

    def sentence(self, state, result):
        if result.outside < 1e-4:
            return say("One matrix takes ", query("P(t)"), " to ", key(f"P(t + {state.k})"), " at every place: found "
                       f"from the places 0 to {SEEN - 1}, its largest ", context("error"),
                       f" up to place {PLACES - 1} is below {limit(result.outside)}. It turns the fastest clock by "
                       f"{state.k} radians, the slowest by {number(state.k / 1000, 3)}.")
        return say("Random vectors have no such matrix. The best one is wrong by up to ",
                   context(number(result.inside, 1)), " even on the places that it was found from: to know place ",
                   query("t"), " says nothing about ", key(f"place t + {state.k}"), ".")

    def code(self, state):
        if state.table == "sinusoidal":
            made = ["from attnlab.positions import sinusoidal", "",
                    f"P = sinusoidal({PLACES + FARTHEST}, {DIM}).double()"]
        else:
            made = ["from attnlab.positions import Learned", "", "torch.manual_seed(0)",
                    f"P = Learned({DIM}, {PLACES + FARTHEST}).table.detach().double()"]
        return "\n".join([
            "import torch", *made,
            f"now, later = P[:{PLACES}], P[{state.k}:{PLACES + state.k}]",
            f"M = torch.linalg.lstsq(now[:{SEEN}], later[:{SEEN}]).solution",
            "error = (now @ M - later).abs().max()",
        ])


def names_of() -> list[str]:
    """sin and cos of each of the four clocks."""
    return [f"{wave} {i + 1}" for i in range(DIM // 2) for wave in ("sin", "cos")]


def limit(error: float) -> str:
    """The next power of ten above an error, in words of a formula."""
    return next(name for bound, name in ((1e-6, "10⁻⁶"), (1e-5, "10⁻⁵"), (1e-4, "10⁻⁴")) if error < bound)


@cache
def table(name: str) -> Tensor:
    """[places, dim] in double precision: the sinusoidal code, or the table of the learned one before any training."""
    if name == "sinusoidal":
        return sinusoidal(PLACES + FARTHEST, DIM).double()
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        return Learned(DIM, PLACES + FARTHEST).table.detach().double()


@cache
def solved(name: str, k: int) -> tuple[Tensor, float, float]:
    """M, and its largest errors inside and outside of the places that it was found from."""
    P = table(name)
    now, later = P[:PLACES], P[k : PLACES + k]
    M = torch.linalg.lstsq(now[:SEEN], later[:SEEN]).solution
    error = (now @ M - later).abs()
    return M, error[:SEEN].max().item(), error[SEEN:].max().item()
