"""CalculatorExplorer: from layers and width to parameters, FLOPs, time and money, beside what was really built."""

from typing import NamedTuple

import torch
from ipywidgets import HBox

from attnlab import costs
from attnlab.costs import MODELS

from .chart import Chart, bars, curve, figure, points
from .controls import select, slider
from .explorer import Explorer
from .layers import amount, significant
from .words import context, key, number, query, say, value

PARTS = ["tokens", "places", "attention", "feed-forward", "norms"]
LINES = {"100 million": 10**8, "1 billion": 10**9, "10 billion": 10**10, "100 billion": 10**11,
         "1000 billion": 10**12}  # parameters


class Bill(NamedTuple):
    """parts: [5], what PARTS names. parameters: their sum. flops: of a training run, all of it; attention: the part of
    them in which tokens meet. weights: bytes of all attention weights of one text, 16 bit each, if they were written
    out. hours: of one device. dollars."""

    parts: torch.Tensor
    parameters: int
    flops: int
    attention: int
    weights: int
    hours: float
    dollars: float


class Bars(Chart):
    """A chart of one row of bars."""

    @property
    def heights(self) -> torch.Tensor:
        return torch.as_tensor(self._today()["data"][0]["y"])


def built() -> dict[tuple[int, int], str]:
    """The lecture's models by (layers, width), the first of those that share a place."""
    names = {}
    for model in MODELS.values():
        names.setdefault((model.layers, model.dim), []).append(model.name)
    return {place: found[0] + ", …" * (len(found) > 1) for place, found in names.items()}


class CalculatorExplorer(Explorer):
    """A GPT of any size: what it weighs, and what its training costs."""

    layers = slider(12, 1, 128, help="how many blocks")
    width = slider(768, 64, 16384, step=64, help="how many numbers a token's vector has")
    heads = select([1, 2, 4, 8, 12, 16, 25, 32, 64, 96, 128], 12, help="how many heads share the width")
    vocabulary = slider(50, 0, 256, step=2, label="vocabulary, thousands", help="how many thousand different tokens")
    feed_forward = slider(4, 1, 8, label="feed-forward", help="how many times the width the hidden layer has")
    text = slider(1024, 512, 32768, step=512, label="tokens in a text", help="the longest text it reads at once")
    ratio = slider(20.0, 0.5, 50.0, step=0.5, label="tokens a parameter",
                   help="how many tokens it is trained on for each of its parameters")
    speed = slider(37, 1, 1001, step=4, label="TFLOP/s",
                   help="what a device sustains, in millions of millions a second")
    rent = slider(1.0, 0.1, 10.0, step=0.1, label="dollars an hour", help="for one device")

    shows = {"parts": ("parts", "heights")}

    def __init__(self, **state):
        super().__init__(**state)
        controls, plane, parts, caption = self.children
        self.children = [controls, HBox([plane, parts], layout={"flex_flow": "row wrap"}), caption]

    @property
    def bill(self) -> Bill:
        """All that is counted."""
        return self.result

    def views(self):
        layers = [1.0, 160.0]
        lines = [curve([(count / 12 / n) ** 0.5 for n in layers], layers, name, line_color="#aaaaaa",
                       line_width=1, line_dash="dot", hoverinfo="skip") for name, count in LINES.items()]
        known = built()
        models = points([place[0] for place in known], [place[1] for place in known], list(known.values()),
                        name="built", role="key", marker_size=8, showlegend=False)
        models.textposition = ["middle right" if place[0] == 24 else "middle left" for place in known]
        yours = points([self.layers], [self.width], ["yours"], name="yours", role="query", marker_size=14,
                       showlegend=False, textposition="bottom right")
        return {
            "plane": Chart(figure(*lines, models, yours, x="layers", y="width; dotted: parameters", xaxis_type="log",
                                  yaxis_type="log", x_range=[-0.05, 2.22], y_range=[1.75, 4.5],
                                  xaxis_tickvals=[1, 3, 10, 30, 100], yaxis_tickvals=[100, 300, 1000, 3000, 10000],
                                  height=360, showlegend=False), layout={"flex": "3 1 400px"}),
            "parts": Bars(figure(bars([0.0] * 5, PARTS, "share", "context", texttemplate="%{y:.0%}",
                                      textposition="outside"),
                                 y="share of the parameters", y_range=[0, 1.1], yaxis_tickformat=".0%", height=360),
                          layout={"flex": "2 1 260px"}),
        }

    def compute(self, state):
        layers, dim, hidden = state.layers, state.width, state.feed_forward * state.width
        if dim % state.heads:
            raise ValueError(f"expected heads that divide the width {dim}, got {state.heads}")
        counts = [1000 * state.vocabulary * dim, state.text * dim, layers * costs.attention_parameters(dim),
                  layers * costs.feed_forward_parameters(dim, hidden), (2 * layers + 1) * costs.norm_parameters(dim)]
        parameters = costs.decoder_only_parameters(layers, dim, 1000 * state.vocabulary, state.text, hidden)
        tokens = int(state.ratio * parameters)
        attention = costs.attention_flops(layers, dim, state.text, tokens)
        flops = costs.training_flops(parameters, tokens) + attention
        hours = flops / (1e12 * state.speed) / 3600
        return Bill(torch.tensor(counts, dtype=torch.float64), parameters, flops, attention,
                    2 * layers * state.heads * state.text**2, hours, costs.price(1, hours, state.rent))

    def picture(self, state, result):
        yours = {"x": [state.layers], "y": [state.width]}
        return {"plane": {"traces": {str(len(LINES) + 1): yours}},
                "parts": {"traces": {"0": {"y": result.parts / result.parameters}}}}

    def sentence(self, state, result):
        share = result.attention / result.flops
        return say(query(f"{amount(result.parameters)} parameters"), f". To train them on "
                   f"{amount(state.ratio * result.parameters)} tokens takes ", context(f"{power(result.flops)} FLOPs"),
                   f", {100 * share:.0f}\u202f% of them where tokens meet: ", key(duration(result.hours)),
                   " of one such device, ", value(f"{amount(result.dollars)} dollars"), ". The weights of one text "
                   f"would fill {size(result.weights)} at 16 bit, heads and layers together.")

    def code(self, state):
        return "\n".join([
            "import torch",
            "from attnlab import costs",
            "",
            f"layers, dim, vocabulary, text = {state.layers}, {state.width}, {1000 * state.vocabulary}, {state.text}",
            f"hidden = {state.feed_forward} * dim",
            "counts = torch.tensor([",
            "    vocabulary * dim,                                           # tokens",
            "    text * dim,                                                 # places",
            "    layers * costs.attention_parameters(dim),",
            "    layers * costs.feed_forward_parameters(dim, hidden),",
            "    (2 * layers + 1) * costs.norm_parameters(dim),",
            "], dtype=torch.float64)",
            "parameters = costs.decoder_only_parameters(layers, dim, vocabulary, text, hidden)",
            "parts = counts / parameters",
            f"tokens = int({state.ratio} * parameters)",
            "flops = costs.training_flops(parameters, tokens)",
            "flops += costs.attention_flops(layers, dim, text, tokens)",
            f"hours = flops / {state.speed}e12 / 3600",
            f"dollars = costs.price(1, hours, {state.rent})",
        ])


def power(x: float) -> str:
    """3.1e23 -> "3.1 · 10²³"."""
    digits, exponent = f"{x:.1e}".split("e")
    raised = str(int(exponent)).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    return f"{digits} · 10{raised}"


def size(count: int) -> str:
    """Bytes in the unit that suits them."""
    unit, name = next((one for one in ((1e12, "TB"), (1e9, "GB")) if count >= one[0]), (1e6, "MB"))
    return f"{significant(count / unit)} {name}"


def duration(hours: float) -> str:
    """Hours in the unit that suits them."""
    for size, name in ((24 * 365.25, "years"), (24, "days"), (1, "hours"), (1 / 60, "minutes")):
        if hours >= 2 * size:
            return f"{amount(hours / size) if hours / size >= 1000 else significant(hours / size)} {name}"
    return f"{number(3600 * hours, 0)} seconds"
