"""Kernel regression: a curve through points, drawn by attention. The bandwidth squared is the temperature."""

import torch

from attnlab import attend

from .chart import Chart, curve, figure, points
from .controls import slider
from .explorer import Explorer
from .matrix import Matrix
from .words import context, key, number, percent, query, say, value

POINTS = 20
FINE = torch.linspace(0, 5, 101).unsqueeze(1)  # where the curve is drawn
ASKED = torch.linspace(0, 5, 11).unsqueeze(1)  # the rows of the matrix


def wave(x):
    """What the points are drawn from, before the noise."""
    return torch.sin(1.5 * x) + 0.3 * x


def closeness(asks, offers):
    """Minus half the squared distance of every query from every key: [queries, keys]."""
    return -((asks - offers.mT) ** 2) / 2


def data(seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Keys and values [points, 1]: places on a line from 0 to 5, and what was measured there."""
    chance = torch.Generator().manual_seed(seed)
    offers = 5 * torch.rand(POINTS, 1, generator=chance).sort(0).values
    return offers, wave(offers) + 0.3 * torch.randn(POINTS, 1, generator=chance)


def smooth(asks, bandwidth, seed: int = 0):
    """Nadaraya and Watson's estimate at `asks` [queries, 1]."""
    offers, gives = data(seed)
    return attend(asks, offers, gives, score=closeness, temperature=bandwidth**2)


class RegressionExplorer(Explorer):
    """Ask at any place; the answer is the average of what was measured, the near ones first."""

    bandwidth = slider(0.4, 0.05, 2.0, step=0.05, help="how near is near; its square is the temperature")
    place = slider(2.5, 0.0, 5.0, step=0.5, label="ask at", help="the query: a place on the line")

    shows = {"weights": ("matrix", "values")}

    @property
    def weights(self) -> torch.Tensor:
        """[queries, keys]: how every half unit from 0 to 5 reads the points."""
        return self.result.weights

    def views(self):
        offers, gives = data()
        return {
            "chart": Chart(figure(
                points(offers[:, 0], gives[:, 0], [*[""] * (POINTS - 1), "measured"], name="measured", role="value",
                       textposition="middle left"),
                curve(wave(FINE)[:, 0], FINE[:, 0], name="without noise", line={"dash": "dot"}),
                curve(wave(FINE)[:, 0], FINE[:, 0], name="attention", role="context"),
                points([0.0], [0.0], name="the question", role="query", marker={"size": 13}),
                x="place", y="measured", x_range=[-0.1, 5.1], y_range=[-1, 3], height=260, showlegend=False)),
            "matrix": Matrix(torch.zeros(len(ASKED), POINTS), query_title="asked at", key_title="measured at",
                             query_labels=[f"{x:.1f}" for x in ASKED[:, 0].tolist()],
                             key_labels=[f"{x:.1f}" for x in offers[:, 0].tolist()]),
        }

    def compute(self, state):
        return smooth(ASKED, state.bandwidth)

    def picture(self, state, result):
        row = self._row(state)
        line = smooth(FINE, state.bandwidth).context[:, 0]
        return {"chart": {"traces": {2: {"y": line.numpy()},
                                     3: {"x": [state.place], "y": [result.context[row, 0].item()]}}},
                "matrix": {"values": result.weights, "scores": result.scores, "current": row}}

    def _row(self, state) -> int:
        return int((ASKED[:, 0] - state.place).abs().argmin())

    def sentence(self, state, result):
        offers, gives = data()
        row = result.weights[self._row(state)]
        most = int(row.argmax())
        kind = f"{int((row > 0.05).sum())} points have more than 5\u202f% of the weight"
        if row.max() > 0.9:
            kind = "so narrow, it repeats the nearest point"
        elif row.max() < 0.1:
            kind = "so wide, it is nearly the average of all"
        return say("Asked at ", query(number(state.place, 1)), ", attention answers ",
                   context(number(result.context[self._row(state), 0].item())), f": {kind}. The nearest, at ",
                   key(number(offers[most, 0].item(), 1)), ", was measured as ", value(number(gives[most, 0].item())),
                   f" and has {percent(row[most].item())} of the weight.")

    def code(self, state):
        offers, gives = data()
        return "\n".join([
            "import torch",
            "from attnlab import attend",
            "",
            f"key = torch.tensor({[round(x, 6) for x in offers[:, 0].tolist()]}).unsqueeze(1)  # places",
            f"value = torch.tensor({[round(x, 6) for x in gives[:, 0].tolist()]}).unsqueeze(1)  # what was measured",
            "query = torch.linspace(0, 5, 11).unsqueeze(1)",
            "context, weights, scores = attend(query, key, value,",
            "    score=lambda query, key: -(query - key.mT) ** 2 / 2,",
            f"    temperature={state.bandwidth} ** 2)",
        ])
