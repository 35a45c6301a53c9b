"""SlopeExplorer: measured times on logarithmic axes, with the straight lines that fit them best."""

import math
from typing import NamedTuple

import torch
from ipywidgets import HBox

from .chart import Chart, bars, curve, figure, points
from .controls import slider
from .explorer import Explorer
from .words import number, say

ROLES = ("context", "query", "key", "value", "")


class Fit(NamedTuple):
    """slopes: [ways]. lines: {way: (seconds at its first length in the fit, at its last)}."""

    slopes: torch.Tensor
    lines: dict


class Bars(Chart):
    """A chart whose first trace are the measured slopes."""

    @property
    def heights(self) -> torch.Tensor:
        return torch.as_tensor(self._today()["data"][0]["y"])


def slope(times: dict, shortest: int) -> tuple[float, float]:
    """log2(seconds) = slope * log2(n) + start, by least squares over the lengths from `shortest` on."""
    logs = torch.tensor([[math.log2(n), math.log2(t)] for n, t in times.items() if n >= shortest], dtype=torch.float64)
    x, y = logs.unbind(dim=1)
    found = float(((x - x.mean()) * (y - y.mean())).sum() / (x - x.mean()).square().sum())
    return found, float(y.mean() - found * x.mean())


class SlopeExplorer(Explorer):
    """The straight lines through times over lengths, from the length that is chosen on.

    times: {way: {length: seconds}}, lengths powers of two up to at least 2048. formulas: {way: the slope of its
    formula}.
    """

    shortest = slider(9, 6, 9, label="shortest text, as a power of 2",
                      help="the lines are fitted to the measurements from here on")

    shows = {"slopes": ("slopes", "heights")}

    def __init__(self, times, formulas, lock=None, **state):
        self.times, self.formulas = times, formulas
        super().__init__(lock=lock, **state)
        controls, chart, slopes, caption = self.children
        self.children = [controls, HBox([chart, slopes], layout={"flex_flow": "row wrap"}), caption]

    def __repr__(self):
        # Without the slopes: they differ from one machine to the next.
        return f"SlopeExplorer({', '.join(self.times)}; from 2^{self.shortest} tokens on)"

    @property
    def slopes(self) -> torch.Tensor:
        """[ways], as shown."""
        return self.result.slopes

    def views(self):
        measured = [points(list(times), [1000 * t for t in times.values()], name=way, marker_size=8,
                           **({"role": role} if role else {"marker_color": "#888888"}), showlegend=False)
                    for (way, times), role in zip(self.times.items(), ROLES, strict=False)]
        lines = [curve([1.0, 1.0], [1, 2], way, **({"role": role} if role else {"line_color": "#888888"}))
                 for way, role in zip(self.times, ROLES, strict=False)]
        both = dict.fromkeys(self.times, 0.0)
        return {
            "chart": Chart(figure(*measured, *lines, x="tokens", y="milliseconds of this machine, one layer",
                                  xaxis_type="log", yaxis_type="log", yaxis_exponentformat="power", xaxis_dtick=1,
                                  xaxis_exponentformat="power", yaxis_dtick=1, height=340, showlegend=False),
                           layout={"flex": "3 1 380px"}),
            "slopes": Bars(figure(bars(list(both.values()), list(both), "slope, measured", "context",
                                       texttemplate="%{y:.2f}", textposition="outside"),
                                  bars([self.formulas[way] for way in both], list(both), "of the formula",
                                       marker_color="#888888", opacity=0.5),
                                  y_range=[0, 2.9], height=340), layout={"flex": "2 1 280px"}),
        }

    def compute(self, state):
        shortest, slopes, lines = 2**state.shortest, [], {}
        for way, times in self.times.items():
            found, start = slope(times, shortest)
            slopes.append(found)
            ends = [shortest, max(times)]
            lines[way] = ends, [1000 * 2 ** (found * math.log2(n) + start) for n in ends]
        return Fit(torch.tensor(slopes, dtype=torch.float64), lines)

    def picture(self, state, result):
        count = len(self.times)
        lines = {str(count + i): {"x": x, "y": y} for i, (x, y) in enumerate(result.lines.values())}
        return {"chart": {"traces": lines}, "slopes": {"traces": {"0": {"y": result.slopes}}}}

    def sentence(self, state, result):
        told = [f"From {2**state.shortest} tokens on, twice the text takes "]
        for way, found, role in zip(self.times, result.slopes.tolist(), ROLES, strict=False):
            told += [[f"{number(2**found, 1)} times", role], f" as long ({way}), "]
        return say(*told[:-1], told[-1][:-2] + ". A slope of 1 is twice, of 2 four times.")

    def code(self, state):
        return "\n".join([
            "# times holds the least seconds of several measurements: {way: {length: seconds}}",
            "import torch",
            "",
            "slopes = []",
            "for measured in times.values():",
            f"    x, y = torch.tensor([[n, t] for n, t in measured.items() if n >= {2**state.shortest}],",
            "                        dtype=torch.float64).log2().T",
            "    x, y = x - x.mean(), y - y.mean()",
            "    slopes.append((x * y).sum() / (x * x).sum())",
            "slopes = torch.stack(slopes)",
        ])
