"""Two marks far apart: which places does a place of the feature map read, and what does it then know?"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnlab import record
from attnlab.checks import check_pixels
from attnlab.tasks.far_marks import SIDE, FarMarks, right_at_marks
from widgets.base.controls import held, stepper
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, query, say
from widgets.instruments.chart.chart import Chart, bars, figure
from widgets.instruments.picture.picture import Picture

KINDS = ["plus", "cross", "ring", "T"]


class Asked(NamedTuple):
    """weights: [rows, columns], what the asking place reads. chances: [models, kinds], what it says is the other mark.
    marks: the cells of the two marks, and other: the kind of the other one for each."""

    weights: Tensor
    chances: Tensor
    marks: list[list[int]]
    others: list[int]


class FarMarksExplorer(Explorer):
    """Click a place: the map shows what it reads there, the bars what two networks answer at it.

    models: {name: networks, one a seed}, pictures -> answers [batch, 4, rows, columns]; those of the first name have a
    `FeatureMapAttention`. The first seed is seen, all are counted. marks: pictures to choose from, as
    `attnlab.tasks.far_marks` draws them. ValueError for other numbers than 0 to 1, and for a name without networks.
    """

    picture_number = stepper(1, 1, None, label="picture", help="which picture with two marks")
    cell = held(
        [], help="the place that asks, [0, row, column]; []: that of the first mark", follows=("map", "selected")
    )

    shows = {
        "weights": lambda parts: parts["map"].shown,
        "chances": lambda parts: [parts["chart"].trace(i)["y"] for i in range(2)],
    }
    row = ("map", "chart")
    unstable = True

    def __init__(self, models: Mapping[str, Sequence[nn.Module]], marks: FarMarks, lock=None, **state) -> None:
        check_pixels(marks.images, "images")
        if missing := [name for name, seeds in models.items() if not len(seeds)]:
            raise ValueError(f"expected a network or more of each name, got none of {missing}")
        self.models, self.marks = dict(models), marks
        super().__init__(lock=lock, **state)

    @property
    def right(self) -> dict[str, list[float]]:
        """The share of all marks at which each network names the other one; kept until they learn."""
        if not self._known:
            self._known = {
                name: [right_at_marks(network, self.marks) for network in seeds] for name, seeds in self.models.items()
            }
        return self._known

    @property
    def weights(self) -> Tensor:
        """[rows, columns] of the feature map: what the place that asks reads."""
        return self.result.weights

    def views(self) -> dict:
        nothing = [0.0] * len(KINDS)
        roles = ["context", "key"]
        return {
            "map": Picture(torch.zeros(SIDE, SIDE), side=300, layout={"flex": "0 0 330px"}),
            "chart": Chart(
                figure(
                    *(bars(nothing, KINDS, name, role) for name, role in zip(self.models, roles, strict=True)),
                    x="the other mark is a",
                    y="probability",
                    y_range=[0, 1],
                    height=330,
                    barmode="group",
                    legend={"orientation": "h", "y": 1.2, "x": 0},
                ),
                layout={"flex": "1 1 320px", "min_width": "0"},
            ),
        }

    def cells(self, state) -> list[list[int]]:
        """Row and column of each mark on the feature map, which is half as fine as the picture."""
        return (self.marks.places[state.picture_number - 1] // 2).tolist()

    def asking(self, state) -> list[int]:
        """Row and column of the place that asks."""
        return list(state.cell[1:]) if state.cell else self.cells(state)[0]

    @torch.no_grad()
    def compute(self, state) -> Asked:
        if state.picture_number > len(self.marks.images):
            raise ValueError(f"expected a picture from 1 to {len(self.marks.images)}, got {state.picture_number}")
        image, (row, column) = self.marks.images[state.picture_number - 1, None], self.asking(state)
        shown = [seeds[0] for seeds in self.models.values()]
        with record(shown[0]) as trace:
            answers = torch.stack([network(image)[0] for network in shown])
        side = answers.shape[-1]
        weights = trace[trace.names[0]][0].weights[0, row * side + column].unflatten(0, (side, side))
        chances = answers.softmax(1)[:, :, row, column]
        return Asked(weights, chances, self.cells(state), self.marks.others[state.picture_number - 1].tolist())

    def picture(self, state, result) -> dict:
        traces = {str(i): {"y": chances} for i, chances in enumerate(result.chances)}
        return {
            "controls": {"picture_number": {"max": len(self.marks.images)}},
            "map": {
                "image": 1 - self.marks.images[state.picture_number - 1, 0],
                "weights": result.weights,
                "selected": [0, *self.asking(state)],
            },
            "chart": {"traces": traces},
        }

    def sentence(self, state, result) -> list:
        asking = self.asking(state)
        if asking not in result.marks:
            most = percent(float(result.weights.max()))
            return say(
                "No mark has its centre here, so nothing is asked of this place. It reads ",
                key(f"{most} at the place it likes best"),
                ".",
            )
        mine, alike = result.marks.index(asking), bool(result.others[0] == result.others[1])
        row, column = result.marks[1 - mine]
        near = result.weights[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
        runs = [
            query(f"The place of the {KINDS[result.others[1 - mine]]}"),
            f" gives {percent(float(near.sum()))} of its weight to ",
            key(f"the {'other ' * alike}{KINDS[result.others[mine]]} and around it"),
            f", {near.numel()} of {result.weights.numel()} places.",
        ]
        for name, chances in zip(self.models, result.chances, strict=True):
            best = int(chances.argmax())
            verdict = "right" if best == result.others[mine] else "wrong"
            runs += [f" {name[0].upper()}{name[1:]} says ", context(KINDS[best])]
            runs += [f", {percent(float(chances[best]))} sure: {verdict}."]
        counted = "; ".join(
            f"{name} {', '.join(percent(share) for share in shares)}" for name, shares in self.right.items()
        )
        return say(*runs, f" Of all {self.marks.others.numel():,} marks, right with each seed: {counted}.")

    def code(self, state) -> str:
        row, column = self.asking(state)
        return "\n".join([
            "import torch",
            "from attnlab import record",
            "",
            f"image = marks.images[{state.picture_number - 1}, None]",
            "shown = [seeds[0] for seeds in models.values()]",
            "with torch.no_grad(), record(shown[0]) as trace:",
            "    answers = torch.stack([network(image)[0] for network in shown])",
            "side = answers.shape[-1]",
            f"weights = trace[trace.names[0]][0].weights[0, {row} * side + {column}].unflatten(0, (side, side))",
            f"chances = answers.softmax(1)[:, :, {row}, {column}]  # [models, kinds]",
        ])
