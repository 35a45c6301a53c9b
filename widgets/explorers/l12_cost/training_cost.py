"""From layers and width to parameters, FLOPs, time and money, beside what was really built."""

from typing import NamedTuple

from attnlab import costs
from attnlab.costs import MODELS
from widgets.base.controls import select, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, query, say, value
from widgets.explorers.l12_cost.large_numbers import amount, duration, memory, power_of_ten
from widgets.instruments.chart.chart import Chart, bars, curve, figure, points

LABELS = {"positions": "places"}  # of the bars: the others are labelled as the parts are called
LINES = {
    "100 million": 10**8,
    "1 billion": 10**9,
    "10 billion": 10**10,
    "100 billion": 10**11,
    "1000 billion": 10**12,
}  # parameters


class Bill(NamedTuple):
    """parts: {name: parameters}. parameters: their sum. flops: of a training run, all of it; attention: the part of
    them in which tokens meet. weights: bytes of all attention weights of one text, 16 bit each, if they were written
    out. hours: of one device. dollars."""

    parts: dict[str, int]
    parameters: int
    flops: int
    attention: int
    weights: int
    hours: float
    dollars: float


def built() -> dict[tuple[int, int], str]:
    """The lecture's models by (layers, width), the first of those that share a place."""
    names: dict[tuple[int, int], list[str]] = {}
    for model in MODELS.values():
        names.setdefault((model.layers, model.dim), []).append(model.name)
    return {place: found[0] + ", …" * (len(found) > 1) for place, found in names.items()}


class TrainingCostExplorer(Explorer):
    """A GPT of any size: what it weighs, and what its training costs."""

    layers = slider(12, 1, 128, help="how many blocks")
    width = slider(768, 64, 16384, step=64, help="how many numbers a token's vector has")
    heads = select([1, 2, 4, 8, 12, 16, 25, 32, 64, 96, 128], 12, help="how many heads share the width")
    vocabulary = slider(50, 0, 256, step=2, label="vocabulary, thousands", help="how many thousand different tokens")
    feed_forward = slider(4, 1, 8, label="feed-forward", help="how many times the width the hidden layer has")
    text = slider(1024, 512, 32768, step=512, label="tokens in a text", help="the longest text it reads at once")
    ratio = slider(
        20.0,
        0.5,
        50.0,
        step=0.5,
        label="tokens a parameter",
        help="how many tokens it is trained on for each of its parameters",
    )
    speed = slider(
        37, 1, 1001, step=4, label="TFLOP/s", help="what a device sustains, in millions of millions a second"
    )
    rent = slider(1.0, 0.1, 10.0, step=0.1, label="dollars an hour", help="for one device")

    shows = {"parts": lambda parts: parts["parts"].trace(0)["y"]}
    row = ("plane", "parts")

    @property
    def bill(self) -> Bill:
        """All that is counted."""
        return self.result

    def views(self) -> dict:
        layers = [1.0, 160.0]
        lines = [
            curve(
                [(count / 12 / n) ** 0.5 for n in layers],
                layers,
                name,
                line_color="#aaaaaa",
                line_width=1,
                line_dash="dot",
                hoverinfo="skip",
            )
            for name, count in LINES.items()
        ]
        known = built()
        models = points(
            [place[0] for place in known],
            [place[1] for place in known],
            list(known.values()),
            name="built",
            role="key",
            marker_size=8,
            showlegend=False,
        )
        models.textposition = ["middle right" if place[0] == 24 else "middle left" for place in known]
        yours = points(
            [self.layers],
            [self.width],
            ["yours"],
            name="yours",
            role="query",
            marker_size=14,
            showlegend=False,
            textposition="bottom right",
        )
        parts = costs.decoder_only_parts(self.layers, self.width, 1000 * self.vocabulary, self.text)
        return {
            "plane": Chart(
                figure(
                    *lines,
                    models,
                    yours,
                    x="layers",
                    y="width; dotted: parameters",
                    xaxis_type="log",
                    yaxis_type="log",
                    x_range=[-0.05, 2.22],
                    y_range=[1.75, 4.5],
                    xaxis_tickvals=[1, 3, 10, 30, 100],
                    yaxis_tickvals=[100, 300, 1000, 3000, 10000],
                    height=360,
                    showlegend=False,
                ),
                layout={"flex": "3 1 400px"},
            ),
            "parts": Chart(
                figure(
                    bars(
                        [0.0] * len(parts),
                        [LABELS.get(part, part) for part in parts],
                        "share",
                        "context",
                        texttemplate="%{y:.0%}",
                        textposition="outside",
                    ),
                    y="share of the parameters",
                    y_range=[0, 1.1],
                    yaxis_tickformat=".0%",
                    height=360,
                ),
                layout={"flex": "2 1 260px"},
            ),
        }

    def compute(self, state) -> Bill:
        layers, dim, hidden = state.layers, state.width, state.feed_forward * state.width
        if dim % state.heads:
            raise ValueError(f"expected heads that divide the width {dim}, got {state.heads}")
        parts = costs.decoder_only_parts(layers, dim, 1000 * state.vocabulary, state.text, hidden)
        parameters = sum(parts.values())
        tokens = int(state.ratio * parameters)
        attention = costs.attention_flops(layers, dim, state.text, tokens)
        flops = costs.training_flops(parameters, tokens) + attention
        hours = flops / (1e12 * state.speed) / 3600
        return Bill(
            parts,
            parameters,
            flops,
            attention,
            2 * layers * state.heads * state.text**2,
            hours,
            costs.price(1, hours, state.rent),
        )

    def picture(self, state, result) -> dict:
        yours = {"x": [state.layers], "y": [state.width]}
        return {
            "plane": {"traces": {str(len(LINES) + 1): yours}},
            "parts": {"traces": {"0": {"y": [count / result.parameters for count in result.parts.values()]}}},
        }

    def sentence(self, state, result) -> list:
        share = result.attention / result.flops
        return say(
            query(f"{amount(result.parameters)} parameters"),
            f". To train them on {amount(state.ratio * result.parameters)} tokens takes ",
            context(f"{power_of_ten(result.flops)} FLOPs"),
            f", {percent(share)} of them where tokens meet: ",
            key(duration(result.hours)),
            " of one such device, ",
            value(f"{amount(result.dollars)} dollars"),
            f". The weights of one text would fill {memory(result.weights)} at 16 bit, heads and layers together.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab import costs",
            "",
            f"layers, dim, vocabulary, text = {state.layers}, {state.width}, {1000 * state.vocabulary}, {state.text}",
            f"counts = costs.decoder_only_parts(layers, dim, vocabulary, text, hidden={state.feed_forward} * dim)",
            "parameters = sum(counts.values())",
            "parts = [count / parameters for count in counts.values()]",
            f"tokens = int({state.ratio} * parameters)",
            "flops = costs.training_flops(parameters, tokens) + costs.attention_flops(layers, dim, text, tokens)",
            f"hours = flops / {state.speed}e12 / 3600",
            f"dollars = costs.price(1, hours, {state.rent})",
        ])
