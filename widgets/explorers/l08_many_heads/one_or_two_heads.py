"""What one head can bring back of two letters, and what two heads of half its width can."""

import numpy as np
import torch

from attnlab.analysis import first_equal
from widgets.base.controls import select, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, number, percent, query, quote, say
from widgets.instruments.chart.chart import Chart, figure, points

LETTERS = "abc"
PAIRS = [near + far for near in LETTERS for far in LETTERS]
WIDE = [[0.0, 1.0], [-0.866, -0.5], [0.866, -0.5]]  # of each letter, two numbers for one head of width 2
NARROW = [[-1.0], [0.0], [1.0]]  # one number for a head of width 1
APART = 1e-4


class OneOrTwoHeadsExplorer(Explorer):
    """All nine pairs of three letters, and what attention makes of each: one point where it cannot tell two apart."""

    share = slider(
        0.5,
        0.0,
        1.0,
        step=0.05,
        label="weight of the nearer letter",
        help="the other letter gets the rest; a second head does it the other way round",
    )
    heads = select(["one head of width 2", "two heads of width 1"], help="who reads the two letters")

    shows = {"found": lambda parts: np.stack([parts["chart"].trace(0)[axis] for axis in "xy"], axis=1)}

    @property
    def found(self) -> torch.Tensor:
        """[9 pairs, 2]: the context of each pair."""
        return self.result

    def views(self) -> dict:
        axis = {"range": [-1.25, 1.25], "zeroline": False, "showticklabels": False}
        spots = points([0.0] * 9, [0.0] * 9, PAIRS, role="context", marker_size=13, textposition="top center")
        return {
            "chart": Chart(
                figure(
                    spots,
                    x="first number of the context",
                    y="second number",
                    height=400,
                    width=470,
                    xaxis=axis,
                    yaxis=axis,
                )
            )
        }

    def compute(self, state) -> torch.Tensor:
        ids = torch.tensor([[LETTERS.index(letter) for letter in pair] for pair in PAIRS])  # [9, 2]
        weights = torch.tensor([state.share, 1 - state.share])
        if state.heads.startswith("one"):
            return weights @ torch.tensor(WIDE)[ids]
        return torch.cat([row @ torch.tensor(NARROW)[ids] for row in (weights, weights.flip(0))], dim=-1)

    def picture(self, state, result) -> dict:
        firsts = first_equal(result, APART)
        names = [", ".join(pair for pair, first in zip(PAIRS, firsts, strict=True) if first == i) for i in range(9)]
        return {"chart": {"traces": {"0": {"x": result[:, 0], "y": result[:, 1], "text": names}}}}

    def sentence(self, state, result) -> list:
        gaps = torch.cdist(result.double(), result.double()) + 10 * torch.eye(9)
        row, column = divmod(int(gaps.argmin()), 9)
        least = float(gaps.min())
        rows = ["The head gives the nearer letter ", query(percent(state.share)), " of its weight. "]
        if state.heads.startswith("two"):
            rows = ["One head gives the nearer letter ", query(percent(state.share)), ", the other the farther one. "]
        if least < APART:
            kinds = len(set(first_equal(result, APART)))
            return say(
                *rows,
                "Of nine pairs, ",
                context(f"{kinds} different contexts"),
                " are left: ",
                quote(PAIRS[row]),
                " and ",
                quote(PAIRS[column]),
                " cannot be told apart.",
            )
        return say(
            *rows,
            "All nine pairs are different; the closest, ",
            quote(PAIRS[row]),
            " and ",
            quote(PAIRS[column]),
            ", are ",
            context(number(least)),
            " apart.",
        )

    def code(self, state) -> str:
        lines = [
            "import torch",
            "",
            "near = torch.arange(9) // 3  # the letters a, b, c are 0, 1, 2",
            "far = torch.arange(9) % 3",
            f"share = {state.share}",
        ]
        if state.heads.startswith("one"):
            return "\n".join([
                *lines,
                f"values = torch.tensor({WIDE})  # of a, b and c",
                "found = share * values[near] + (1 - share) * values[far]",
            ])
        return "\n".join([
            *lines,
            f"values = torch.tensor({NARROW})  # of a, b and c",
            "first = share * values[near] + (1 - share) * values[far]",
            "second = (1 - share) * values[near] + share * values[far]",
            "found = torch.cat([first, second], dim=-1)",
        ])
