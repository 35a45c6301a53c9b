"""Kernel regression: a curve through points, drawn by attention. The bandwidth squared is the temperature."""

import torch

from attnlab.attention import Attention, attend
from attnlab.tasks.kernel_regression import measurements, nearness, wave
from widgets.base.controls import slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, percent, query, say, value
from widgets.instruments.chart.chart import Chart, curve, figure, points
from widgets.instruments.matrix.matrix import Matrix

PLACES, MEASURED = measurements()  # keys and values
FINE = torch.linspace(0, 5, 101).unsqueeze(1)  # where the curve is drawn
ASKED = torch.linspace(0, 5, 11).unsqueeze(1)  # the rows of the matrix


class KernelRegressionExplorer(Explorer):
    """Ask at any place; the answer is the average of what was measured, the near ones first."""

    bandwidth = slider(0.4, 0.05, 2.0, step=0.05, help="how near is near; its square is the temperature")
    place = slider(2.5, 0.0, 5.0, step=0.5, label="ask at", help="the query: a place on the line")

    shows = {"weights": ("matrix", "values")}

    @property
    def weights(self) -> torch.Tensor:
        """[queries, keys]: how every half unit from 0 to 5 reads the points."""
        return self.result.weights

    def views(self) -> dict:
        names = [*[""] * (len(PLACES) - 1), "measured"]
        return {
            "chart": Chart(
                figure(
                    points(
                        PLACES[:, 0], MEASURED[:, 0], names, name="measured", role="value", textposition="middle left"
                    ),
                    curve(wave(FINE)[:, 0], FINE[:, 0], name="without noise", line={"dash": "dot"}),
                    curve(wave(FINE)[:, 0], FINE[:, 0], name="attention", role="context"),
                    points([0.0], [0.0], name="the question", role="query", marker={"size": 13}),
                    x="place",
                    y="measured",
                    x_range=[-0.1, 5.1],
                    y_range=[-1, 3],
                    height=260,
                    showlegend=False,
                )
            ),
            "matrix": Matrix(
                torch.zeros(len(ASKED), len(PLACES)),
                query_title="asked at",
                key_title="measured at",
                query_labels=[f"{x:.1f}" for x in ASKED[:, 0].tolist()],
                key_labels=[f"{x:.1f}" for x in PLACES[:, 0].tolist()],
            ),
        }

    def compute(self, state) -> Attention:
        return self._regression(ASKED, state)

    def _regression(self, places: torch.Tensor, state) -> Attention:
        return attend(places, PLACES, MEASURED, score=nearness, temperature=state.bandwidth**2)

    def picture(self, state, result) -> dict:
        row = self._row(state)
        line = self._regression(FINE, state).context[:, 0]
        return {
            "chart": {
                "traces": {2: {"y": line.numpy()}, 3: {"x": [state.place], "y": [result.context[row, 0].item()]}}
            },
            "matrix": {"values": result.weights, "scores": result.scores, "current": row},
        }

    def _row(self, state) -> int:
        return int((ASKED[:, 0] - state.place).abs().argmin())

    def sentence(self, state, result) -> list:
        row = result.weights[self._row(state)]
        most = int(row.argmax())
        kind = f"{int((row > 0.05).sum())} points have more than {percent(0.05)} of the weight"
        if row.max() > 0.9:
            kind = "so narrow, it repeats the nearest point"
        elif row.max() < 0.1 and row.min() > 0.02:
            kind = "so wide, it is nearly the average of all"
        return say(
            "Asked at ",
            query(number(state.place, 1)),
            ", attention answers ",
            context(number(result.context[self._row(state), 0].item())),
            f": {kind}. The nearest, at ",
            key(number(PLACES[most, 0].item(), 1)),
            ", was measured as ",
            value(number(MEASURED[most, 0].item())),
            f" and has {percent(row[most].item())} of the weight.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab import attend",
            "from attnlab.tasks.kernel_regression import measurements, nearness",
            "",
            "key, value = measurements()  # places, and what was measured there",
            "query = torch.linspace(0, 5, 11).unsqueeze(1)",
            "context, weights, scores = attend(query, key, value,",
            f"    score=nearness, temperature={state.bandwidth} ** 2)  # nearness: -(query - key)² / 2",
        ])
