"""Table 1 of the paper as curves over the length of the text: which of four layers is cheapest, and where."""

from functools import lru_cache

import numpy as np
import torch

from attnlab.costs import LAYERS, Cost
from widgets.base.controls import select, slider
from widgets.base.explorer import Explorer
from widgets.base.words import number, percent, say
from widgets.explorers.l12_cost.large_numbers import amount
from widgets.instruments.chart.chart import Chart, curve, figure, points

NAMES = {
    "self_attention": "self-attention",
    "recurrent": "recurrent",
    "convolution": "convolution",
    "restricted_attention": "restricted",
}
ROLES = {"self_attention": "context", "recurrent": "query", "convolution": "key", "restricted_attention": "value"}
LENGTHS = [2**k for k in range(2, 15)]
WHAT = {
    "multiply-adds where tokens meet": "mixing",
    "all multiply-adds": "operations",
    "numbers kept for training": "activations",
    "steps that must wait": "steps",
    "longest path": "path",
}
RANGES = {
    "mixing": [2.8, 12.2],
    "operations": [3.3, 12.2],
    "activations": [1.9, 9],
    "steps": [-0.2, 4.4],
    "path": [-0.2, 4.4],
}  # powers of ten: wide enough for all sizes, so that the axis holds still


@lru_cache(maxsize=64)  # the slider of the tokens moves along the same curves
def curves_of(measure: str, *sizes: int) -> torch.Tensor:
    """[layers, lengths]: one number of `Cost` for all lengths; sizes: width, kernel and neighbourhood."""
    return torch.tensor([[getattr(layer.cost(n, *sizes), measure) for n in LENGTHS] for layer in LAYERS.values()])


class LayerCostsExplorer(Explorer):
    """What one layer of each kind costs, for texts of 4 to 16384 tokens and for the one that is chosen."""

    tokens = slider(70, 10, 2050, step=10, help="n: how many tokens the text has")
    width = slider(512, 32, 1024, step=32, help="d: how many numbers a token's vector has")
    what = select(WHAT, help="what is counted")
    kernel = slider(3, 2, 9, help="k: how many tokens a convolution takes together")
    neighbourhood = slider(17, 3, 257, step=2, help="r: how many tokens restricted attention may look at")

    shows = {"counts": lambda parts: np.stack([parts["chart"].trace(i)["y"] for i in range(len(LAYERS))])}

    @property
    def costs(self) -> dict[str, Cost]:
        """By layer, for the length that is chosen."""
        return self.result[1]

    def views(self) -> dict:
        flat = [1.0] * len(LENGTHS)
        curves = [curve(flat, LENGTHS, NAMES[name], ROLES[name], line_width=2.5) for name in LAYERS]
        here = [
            points([1], [1.0], name=NAMES[name], role=ROLES[name], marker_size=11, showlegend=False) for name in LAYERS
        ]
        at = curve([1.0, 1.0], [1, 1], role="plain", line={"width": 1, "dash": "dot"}, hoverinfo="skip")
        return {
            "chart": Chart(
                figure(
                    *curves,
                    *here,
                    at,
                    x="tokens",
                    xaxis_type="log",
                    x_range=[0.55, 4.25],
                    yaxis_type="log",
                    y="multiply-adds",
                    yaxis_exponentformat="power",
                    yaxis_dtick=2,
                    xaxis_dtick=1,
                    xaxis_exponentformat="power",
                    height=340,
                    showlegend=False,
                )
            )
        }

    def compute(self, state) -> tuple[torch.Tensor, dict[str, Cost]]:
        sizes = state.width, state.kernel, state.neighbourhood
        here = {name: layer.cost(state.tokens, *sizes) for name, layer in LAYERS.items()}
        return curves_of(WHAT[state.what], *sizes), here

    def picture(self, state, result) -> dict:
        counts, here = result
        what, ends = WHAT[state.what], RANGES[WHAT[state.what]]
        lines = {str(i): {"y": heights.double()} for i, heights in enumerate(counts)}
        marks = {str(4 + i): {"x": [state.tokens], "y": [getattr(cost, what)]} for i, cost in enumerate(here.values())}
        at = {"8": {"x": [state.tokens] * 2, "y": [10.0**end for end in ends]}}
        layout = {"yaxis": {"range": ends, "title": {"text": state.what}, "dtick": 2 if ends[1] > 5 else 1}}
        return {"chart": {"traces": lines | marks | at, "figure_layout": layout}}

    def sentence(self, state, result) -> list:
        what, here = WHAT[state.what], result[1]
        found = {name: getattr(cost, what) for name, cost in here.items()}
        runs: list = [f"{state.tokens} tokens of width {state.width}, {state.what}: "]
        for name, count in found.items():
            runs += [[NAMES[name], ROLES[name]], f" {amount(count)}, "]
        runs[-1] = runs[-1][:-2] + ". "
        one, other = found["self_attention"], found["recurrent"]
        if what in ("mixing", "operations"):
            more, less = ("recurrent", "self-attention") if other > one else ("self-attention", "recurrent")
            times = max(one, other) / min(one, other)
            runs.append(
                f"The {more} layer has {number(times, 1)} times the work of {less}."
                if times > 1.05
                else f"Recurrence and self-attention have {'almost ' * (one != other)}the same work here."
            )
        elif what == "steps":
            runs.append("Only recurrence must wait, token by token; the others could do all at once.")
        elif what == "path":
            runs.append("This is how many layers or steps lie between the first token and the last.")
        else:
            share = here["self_attention"].matrix / here["self_attention"].activations
            runs.append(f"Of what self-attention keeps, {percent(share)} are its weights.")
        return say(*runs)

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab.costs import LAYERS",
            "",
            f"dim, kernel, neighbourhood = {state.width}, {state.kernel}, {state.neighbourhood}",
            "lengths = [2**k for k in range(2, 15)]",
            f"counts = torch.tensor([[layer.cost(n, dim, kernel, neighbourhood).{WHAT[state.what]} for n in lengths]",
            "                       for layer in LAYERS.values()])",
        ])
