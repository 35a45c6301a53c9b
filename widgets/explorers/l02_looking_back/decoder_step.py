"""One step of a decoder by hand: a score for each word, the weights, and the context they mix."""

import torch

from attnlab.attention import Attention, attend
from widgets.base.controls import slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, percent, query, quote, say
from widgets.instruments.chart.chart import Chart, figure, points
from widgets.instruments.matrix.matrix import Matrix

WORDS = ["we", "are", "eating", "bread"]
STATES = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0], [0.0, 3.0]])
LEAST, MOST = 7, 40  # diameter of a state's dot at weight 0 and 1


class DecoderStepExplorer(Explorer):
    """Four scores, one a word, become four weights; the context is the mixture of the four encoder states.

    The states stand in a plane, each as large as its weight; the context lies between them.
    """

    we = slider(0.0, -5.0, 5.0, step=0.5, help="the score of “we”")
    are = slider(1.0, -5.0, 5.0, step=0.5, help="the score of “are”")
    eating = slider(2.0, -5.0, 5.0, step=0.5, help="the score of “eating”")
    bread = slider(0.0, -5.0, 5.0, step=0.5, help="the score of “bread”")

    shows = {
        "weights": ("matrix", "values"),
        "context": lambda parts: [parts["plane"].trace(0)[axis][0] for axis in "xy"],
    }

    @property
    def weights(self) -> torch.Tensor:
        """[1, words]."""
        return self.result.weights

    @property
    def context(self) -> torch.Tensor:
        """[2]: the mixture of the states."""
        return self.result.context[0]

    def views(self) -> dict:
        matrix = Matrix(
            torch.zeros(1, 4),
            key_labels=WORDS,
            query_labels=["comiendo"],
            row_bars=True,
            key_title="encoder states",
            query_title="decoder",
        )
        matrix.selected = [0, 0, 2]
        x, y = STATES.T
        plane = figure(
            points([0.0], [0.0], ["context"], role="context", marker_symbol="diamond", marker_size=13),
            points(x, y, WORDS, role="key", textposition="top center", cliponaxis=False),
            x="first number of a state",
            y="second number",
            x_range=[-0.5, 3.0],
            y_range=[-0.5, 3.7],
            height=330,
            width=470,
            showlegend=False,
        )
        return {"matrix": matrix, "plane": Chart(plane)}

    def compute(self, state) -> Attention:
        scores = torch.tensor([[getattr(state, word) for word in WORDS]])
        return attend(torch.zeros(1, 2), STATES, STATES, score=lambda query, key: scores)

    def picture(self, state, result) -> dict:
        x, y = result.context.T
        sizes = LEAST + (MOST - LEAST) * result.weights[0].sqrt()
        return {
            "matrix": {"values": result.weights, "scores": result.scores},
            "plane": {"traces": {"0": {"x": x, "y": y}, "1": {"marker": {"size": sizes}}}},
        }

    def sentence(self, state, result) -> list:
        weights = result.weights[0]
        most = int(weights.argmax())
        mixed = ", ".join(number(float(x)) for x in result.context[0])
        alone = ", ".join(number(float(x), 0) for x in STATES[most])
        return say(
            "To write ",
            query(quote("comiendo")),
            f", the decoder takes {percent(float(weights[most]))} from ",
            key(quote(WORDS[most])),
            ". The ",
            context(f"context is ({mixed})"),
            f"; the state of {quote(WORDS[most])} alone is ({alone}).",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "",
            f"states = torch.tensor({STATES.tolist()})  # {', '.join(WORDS)}",
            f"scores = torch.tensor([[{', '.join(str(getattr(state, word)) for word in WORDS)}]])",
            "weights = scores.softmax(dim=-1)",
            "context = weights @ states",
        ])
