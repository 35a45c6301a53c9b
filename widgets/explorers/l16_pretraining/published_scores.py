"""The tables of the lectures as a picture: what a change gained on each task, over how many labels there are."""

import torch

from attnlab.analysis import GLUE, GPT_ABLATIONS, Gains, gains, rank_correlation
from widgets.base.controls import select
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, query, say
from widgets.instruments.chart.chart import Chart, figure, points

COMPARED = {
    "GPT: pre-trained or not": ("GPT_ABLATIONS", "Transformer, not pre-trained", "Transformer, pre-trained"),
    "GPT: Transformer or LSTM": ("GPT_ABLATIONS", "LSTM, pre-trained", "Transformer, pre-trained"),
    "GPT: a second objective or none": (
        "GPT_ABLATIONS",
        "Transformer, no second objective",
        "Transformer, pre-trained",
    ),
    "GLUE: GPT or the best before": ("GLUE", "best before", "GPT"),
    "GLUE: BERT base or GPT": ("GLUE", "GPT", "BERT, base"),
    "GLUE: BERT large or base": ("GLUE", "BERT, base", "BERT, large"),
}
TABLES = {"GPT_ABLATIONS": GPT_ABLATIONS, "GLUE": GLUE}


class PublishedScoresExplorer(Explorer):
    """For two rows of a published table: by how many points each of the eight tasks is better."""

    compared = select(COMPARED, label="what changed", help="two rows of one table, from the second to the first")

    shows = {"points": lambda parts: parts["chart"].trace(0)["y"]}

    def views(self) -> dict:
        nothing = [1.0] * len(gains(*[next(iter(GLUE.values()))] * 2).tasks)
        return {
            "chart": Chart(
                figure(
                    points(nothing, nothing, [""] * len(nothing), "gain", "context", marker_size=11),
                    x="labelled examples of the task",
                    y="points gained",
                    xaxis={"type": "log", "range": [3.2, 5.95], "tickvals": [2500, 10000, 50000, 400000]},
                    height=340,
                    showlegend=False,
                    yaxis={"zeroline": True},
                )
            )
        }

    def compute(self, state) -> Gains:
        table, before, after = COMPARED[state.compared]
        return gains(TABLES[table][before], TABLES[table][after])

    def picture(self, state, result) -> dict:
        low, high = min(0, *result.points), max(0, *result.points)
        room = 0.12 * (high - low)
        sides = ["top center" if task in ABOVE else "bottom center" for task in result.tasks]
        trace = {"x": result.examples, "y": result.points, "text": result.tasks, "textposition": sides}
        return {
            "chart": {"traces": {"0": trace}, "figure_layout": {"yaxis": {"range": [low - room, high + room]}}},
        }

    def sentence(self, state, result) -> list:
        _, before, after = COMPARED[state.compared]
        by_points = sorted(zip(result.points, result.tasks, strict=True))
        (least, worst), (most, best) = by_points[0], by_points[-1]
        order = float(rank_correlation(torch.tensor(result.points), torch.tensor(result.examples).float()))
        return say(
            "From “",
            query(before),
            "” to “",
            key(after),
            f"”: {number(result.mean, 1)} points on average, from {number(least, 1)} ({worst}) to ",
            context(f"{number(most, 1)} ({best})"),
            f". Rank correlation between gain and number of examples: {number(order)}.",
        )

    def code(self, state) -> str:
        table, before, after = COMPARED[state.compared]
        return "\n".join([
            f"from attnlab.analysis import {table}, gains",
            "",
            f"tasks, examples, points, mean = gains({table}[{before!r}], {table}[{after!r}])",
        ])


ABOVE = ("MNLI", "CoLA", "RTE", "SST-2")  # neighbours' names stand on different sides of their marks
