"""Why the scores are divided: what the width of queries and keys does to a softmax, measured."""

from functools import cache
from typing import NamedTuple

import torch

from attnlab import Attention, attend, dot, scaled_dot

from .chart import Chart, curve, figure
from .controls import button, slider, switch
from .explorer import Explorer
from .matrix import Matrix
from .words import key, number, percent, query, say

QUERIES, KEYS = 6, 16
DRAWS = 50  # over which is averaged; the first is shown
WIDEST = 10  # widths are 1, 2, 4 ... to 2 to this power
LINES = [("entropy", True), ("gradient", True), ("entropy", False), ("gradient", False)]  # and whether divided
ROLES = {"entropy": "value", "gradient": "query"}  # only for their colours


class Measured(NamedTuple):
    """variance: of the scores. entropy: of the weights, as a share of its largest, log(keys). gradient: the sum of
    d weight / d score over the keys, which is the sum of weight (1 - weight): 0 where the softmax no longer moves."""

    variance: float
    entropy: float
    gradient: float


def draw(exponent: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Random queries and keys of width 2 ** exponent, each number with variance 1."""
    chance = torch.Generator().manual_seed(1000 * seed + exponent)
    return tuple(torch.randn(DRAWS, count, 2**exponent, generator=chance) for count in (QUERIES, KEYS))


@cache
def measure(exponent: int, divide: bool, seed: int) -> tuple[Measured, Attention]:
    """What is measured at one width, and the attention of the first draw."""
    asks, offers = draw(exponent, seed)
    found = attend(asks, offers, offers, score=scaled_dot if divide else dot)
    weights, scores = found.weights, found.scores
    entropy = -torch.xlogy(weights, weights).sum(-1).mean() / torch.tensor(float(KEYS)).log()
    gradient = (weights * (1 - weights)).sum(-1).mean()
    return Measured(scores.var().item(), entropy.item(), gradient.item()), Attention(*(part[0] for part in found))


class WidthExplorer(Explorer):
    """Random queries meet random keys. The wider they are, the larger the scores, and the softmax becomes a choice."""

    exponent = slider(6, 0, WIDEST, label="width d = 2 to the power", help="d is the size of queries and keys")
    divide = switch(False, label="divide by √d", help="the scores are divided by the square root of the width")
    again = button(label="other random vectors", help="draws all vectors anew")

    shows = {"weights": ("matrix", "values"), "scores": ("matrix", "scores")}

    @property
    def weights(self) -> torch.Tensor:
        """[queries, keys] of the first draw, as shown."""
        return self._seen(self.state)[1].weights

    def views(self):
        lines = [curve([0.0] * (WIDEST + 1), name=f"{name}, {'divided' if divide else 'not divided'}", role=ROLES[name],
                       line={"dash": "dot" if divide else "solid"}) for name, divide in LINES]
        widths = [str(2**i) for i in range(WIDEST + 1)]
        return {
            "matrix": Matrix(torch.zeros(QUERIES, KEYS)),
            "curves": Chart(figure(
                *lines, x="width d", y="1 = as large as it can be", y_range=[-0.06, 1.02], height=280,
                xaxis_tickvals=list(range(WIDEST + 1)), xaxis_ticktext=widths)),
        }

    def compute(self, state):
        with torch.no_grad():
            return {divide: [measure(exponent, divide, state.again)[0] for exponent in range(WIDEST + 1)]
                    for divide in (True, False)}

    def picture(self, state, result):
        shown = self._seen(state)[1]
        lines = {i: {"y": [getattr(one, name) for one in result[divide]]} for i, (name, divide) in enumerate(LINES)}
        here = {"type": "line", "x0": state.exponent, "x1": state.exponent, "y0": 0, "y1": 1, "yref": "paper",
                "line": {"width": 1.5, "dash": "dot", "color": "#808080"}}
        return {"matrix": {"values": shown.weights, "scores": shown.scores},
                "curves": {"traces": lines, "figure_layout": {"shapes": [here]}}}

    def _seen(self, state) -> tuple[Measured, Attention]:
        return measure(state.exponent, state.divide, state.again)

    def sentence(self, state, result):
        seen, shown = self._seen(state)
        how = "divided by √d" if state.divide else "not divided"
        moves = "hardly moves any more when a score does" if seen.gradient < 0.3 else "still moves when a score does"
        return say(f"At d = {2**state.exponent}, {how}, the scores have variance {number(seen.variance, 1)}. ",
                   "The first ",
                   query("query"), " gives one ", key("key"), f" {percent(float(shown.weights[0].max()))}, and the ",
                   f"softmax {moves}: entropy {percent(seen.entropy)} and gradient {percent(seen.gradient)} ",
                   "of what they can be.")

    def code(self, state):
        score = "scaled_dot" if state.divide else "dot"
        return "\n".join([
            "import torch",
            f"from attnlab import {score}, attend",
            "",
            f"chance = torch.Generator().manual_seed({1000 * state.again + state.exponent})",
            f"query = torch.randn({DRAWS}, {QUERIES}, {2**state.exponent}, generator=chance)",
            f"key = torch.randn({DRAWS}, {KEYS}, {2**state.exponent}, generator=chance)",
            f"_, weights, scores = attend(query, key, key, score={score})",
            "variance = scores.var()",
            "gradient = (weights * (1 - weights)).sum(-1).mean()",
            "weights, scores = weights[0], scores[0]  # of the first draw",
        ])
