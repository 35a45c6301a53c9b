"""What a training costs, over the size of the model: FLOPs, days and dollars, by 6 FLOPs a parameter and token."""

from typing import NamedTuple

from attnlab import costs
from attnlab.costs import MODELS
from widgets.base.controls import select, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, one_or_more, power_of_ten, query, say, value
from widgets.explorers.l12_cost.large_numbers import amount, duration
from widgets.instruments.chart.chart import Chart, curve, figure, points

SIZES = [10**9, 10**12]  # parameters: the ends of the line
BUILT = {name: (model.stated, model.tokens) for name, model in MODELS.items() if model.tokens}  # parameters, tokens
BILLION = 10**9


class Bill(NamedTuple):
    """For the model that is chosen: flops, hours of all devices together at work, dollars. line: dollars at the ends of
    the line, `SIZES`. built: dollars for the models of `BUILT` on the tokens they were trained on."""

    flops: int
    hours: float
    dollars: float
    line: list[float]
    built: list[float]


class TrainingBillExplorer(Explorer):
    """The bill of a training."""

    parameters = slider(175, 1, 600, label="parameters, billions", help="N: how many the model has")
    ratio = slider(20.0, 0.5, 50.0, step=0.5, label="tokens a parameter", help="D / N: how much it is trained on")
    speed = slider(37, 1, 1001, step=4, label="TFLOP/s", help="millions of millions a second that a device really does")
    devices = select([1, 8, 64, 512, 4096, 32768], 4096, help="how many work at once")
    rent = slider(1.0, 0.1, 10.0, step=0.1, label="dollars an hour", help="for one device")

    shows = {"dollars": lambda parts: parts["chart"].trace("yours")["y"]}

    @property
    def bill(self) -> Bill:
        """All that is counted."""
        return self.result

    def views(self) -> dict:
        return {
            "chart": Chart(
                figure(
                    curve([1.0, 1.0], SIZES, name="", role="query"),
                    points([stated for stated, _ in BUILT.values()], [1.0] * len(BUILT), list(BUILT), "built", "key",
                           marker_size=9, textposition="bottom right", showlegend=False),
                    points([BILLION], [1.0], ["yours"], "yours", "query", marker_size=14, textposition="top left",
                           showlegend=False),
                    x="parameters",
                    y="dollars",
                    xaxis_type="log",
                    yaxis_type="log",
                    x_range=[8.9, 12.1],
                    y_range=[-1.3, 12],
                    xaxis_tickvals=[1e9, 1e10, 1e11, 1e12],
                    xaxis_ticktext=["1 billion", "10 billion", "100 billion", "1000 billion"],
                    yaxis_tickvals=[1, 1e3, 1e6, 1e9],
                    yaxis_ticktext=["1", "thousand", "million", "billion"],
                    height=320,
                    showlegend=False,
                )
            )
        }  # fmt: skip

    def compute(self, state) -> Bill:
        def paid(parameters: int, tokens: int) -> float:
            hours = costs.hours(costs.training_flops(parameters, tokens), 1, 1e12 * state.speed)
            return costs.price(1, hours, state.rent)

        count = state.parameters * BILLION
        flops = costs.training_flops(count, int(state.ratio * count))
        hours = costs.hours(flops, state.devices, 1e12 * state.speed)
        return Bill(
            flops,
            hours,
            costs.price(state.devices, hours, state.rent),
            [paid(size, int(state.ratio * size)) for size in SIZES],
            [paid(*model) for model in BUILT.values()],
        )

    def picture(self, state, result) -> dict:
        return {
            "chart": {
                "traces": {
                    "0": {"y": result.line},
                    "1": {"y": result.built},
                    "2": {"x": [state.parameters * BILLION], "y": [result.dollars]},
                }
            }
        }

    def sentence(self, state, result) -> list:
        count = state.parameters * BILLION
        return say(
            query(f"{amount(count)} parameters"),
            f" trained on {amount(state.ratio * count)} tokens: ",
            context(f"{power_of_ten(result.flops)} FLOPs"),
            f", {one_or_more(state.devices, 'such device')} {'works' if state.devices == 1 else 'work'} for ",
            key(duration(result.hours)),
            ", ",
            value(counted_dollars(result.dollars)),
            ".",
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab import costs",
            "",
            f"parameters = {state.parameters} * 10**9",
            f"flops = costs.training_flops(parameters, tokens=int({state.ratio} * parameters))",
            f"hours = costs.hours(flops, {state.devices}, {state.speed}e12)",
            f"dollars = [costs.price({state.devices}, hours, {state.rent})]",
        ])


def counted_dollars(dollars: float) -> str:
    if dollars < 1:
        return "less than a dollar"
    return "1 dollar" if round(dollars) == 1 else f"{amount(dollars)} dollars"
