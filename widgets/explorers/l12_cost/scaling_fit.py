"""Measured times on logarithmic axes, with the straight lines that fit them best."""

import torch

from attnlab.analysis import PowerLaw, power_law
from widgets.base.controls import select
from widgets.base.explorer import Explorer
from widgets.base.words import number, say
from widgets.instruments.chart.chart import Chart, colour_of, curve, figure, points

ROLES = ("context", "query", "key", "value", "plain")
NOTCH = {"symbol": "line-ns", "size": 16, "line": {"color": colour_of("plain"), "width": 3}}


class ScalingFitExplorer(Explorer):
    """The straight lines through times over lengths, from the length that is chosen on.

    times: {way: {length: seconds}}, lengths powers of two up to at least 2048. formulas: {way: the slope of its
    formula}.
    """

    shortest = select(
        [64, 128, 256, 512], 512, label="shortest text", help="the lines are fitted to texts of so many tokens and more"
    )

    shows = {"slopes": lambda parts: parts["slopes"].trace(0)["x"]}
    row = ("chart", "slopes")
    unstable = True

    def __init__(self, times, formulas, lock=None, **state) -> None:
        self.times, self.formulas = times, formulas
        super().__init__(lock=lock, **state)

    @property
    def slopes(self) -> torch.Tensor:
        """[ways], as shown."""
        return torch.tensor([law.exponent for law in self.result.values()], dtype=torch.float64)

    def views(self) -> dict:
        ways = list(self.times)
        measured = [
            points(
                list(times),
                [1000 * t for t in times.values()],
                name=way,
                marker_size=8,
                role=role,
                showlegend=False,
            )
            for (way, times), role in zip(self.times.items(), ROLES, strict=False)
        ]
        lines = [curve([1.0, 1.0], [1, 2], way, role) for way, role in zip(self.times, ROLES, strict=False)]
        return {
            "chart": Chart(
                figure(
                    *measured,
                    *lines,
                    x="tokens",
                    y="milliseconds of this machine, one layer",
                    xaxis_type="log",
                    yaxis_type="log",
                    yaxis_exponentformat="power",
                    xaxis_dtick=1,
                    xaxis_exponentformat="power",
                    yaxis_dtick=1,
                    height=340,
                    showlegend=False,
                ),
                layout={"flex": "3 1 380px"},
            ),
            "slopes": Chart(
                figure(
                    points([0.0] * len(ways), ways, name="slope, measured", role="context", marker_size=10),
                    points([self.formulas[way] for way in ways], ways, name="of the formula", marker=NOTCH),
                    points([2.9] * len(ways), ways, [""] * len(ways), mode="text", hoverinfo="skip"),
                    x="slope; grey: of the formula",
                    x_range=[0, 3.4],
                    xaxis_tickvals=[0, 1, 2],
                    yaxis_autorange="reversed",
                    height=340,
                    showlegend=False,
                ),
                layout={"flex": "2 1 280px"},
            ),
        }

    def compute(self, state) -> dict[str, PowerLaw]:
        return {
            way: power_law({n: t for n, t in times.items() if n >= state.shortest}) for way, times in self.times.items()
        }

    def picture(self, state, result) -> dict:
        lines = {}
        for i, (way, law) in enumerate(result.items()):
            ends = [state.shortest, max(self.times[way])]
            lines[str(len(self.times) + i)] = {"x": ends, "y": [1000 * law.at(n) for n in ends]}
        slopes = [law.exponent for law in result.values()]
        return {
            "chart": {"traces": lines},
            "slopes": {"traces": {"0": {"x": slopes}, "2": {"text": [number(slope, 2) for slope in slopes]}}},
        }

    def sentence(self, state, result) -> list:
        runs: list = [f"From {state.shortest} tokens on, twice the text takes "]
        for (way, law), role in zip(result.items(), ROLES, strict=False):
            runs += [[f"{number(2**law.exponent, 1)} times", "" if role == "plain" else role], f" as long ({way}), "]
        return say(*runs[:-1], runs[-1][:-2] + ". A slope of 1 is twice, of 2 four times.")

    def code(self, state) -> str:
        return "\n".join([
            "# times holds the least seconds of several measurements: {way: {length: seconds}}",
            "from attnlab.analysis import power_law",
            "",
            "slopes = []",
            "for measured in times.values():",
            f"    long = {{n: t for n, t in measured.items() if n >= {state.shortest}}}",
            "    slopes.append(power_law(long).exponent)",
        ])
