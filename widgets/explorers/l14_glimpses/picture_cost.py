"""What it costs to look: glimpses beside a convolutional network, over the size of the picture."""

from typing import NamedTuple

import numpy as np
import torch

from attnlab.analysis.images.picture_costs import PictureCost, SmallConvolutional, picture_cost
from attnlab.training import seeded
from attnlab.vision.glimpses import RecurrentAttention, mean_gaze
from widgets.base.controls import slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, say
from widgets.instruments.chart.chart import Chart, curve, figure, points

SIDES = range(20, 181, 40)


class Costs(NamedTuple):
    """Of one picture of the size that is chosen."""

    glimpses: PictureCost
    convolutional: PictureCost


class PictureCostExplorer(Explorer):
    """Multiply-adds, counted while the models look, and milliseconds of this machine.

    model: a `RecurrentAttention`, trained or not: it costs the same.
    """

    side = slider(60, SIDES[0], SIDES[-1], step=SIDES.step, label="side in pixels", help="of a square picture")

    shows = {"counts": lambda parts: np.stack([parts["chart"].trace(i)["y"] for i in range(2)])}
    unstable = True

    def __init__(self, model: RecurrentAttention, glimpses: int = 4, lock=None, **state) -> None:
        self.model, self.glimpses = model, glimpses
        with seeded(0):
            self.convolutional = SmallConvolutional().to(next(model.parameters()).device)
        self._costs = {side: self._cost(side) for side in SIDES}
        super().__init__(lock=lock, **state)

    def _cost(self, side: int) -> Costs:
        picture = torch.zeros(1, side, side, device=next(self.model.parameters()).device)
        gaze = mean_gaze(self.model.location)
        looks = picture_cost(lambda pictures: self.model(pictures, gaze, self.glimpses), picture, repeats=10)
        return Costs(looks, picture_cost(self.convolutional, picture, repeats=10))

    def views(self) -> dict:
        flat = [1.0] * len(SIDES)
        names = {"glimpses": "context", "convolutional": "key"}
        return {
            "chart": Chart(
                figure(
                    *(
                        curve(flat, list(SIDES), name, role, line_width=2.5, mode="lines+markers")
                        for name, role in names.items()
                    ),
                    *(points([1], [1.0], name=name, role=role, marker_size=11) for name, role in names.items()),
                    x="side of the picture, pixels",
                    y="multiply-adds for one picture",
                    yaxis_type="log",
                    yaxis_exponentformat="power",
                    yaxis_dtick=1,
                    y_range=[5.2, 8.4],
                    x_range=[10, 215],
                    xaxis_tickvals=list(SIDES),
                    height=320,
                    showlegend=False,
                )
            )
        }

    def compute(self, state) -> Costs:
        return self._costs[state.side]

    def picture(self, state, result) -> dict:
        lines = {
            str(i): {"y": [float(costs[i].multiply_adds) for costs in self._costs.values()]} for i in range(len(result))
        }
        marks = {str(2 + i): {"x": [state.side], "y": [cost.multiply_adds]} for i, cost in enumerate(result)}
        return {"chart": {"traces": lines | marks}}

    def sentence(self, state, result) -> list:
        millions = [number(cost.multiply_adds / 1e6) for cost in result]
        took = [number(1e3 * cost.seconds, 1) for cost in result]
        return say(
            f"{state.side} × {state.side} pixels: ",
            context(f"{self.glimpses} glimpses"),
            f" take {millions[0]} million multiply-adds and {took[0]} ms on this machine; ",
            key("the convolutional network"),
            f", which reads every pixel, {millions[1]} million and {took[1]} ms.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab.analysis.images.picture_costs import SmallConvolutional, picture_cost",
            "from attnlab.vision.glimpses import mean_gaze",
            "",
            f"pictures = [torch.zeros(1, side, side) for side in range({SIDES.start}, {SIDES.stop}, {SIDES.step})]",
            "gaze, convolutional = mean_gaze(model.location), SmallConvolutional()",
            f"kinds = (lambda p: model(p, gaze, {self.glimpses}), convolutional)",
            "costs = [[picture_cost(kind, p, repeats=1) for p in pictures] for kind in kinds]",
            "counts = torch.tensor([[cost.multiply_adds for cost in row] for row in costs])",
        ])
