"""One matrix takes the code of any place to that of the place k later: found by least squares, seen as clocks."""

from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from attnlab.analysis import POSITION_TABLES, shift_matrix
from attnlab.analysis.vectors.position_shift import Shift
from attnlab.positions import frequencies
from widgets.base.controls import select, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, counted, key, number, query, say
from widgets.instruments.chart.chart import Chart, curve, figure
from widgets.instruments.matrix.matrix import Matrix

DIM, SEEN, PLACES, FARTHEST = 8, 256, 512, 32
APART = 2.7  # between the centres of two clocks, in radii


class ShiftResult(NamedTuple):
    """now, later: [dim], the codes of place t and of place t + k. M: [dim, dim]. inside, outside: the largest error of
    P(t) M, over the places that M was found from and over as many behind them."""

    now: Tensor
    later: Tensor
    M: Tensor
    inside: float
    outside: float


class ShiftMatrixExplorer(Explorer):
    """Four clocks, each slower than the one before; k places later each hand has turned by an angle of its own."""

    place = slider(5, 0, 99, label="place t", help="where the first code is taken")
    k = slider(3, 0, FARTHEST, help="how many places later")
    table = select(POSITION_TABLES, label="code", help="learned: random numbers, as before any training")

    shows = {"M": ("matrix", "values")}

    @property
    def M(self) -> Tensor:
        """[8, 8]: what least squares found."""
        return self.result.M

    def views(self) -> dict:
        circle = torch.linspace(0, 6.2832, 61)
        rings = [curve(circle.cos(), circle.sin() + APART * i, role="plain", line_width=1) for i in range(4)]
        hands = [
            curve([0.0, 0.0], [0.0, 0.0], role=role, line={"width": width})
            for i in range(4)
            for role, width in (("query", 4), ("key", 4))
        ]
        waves = [f"{wave} {i + 1}" for i in range(4) for wave in ("sin", "cos")]
        names = [f"f = {number(f, 3)}" for f in frequencies(DIM).tolist()]
        return {
            "clocks": Chart(
                figure(
                    *rings,
                    *hands,
                    height=230,
                    showlegend=False,
                    x="orange: P(t), blue: P(t + k)",
                    x_range=[-1.2, 3 * APART + 1.2],
                    y_range=[-1.15, 1.15],
                    yaxis_visible=False,
                    yaxis_scaleanchor="x",
                    xaxis_tickvals=[APART * i for i in range(4)],
                    xaxis_ticktext=names,
                    xaxis_showgrid=False,
                )
            ),
            "matrix": Matrix(
                torch.zeros(DIM, DIM),
                panel_names=["M"],
                scale="scores",
                limit=1.0,
                measure="number",
                query_title="P(t)",
                key_title="P(t + k)",
                query_labels=waves,
                key_labels=waves,
            ),
        }

    def compute(self, state) -> ShiftResult:
        P = code_of(state.table)
        return ShiftResult(P[state.place], P[state.place + state.k], *found(state.table, state.k))

    def picture(self, state, result) -> dict:
        hands = {}
        for i in range(4):
            for j, code in enumerate((result.now, result.later)):
                sin, cos = code[2 * i : 2 * i + 2].tolist()
                hands[4 + 2 * i + j] = {"x": [APART * i, APART * i + sin], "y": [0.0, cos]}
        return {"clocks": {"traces": hands}, "matrix": {"values": result.M}}

    def sentence(self, state, result) -> list:
        if result.outside < 1e-4 and state.table == "learned":
            return say("One matrix takes ", query("P(t)"), " to ", key("P(t + 0)"), ": the one that changes nothing.")
        if result.outside < 1e-4:
            return say(
                "One matrix takes ",
                query("P(t)"),
                " to ",
                key(f"P(t + {state.k})"),
                f" at every place: found from the places 0 to {SEEN - 1}, its largest ",
                context("error"),
                f" up to place {PLACES - 1} is below {bound_above(result.outside)}. It turns the fastest clock "
                f"by {counted(state.k, 'radian')}, the slowest by {number(state.k / 1000, 3)}.",
            )
        return say(
            "Random vectors have no such matrix. The best one is wrong by up to ",
            context(number(result.inside, 1)),
            " even on the places that it was found from: to know place ",
            query("t"),
            " says nothing about ",
            key(f"place t + {state.k}"),
            ".",
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab.analysis import POSITION_TABLES, shift_matrix",
            "",
            f"P = POSITION_TABLES[{state.table!r}]({PLACES + FARTHEST}, {DIM}).double()",
            f"M, inside, outside = shift_matrix(P[:{PLACES + state.k}], k={state.k}, seen={SEEN})",
        ])


@cache
def code_of(table: str) -> Tensor:
    """[places, dim], in double precision, so that least squares is not taken for rounding."""
    return POSITION_TABLES[table](PLACES + FARTHEST, DIM).double()


@cache  # its last digits may differ from one call to the next: they depend on where in memory the numbers lie
def found(table: str, k: int) -> Shift:
    """The matrix for k, from the first places of a code, tested on as many."""
    return shift_matrix(code_of(table)[: PLACES + k], k, seen=SEEN)


def bound_above(error: float) -> str:
    """The next power of ten above an error, as it is written in a formula."""
    return next(name for bound, name in ((1e-6, "10⁻⁶"), (1e-5, "10⁻⁵"), (1e-4, "10⁻⁴")) if error < bound)
