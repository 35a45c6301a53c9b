"""From layers and width to parameters and to the work of reading one text, beside what was really built."""

from typing import NamedTuple

from attnlab import costs
from attnlab.costs import MODELS
from widgets.base.controls import select, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, power_of_ten, query, say
from widgets.explorers.l12_cost.large_numbers import amount, memory
from widgets.instruments.chart.chart import Chart, bars, curve, figure, points

LABELS = {"positions": "places"}  # of the bars: the others are labelled as the parts are called
LINES = {
    "100 million": 10**8,
    "1 billion": 10**9,
    "10 billion": 10**10,
    "100 billion": 10**11,
    "1000 billion": 10**12,
}  # parameters
NAMED = {
    "BERT-Base": "middle left",
    "GPT-2": "middle left",
    "Megatron-LM": "middle left",
    "GPT-3": "middle left",
    "Gopher": "top left",
}  # the others would stand on one another: their names appear under the pointer


class Size(NamedTuple):
    """parts: {name: parameters}. parameters: their sum. rule: 12 layers width². flops: to read one text of full length;
    meeting: the part of them in which tokens meet. weights: bytes of all attention weights of that text, 16 bit each,
    if they were written out."""

    parts: dict[str, int]
    parameters: int
    rule: int
    flops: int
    meeting: int
    weights: int


class ModelSizeExplorer(Explorer):
    """A GPT of any size: where its parameters are, and what it does to read a text."""

    layers = slider(12, 1, 128, help="how many blocks")
    width = slider(768, 128, 16384, step=128, help="how many numbers a token's vector has")
    heads = select([1, 2, 4, 8, 16, 32, 64, 128], 8, help="how many heads share the width")
    vocabulary = slider(50, 0, 256, step=2, label="vocabulary, thousands", help="how many thousand different tokens")
    text = slider(1024, 512, 32768, step=512, label="tokens in a text", help="the longest text it reads at once")

    shows = {"parts": lambda parts: parts["parts"].trace(0)["y"]}
    row = ("plane", "parts")

    @property
    def size(self) -> Size:
        """All that is counted."""
        return self.result

    def views(self) -> dict:
        parts = costs.decoder_only_parts(self.layers, self.width, 1000 * self.vocabulary, self.text)
        return {"plane": plane(self.layers, self.width), "parts": bars_of(parts)}

    def compute(self, state) -> Size:
        layers, dim, text = state.layers, state.width, state.text
        parts = costs.decoder_only_parts(layers, dim, 1000 * state.vocabulary, text)
        multiplied = parts["tokens"] + parts["attention"] + parts["feed-forward"]  # the rest is looked up, or small
        meeting = costs.attention_flops(layers, dim, text, tokens=text) // 3
        return Size(
            parts,
            sum(parts.values()),
            12 * layers * dim**2,
            costs.training_flops(multiplied, tokens=text) // 3 + meeting,
            meeting,
            costs.weights_bytes(layers, state.heads, text),
        )

    def picture(self, state, result) -> dict:
        yours = {"x": [state.layers], "y": [state.width]}
        return {
            "plane": {"traces": {str(len(LINES) + 1): yours}},
            "parts": {"traces": {"0": {"y": [count / result.parameters for count in result.parts.values()]}}},
        }

    def sentence(self, state, result) -> list:
        heads = state.layers * state.heads
        return say(
            query(f"{amount(result.parameters)} parameters"),
            f" (12 · layers · width² says {amount(result.rule)}). To read a text of {state.text} tokens takes ",
            context(f"{power_of_ten(result.flops)} FLOPs"),
            ", ",
            context(percent(result.meeting / result.flops)),
            " of them where tokens meet. Written out, its attention weights would fill ",
            key(memory(result.weights)),
            " at 16 bit, " + (f"{heads} heads together." if heads > 1 else "in its one head."),
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab import costs",
            "",
            f"layers, dim, vocabulary, text = {state.layers}, {state.width}, {1000 * state.vocabulary}, {state.text}",
            "counts = costs.decoder_only_parts(layers, dim, vocabulary, text)",
            "parameters = sum(counts.values())",
            "parts = [count / parameters for count in counts.values()]",
            "multiplied = counts['tokens'] + counts['attention'] + counts['feed-forward']",
            "meeting = costs.attention_flops(layers, dim, text, tokens=text) // 3  # forward is a third",
            "flops = costs.training_flops(multiplied, tokens=text) // 3 + meeting",
        ])


def plane(layers: int, width: int) -> Chart:
    """Width against layers: a line for each count of parameters, the models that were built, and one of one's own."""
    own = points(
        [layers],
        [width],
        ["yours"],
        name="yours",
        role="query",
        marker_size=14,
        showlegend=False,
        textposition="middle right",
    )
    axes = {
        "x": "layers",
        "xaxis_type": "log",
        "x_range": [-0.05, 2.22],
        "xaxis_tickvals": [1, 3, 10, 30, 100],
        "y": "width; dotted: parameters",
        "yaxis_type": "log",
        "y_range": [1.9, 4.5],
        "yaxis_tickvals": [100, 300, 1000, 3000, 10000],
    }
    content = figure(*equal_parameters([1.0, 160.0]), built(), own, **axes, height=340, showlegend=False)
    return Chart(content, layout={"flex": "3 1 400px"})


def equal_parameters(layers: list[float]) -> list[dict]:
    """A line over `layers` for each count of `LINES`, by the rule 12 layers width²."""
    return [
        curve(
            [(count / 12 / n) ** 0.5 for n in layers],
            layers,
            name,
            "plain",
            line_width=1,
            line_dash="dot",
            hoverinfo="skip",
        )
        for name, count in LINES.items()
    ]


def built() -> dict:
    """The models of `MODELS`, a point each."""
    return points(
        [model.layers for model in MODELS.values()],
        [model.dim for model in MODELS.values()],
        [name if name in NAMED else "" for name in MODELS],
        name="built",
        role="key",
        marker_size=8,
        showlegend=False,
        textposition=[NAMED.get(name, "middle left") for name in MODELS],
        customdata=list(MODELS),
        hovertemplate="%{customdata}: %{x} layers, width %{y}<extra></extra>",
    )


def bars_of(parts: dict[str, int]) -> Chart:
    """What share of the parameters each part will have; the first picture fills them."""
    shares = bars(
        [0.0] * len(parts),
        [LABELS.get(part, part) for part in parts],
        "share",
        "context",
        texttemplate="%{y:.0%}",
        textposition="outside",
    )
    axis = {"y": "share of the parameters", "y_range": [0, 1.1], "yaxis_tickformat": ".0%"}
    return Chart(figure(shares, **axis, height=340), layout={"flex": "2 1 260px"})
