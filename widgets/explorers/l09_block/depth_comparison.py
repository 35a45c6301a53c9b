"""Trainings of models of several depths, recorded, to be compared at one depth after the other."""

import math

import numpy as np
import torch

from widgets.base.controls import slider
from widgets.base.explorer import Explorer
from widgets.base.words import say
from widgets.instruments.chart.chart import Chart, curve, figure

LINES = (("context", "solid"), ("context", "dot"), ("query", "solid"), ("query", "dot"))
"""The colour's role and the dash of each way: two colours, and of each a way without and one with something more."""


def losses_shown(parts: dict) -> np.ndarray:
    """[curves, steps] as they are seen now."""
    chart = parts["chart"]
    return np.stack([chart.trace(i)["y"] for i in range(len(chart.spec["data"]))])


class DepthComparisonExplorer(Explorer):
    """The losses of several ways to train, at the depth that is chosen.

    runs: {way: {depth: losses, one a step}}, four ways at the same depths, which lie equally far apart; see `LINES`.
    steps: of the longest training. learned: the loss at which a training was ended, because it had succeeded.
    """

    depth = slider(12, 3, 12, step=3, help="how many blocks the models have")

    shows = {"losses": losses_shown}

    def __init__(self, runs, steps, learned, lock=None, **state) -> None:
        self.runs, self.steps, self.learned = runs, steps, learned
        super().__init__(lock=lock, **state)

    def views(self) -> dict:
        x = list(range(1, self.steps + 1))
        curves = [
            curve([0.0] * self.steps, x, name, role, line_width=2.5, line_dash=dash)
            for name, (role, dash) in zip(self.runs, LINES, strict=True)
        ]
        # At the ends of the curves their names would collide; at the right, halfway up, no curve passes.
        legend = {"orientation": "v", "x": 1, "xanchor": "right", "y": 0.45, "yanchor": "middle"}
        look = {"y_range": [-0.15, 3.6], "height": 330, "showlegend": True, "legend": legend}
        return {"chart": Chart(figure(*curves, x="training step", y="loss", **look))}

    def compute(self, state) -> torch.Tensor:
        losses = torch.full((len(self.runs), self.steps), math.nan)
        for row, runs in zip(losses, self.runs.values(), strict=True):
            row[: len(runs[state.depth])] = torch.as_tensor(runs[state.depth])
        return losses

    def picture(self, state, result) -> dict:
        return {"chart": {"traces": {str(i): {"y": losses} for i, losses in enumerate(result)}}}

    def sentence(self, state, result) -> list:
        runs: list = [f"{state.depth} blocks. "]
        for (name, trained), (role, _) in zip(self.runs.items(), LINES, strict=True):
            losses = trained[state.depth]
            done = round(sum(losses[-10:]) / 10, 2) <= self.learned  # they are stored to two decimals
            runs += [[name, role], f": {f'learned in {len(losses)} steps' if done else 'not learned'}. "]
        return say(*runs)

    def code(self, state) -> str:
        return "\n".join([
            "# runs holds the loss of every step, for each way and each depth",
            "import torch",
            "from torch.nn.utils.rnn import pad_sequence",
            "",
            f"losses = [torch.as_tensor(found[{state.depth}]) for found in runs.values()]",
            f"losses.append(torch.zeros({self.steps}))  # as long as the picture is wide",
            "losses = pad_sequence(losses, batch_first=True, padding_value=torch.nan)[:-1]",
        ])
