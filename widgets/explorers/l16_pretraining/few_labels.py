"""How many labels a topic needs: models that have read before, one that has not, and a bag of words."""

from typing import NamedTuple

from attnlab.tasks.python_topics import TOPICS
from attnlab.trained import pretraining_runs
from widgets.base.controls import slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, counted, key, percent, query, say, value
from widgets.instruments.chart.chart import Chart, colour_of, figure, points

WAYS = {
    "masked": ("masked, fine-tuned", "key", key),
    "left to right": ("left to right, fine-tuned", "value", value),
    "from scratch": ("from scratch", "context", context),
    "bag of words": ("bag of words", "query", query),
}
EACH = [1, 2, 4, 8, 16, 32]


class Shares(NamedTuple):
    """Of one way, for each number of labels: the mean of the seeds, the lowest and the highest."""

    mean: list[float]
    low: list[float]
    high: list[float]


class FewLabelsExplorer(Explorer):
    """The table that `attnlab.trained.pretraining_runs` holds: test sentences right over labels of each topic."""

    labels = slider(
        EACH.index(4), 0, len(EACH) - 1, label="labels per topic", help="how many sentences of each topic are labelled"
    )

    shows = {"means": lambda parts: [parts["chart"].trace(i)["y"] for i in range(len(WAYS))]}

    def views(self) -> dict:
        nothing = [0.0] * len(EACH)
        lines = [points(EACH, nothing, None, name, role, mode="lines+markers") for name, role, _ in WAYS.values()]
        rings = points([1] * len(WAYS), [0.0] * len(WAYS), name="here", marker_size=15, marker_symbol="circle-open")
        return {
            "chart": Chart(
                figure(
                    *lines,
                    rings,
                    x="labelled sentences of each topic",
                    y="test sentences right",
                    y_range=[0, 0.9],
                    height=360,
                    showlegend=True,
                    legend={"orientation": "h", "y": 1.18, "x": 0},
                    xaxis={"type": "log", "tickvals": EACH, "range": [-0.08, 1.6]},
                )
            )
        }

    def compute(self, state) -> dict[str, Shares]:
        table = pretraining_runs()["few_labels"]
        return {way: spread([table[way][str(each)] for each in EACH]) for way in WAYS}

    def picture(self, state, result) -> dict:
        at = state.labels
        traces: dict = {}
        for i, way in enumerate(WAYS):
            mean, low, high = result[way]
            error = {
                "type": "data",
                "symmetric": False,
                "array": [up - middle for up, middle in zip(high, mean, strict=True)],
                "arrayminus": [middle - down for middle, down in zip(mean, low, strict=True)],
            }
            traces[str(i)] = {"y": mean, "error_y": error}
        traces[str(len(WAYS))] = {
            "x": [EACH[at]] * len(WAYS),
            "y": [shares.mean[at] for shares in result.values()],
            "marker": {"color": [colour_of(role) for _, role, _ in WAYS.values()]},
        }
        return {"controls": {"labels": {"names": list(map(str, EACH))}}, "chart": {"traces": traces}}

    def sentence(self, state, result) -> list:
        at, each = state.labels, EACH[state.labels]
        runs: list = [f"{counted(each, 'label')} per topic: "]
        for way, (name, _, role) in WAYS.items():
            mean, low, high = (part[at] for part in result[way])
            runs += [role(name), f" {percent(mean)} ({100 * low:.0f} to {100 * high:.0f}), "]
        return say(
            *runs[:-1],
            runs[-1].removesuffix(", "),
            f". Three seeds, each with a reading and labels of its own; guessing: one in {len(TOPICS)}.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab.trained import pretraining_runs",
            "",
            "table = pretraining_runs()['few_labels']  # measured by train_pretraining.py",
            f"ways = {list(WAYS)}",
            "means = [[sum(runs) / len(runs) for runs in table[way].values()] for way in ways]",
        ])


def spread(runs: list[list[float]]) -> Shares:
    return Shares([sum(one) / len(one) for one in runs], [min(one) for one in runs], [max(one) for one in runs])
