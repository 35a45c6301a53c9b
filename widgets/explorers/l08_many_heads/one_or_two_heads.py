"""What one head can bring back of two letters, and what two heads of half its width can."""

from functools import partial

import numpy as np
import torch

from attnlab.analysis import first_equal
from widgets.base.controls import slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, number, percent, query, say
from widgets.instruments.chart.chart import Chart, figure, points

LETTERS = "abc"
PAIRS = [near + far for near in LETTERS for far in LETTERS]
WIDE = [[0.0, 1.0], [-0.866, -0.5], [0.866, -0.5]]  # of each letter, two numbers for one head of width 2
NARROW = [[-1.0], [0.0], [1.0]]  # one number for a head of width 1
APART = 1e-4


def spots(name: str, parts: dict) -> np.ndarray:
    """[9 pairs, 2] as they are seen."""
    return np.stack([parts[name].trace(0)[axis] for axis in "xy"], axis=1)


class OneOrTwoHeadsExplorer(Explorer):
    """All nine pairs of three letters, and what one head and two make of each: one point where two cannot be told
    apart."""

    share = slider(
        0.5,
        0.0,
        1.0,
        step=0.05,
        label="weight of the nearer letter",
        help="the other letter gets the rest; a second head does it the other way round",
    )
    row = ("one", "two")
    shows = {name: partial(spots, name) for name in ("one", "two")}

    @property
    def one(self) -> torch.Tensor:
        """[9 pairs, 2]: the context of each pair, of one head of width 2."""
        return self.result[0]

    @property
    def two(self) -> torch.Tensor:
        """[9 pairs, 2]: of two heads of width 1, side by side."""
        return self.result[1]

    def views(self) -> dict:
        return {
            "one": plane("one head of width 2", "first number of the context", "second number"),
            "two": plane("two heads of width 1", "what the first head found", "the second"),
        }

    def compute(self, state) -> tuple[torch.Tensor, torch.Tensor]:
        ids = torch.tensor([[LETTERS.index(letter) for letter in pair] for pair in PAIRS])  # [9, 2]
        weights = torch.tensor([state.share, 1 - state.share])
        narrow = [row @ torch.tensor(NARROW)[ids] for row in (weights, weights.flip(0))]
        return weights @ torch.tensor(WIDE)[ids], torch.cat(narrow, dim=-1)

    def picture(self, state, result) -> dict:
        return {name: {"traces": {"0": named(found)}} for name, found in zip(("one", "two"), result, strict=True)}

    def sentence(self, state, result) -> list:
        return say(
            "The one head gives the nearer letter ",
            query(percent(state.share)),
            " of its weight, and ",
            *told_apart(result[0]),
            ". Of the two heads, the second does it the other way round: ",
            *told_apart(result[1]),
            ".",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "",
            "near = torch.arange(9) // 3  # the letters a, b, c are 0, 1, 2",
            "far = torch.arange(9) % 3",
            f"share = {state.share}",
            f"values = torch.tensor({WIDE})  # of a, b and c",
            "one = share * values[near] + (1 - share) * values[far]",
            f"values = torch.tensor({NARROW})",
            "first = share * values[near] + (1 - share) * values[far]",
            "second = (1 - share) * values[near] + share * values[far]",
            "two = torch.cat([first, second], dim=-1)",
        ])


def plane(title: str, x: str, y: str) -> Chart:
    """Nine points, each called by its pair."""
    axis = {"range": [-1.25, 1.25], "zeroline": False, "showticklabels": False}
    nine = points([0.0] * 9, [0.0] * 9, PAIRS, role="context", marker_size=13, textposition="top center")
    drawn = figure(nine, title=title, x=x, y=y, height=400, xaxis=axis, yaxis=axis)
    return Chart(drawn, layout={"flex": "1 1 360px", "min_width": "0"})


def named(found: torch.Tensor) -> dict:
    """The points, and the names of all pairs that lie on each."""
    firsts = first_equal(found, APART)
    names = [", ".join(pair for pair, first in zip(PAIRS, firsts, strict=True) if first == i) for i in range(9)]
    return {"x": found[:, 0], "y": found[:, 1], "text": names}


def told_apart(found: torch.Tensor) -> list:
    """How many contexts nine pairs have, in words."""
    gaps = torch.cdist(found.double(), found.double()) + 10 * torch.eye(9)
    if (least := float(gaps.min())) < APART:
        return ["nine pairs have ", context(f"{len(set(first_equal(found, APART)))} different contexts")]
    return ["all nine pairs differ, the closest two by ", context(number(least))]
