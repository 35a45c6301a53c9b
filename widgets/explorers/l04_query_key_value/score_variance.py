"""Why the scores are divided: what the width of queries and keys does to a softmax, measured."""

from collections.abc import Callable
from functools import lru_cache

import torch

from attnlab import Attention, attend, dot, scaled_dot
from attnlab.analysis import saturation
from attnlab.analysis.learning.saturation import Saturation
from widgets.base.controls import button, slider, switch
from widgets.base.explorer import Explorer
from widgets.base.words import key, number, percent, query, say
from widgets.instruments.chart.chart import Chart, colour_of, curve, figure
from widgets.instruments.matrix.matrix import Matrix

QUERIES, KEYS = 6, 16
DRAWS = 50  # over which is averaged; the first is shown
WIDEST = 10  # widths are 1, 2, 4 ... to 2 to this power
LINES = [("entropy", True), ("gradient", True), ("entropy", False), ("gradient", False)]  # and whether divided
ROLES = {"entropy": "value", "gradient": "query"}  # only for their colours


@lru_cache(maxsize=4 * (WIDEST + 1))  # of all widths, divided or not, for two sets of vectors
def measure(exponent: int, divide: bool, seed: int) -> tuple[Saturation, Attention]:
    """Random queries and keys of width 2 ** exponent, each number with variance 1: what all of them measure, and the
    attention of the first draw."""
    chance = torch.Generator().manual_seed(1000 * seed + exponent)
    queries, keys = (torch.randn(DRAWS, count, 2**exponent, generator=chance) for count in (QUERIES, KEYS))
    found = attend(queries, keys, keys, score=scaled_dot if divide else dot)
    first = Attention(*(part[0].clone() for part in found))  # not a view, which would keep all draws
    return saturation(found.weights, found.scores), first


def line_name(measured: str, divide: bool) -> str:
    """What a curve is called."""
    return f"{measured}, {'divided' if divide else 'not divided'}"


def height_of(measured: str) -> Callable:
    """Where a curve of the present division stands at the present width."""

    def height(parts) -> float:
        state = parts["controls"].values
        return parts["curves"].trace(line_name(measured, state["divide"]))["y"][state["exponent"]]

    return height


class ScoreVarianceExplorer(Explorer):
    """Random queries meet random keys. The wider they are, the larger the scores, and the softmax becomes a choice."""

    exponent = slider(6, 0, WIDEST, label="width d = 2 to the power", help="d is the size of queries and keys")
    divide = switch(False, label="divide by √d", help="the scores are divided by the square root of the width")
    again = button(label="other random vectors", help="draws all vectors anew")

    shows = {
        "weights": ("matrix", "values"),
        "scores": ("matrix", "scores"),
        "entropy": height_of("entropy"),
        "gradient": height_of("gradient"),
    }

    @property
    def weights(self) -> torch.Tensor:
        """[queries, keys] of the first draw, as shown."""
        return self._measure(self.state)[1].weights

    def views(self) -> dict:
        lines = [
            curve(
                [0.0] * (WIDEST + 1),
                name=line_name(name, divide),
                role=ROLES[name],
                line={"dash": "dot" if divide else "solid"},
            )
            for name, divide in LINES
        ]
        widths = [str(2**i) for i in range(WIDEST + 1)]
        return {
            "matrix": Matrix(torch.zeros(QUERIES, KEYS)),
            "curves": Chart(
                figure(
                    *lines,
                    x="width d",
                    y="1 = as large as it can be",
                    y_range=[-0.06, 1.02],
                    height=280,
                    xaxis_tickvals=list(range(WIDEST + 1)),
                    xaxis_ticktext=widths,
                )
            ),
        }

    def compute(self, state) -> dict[bool, list[Saturation]]:
        """{whether the scores are divided: what is measured at each width}."""
        return {
            divide: [measure(exponent, divide, state.again)[0] for exponent in range(WIDEST + 1)]
            for divide in (True, False)
        }

    def picture(self, state, result) -> dict:
        shown = self._measure(state)[1]
        lines = {i: {"y": [getattr(one, name) for one in result[divide]]} for i, (name, divide) in enumerate(LINES)}
        here = {
            "type": "line",
            "x0": state.exponent,
            "x1": state.exponent,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": {"width": 1.5, "dash": "dot", "color": colour_of("plain")},
        }
        return {
            "matrix": {"values": shown.weights, "scores": shown.scores},
            "curves": {"traces": lines, "figure_layout": {"shapes": [here]}},
        }

    def _measure(self, state) -> tuple[Saturation, Attention]:
        return measure(state.exponent, state.divide, state.again)

    def sentence(self, state, result) -> list:
        seen, shown = self._measure(state)
        how = "divided by √d" if state.divide else "not divided"
        moves = ("hardly moves", "moves less", "still moves")[(seen.gradient > 0.05) + (seen.gradient > 0.3)]
        return say(
            f"At d = {2**state.exponent}, {how}, the scores have variance {number(seen.variance, 1)}. ",
            "The first ",
            query("query"),
            " gives one ",
            key("key"),
            f" {percent(float(shown.weights[0].max()))}, and the ",
            f"softmax {moves} when a score does: entropy {percent(seen.entropy)} and ",
            f"gradient {percent(seen.gradient)} of what they can be.",
        )

    def code(self, state) -> str:
        score = "scaled_dot" if state.divide else "dot"
        return "\n".join([
            "import torch",
            f"from attnlab import {score}, attend",
            "from attnlab.analysis import saturation",
            "",
            f"chance = torch.Generator().manual_seed({1000 * state.again + state.exponent})",
            f"query = torch.randn({DRAWS}, {QUERIES}, {2**state.exponent}, generator=chance)",
            f"key = torch.randn({DRAWS}, {KEYS}, {2**state.exponent}, generator=chance)",
            f"_, weights, scores = attend(query, key, key, score={score})",
            "variance, entropy, gradient = saturation(weights, scores)",
            "weights, scores = weights[0], scores[0]  # of the first draw",
        ])
