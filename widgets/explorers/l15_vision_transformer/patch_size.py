"""The size of the patches: how many tokens, what it costs, and how often a ViT of that size is right."""

from typing import NamedTuple

import torch
from torch import Tensor

from attnlab.trained import patch_sizes
from widgets.base.controls import slider
from widgets.base.words import context, key, number, say
from widgets.explorers.l15_vision_transformer.digit_of import DigitExplorer, paper
from widgets.instruments.chart.chart import Chart, figure, points
from widgets.instruments.picture.picture import Picture

SIZES = [4, 7, 14, 28]  # pixels along a patch, of which the slider names one
LINE = 0.55  # grey, seen on paper and on ink


class Sizes(NamedTuple):
    """Of each size, the smallest first. millions: multiply-adds for one picture. right: the mean of the seeds."""

    tokens: list[int]
    millions: list[float]
    right: list[float]
    lowest: list[float]
    highest: list[float]


class PatchSizeExplorer(DigitExplorer):
    """A held-out digit cut into patches, beside the table that `attnlab.trained.patch_sizes` holds."""

    size = slider(2, 1, len(SIZES), label="patch size", help="how many pixels wide and high a patch is; a ViT for each")

    shows = {
        "millions": lambda parts: parts["chart"].trace(0)["x"],
        "right": lambda parts: parts["chart"].trace(0)["y"],
    }
    row = ("patches", "chart")
    unstable = False

    def views(self) -> dict:
        nothing, names = [1.0] * len(SIZES), [str(size) for size in SIZES]
        beside = ["middle left", "middle right", "bottom right", "top right"]  # one name stays clear of the next mark
        mark = {"mode": "markers+text", "textposition": beside, "marker_size": 9}
        return {
            "patches": Picture(torch.ones(28, 28), side=300, layout={"flex": "0 0 330px"}),
            "chart": Chart(
                figure(
                    points(nothing, nothing, names, "all sizes", "context", **mark),
                    points([1.0], [1.0], name="this size", role="query", marker_size=15, marker_symbol="circle-open"),
                    x="million multiply-adds a picture",
                    y="held-out digits right",
                    y_range=[0.9, 1.0],
                    height=330,
                    showlegend=False,
                    xaxis={"type": "log", "tickvals": [0.2, 0.5, 1, 2, 5, 10], "range": [-0.75, 1.15]},
                ),
                layout={"flex": "1 1 320px", "min_width": "0"},
            ),
        }

    def compute(self, state) -> Sizes:
        rows = [patch_sizes()["sizes"][str(size)] for size in SIZES]
        found = [[run["accuracy"] for run in row["runs"]] for row in rows]
        return Sizes(
            [row["tokens"] for row in rows],
            [row["multiply_adds"] / 1e6 for row in rows],
            [sum(one) / len(one) for one in found],
            [min(one) for one in found],
            [max(one) for one in found],
        )

    def picture(self, state, result) -> dict:
        at = state.size - 1
        error = {
            "type": "data",
            "symmetric": False,
            "array": [high - mean for high, mean in zip(result.highest, result.right, strict=True)],
            "arrayminus": [mean - low for mean, low in zip(result.right, result.lowest, strict=True)],
        }
        labels = [f"{size} × {size}" for size in SIZES]
        return {
            "controls": {**self.most, "size": {"names": labels}},
            "patches": {"image": cut(paper(self.chosen(state)), SIZES[at])},
            "chart": {
                "traces": {
                    "0": {"x": result.millions, "y": result.right, "text": labels, "error_y": error},
                    "1": {"x": [result.millions[at]], "y": [result.right[at]]},
                }
            },
        }

    def sentence(self, state, result) -> list:
        at, size = state.size - 1, SIZES[state.size - 1]
        patches = result.tokens[at] - 1
        return say(
            f"{patches} {'patch' if patches == 1 else 'patches'} of {size} × {size} = {size**2} numbers, and the class "
            "token: ",
            key(f"{result.tokens[at]} tokens"),
            f", {result.tokens[at] ** 2:,} weights a head, {number(result.millions[at], 1)} million multiply-adds. "
            "Right: ",
            context(f"{number(100 * result.right[at], 1)} %"),
            f" of 1,000 held-out digits (three seeds, {number(100 * result.lowest[at], 1)} to "
            f"{number(100 * result.highest[at], 1)} %).",
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab.trained import patch_sizes",
            "",
            f"rows = [patch_sizes()['sizes'][str(size)] for size in {SIZES}]  # trained by train_patch_sizes.py",
            "millions = [row['multiply_adds'] / 1e6 for row in rows]",
            "right = [sum(run['accuracy'] for run in row['runs']) / len(row['runs']) for row in rows]",
        ])


def cut(image: Tensor, size: int) -> Tensor:
    """[10 height, 10 width]: the image enlarged, with a grey line wherever one patch ends and another begins."""
    large = image.repeat_interleave(10, 0).repeat_interleave(10, 1)
    lines = torch.arange(10 * size, len(large), 10 * size)
    large[torch.cat([lines, lines - 1])] = LINE
    large[:, torch.cat([lines, lines - 1])] = LINE
    return large
