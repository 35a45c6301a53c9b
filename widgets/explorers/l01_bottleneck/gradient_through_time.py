"""How much of the gradient reaches each input of a recurrent network, for the three kinds."""

import numpy as np
import torch

from attnlab.analysis import gradient_through_time, scale_recurrence
from attnlab.seq2seq import CELLS, Encoder, Recurrence
from attnlab.training import seeded
from widgets.base.controls import button, slider
from widgets.base.explorer import Explorer
from widgets.base.words import say
from widgets.instruments.chart.chart import Chart, curve, figure

HIDDEN, SENTENCES = 32, 16
NAMES = {"rnn": "RNN", "gru": "GRU", "lstm": "LSTM"}
FAINTEST = 1e-12  # the lower end of the axis


class GradientThroughTimeExplorer(Explorer):
    """The gradient of the last state at every input, for fresh networks: 1 at the last one, fading or growing back.

    `gain` multiplies the recurrent weights of all three; `keep` is added to the bias of the gate that keeps the memory
    (the forget gate of the LSTM, the update gate of the GRU; a plain RNN has none).
    """

    length = slider(20, 5, 40, step=5, label="inputs", help="how many inputs the network reads")
    gain = slider(
        1.0, 0.5, 5.0, step=0.5, label="recurrent weights ×", help="what the recurrent weights are multiplied by"
    )
    keep = slider(0, 0, 6, label="gates opened by", help="added to the bias of the gate that keeps the memory")
    again = button(label="other weights", help="fresh random weights and sentences")

    shows = {"norms": lambda parts: np.stack([parts["chart"].trace(name)["y"] for name in NAMES.values()])}

    @property
    def norms(self) -> torch.Tensor:
        """[3, inputs]: of RNN, GRU and LSTM, from the last input backwards, as shares of the last one's."""
        return self.result

    def views(self) -> dict:
        curves = [curve([1.0], [0], NAMES[cell], line_width=3) for cell in CELLS]
        return {
            "chart": Chart(
                figure(
                    *curves,
                    x="inputs back from the last one",
                    y="gradient at this input, the last one = 1",
                    height=320,
                    yaxis_type="log",
                    yaxis_range=[-12, 6],
                    yaxis_tickvals=[1e-12, 1e-8, 1e-4, 1, 1e4],
                    yaxis_ticktext=["10⁻¹²", "10⁻⁸", "10⁻⁴", "1", "10⁴"],
                )
            )
        }

    def compute(self, state) -> torch.Tensor:
        return torch.stack([self._norms(state, cell) for cell in CELLS.values()])

    def _norms(self, state, cell: Recurrence) -> torch.Tensor:
        with seeded(state.again):
            encoder = Encoder(13, HIDDEN, HIDDEN, bidirectional=False, cell=cell)
            source, direction = torch.randint(3, 13, (SENTENCES, state.length)), torch.randn(HIDDEN)
        return gradient_through_time(scale_recurrence(encoder, state.gain, state.keep), source, direction)

    def picture(self, state, result) -> dict:
        back = list(range(state.length))
        heights = result.clamp(min=FAINTEST)
        return {"chart": {"traces": {str(i): {"x": back, "y": norms} for i, norms in enumerate(heights)}}}

    def sentence(self, state, result) -> list:
        rnn, gru, lstm = (float(norms[-1]) for norms in result)
        return say(
            "What the first of ",
            str(state.length),
            " inputs gets of the last one's gradient: ",
            f"RNN {share_in_words(rnn)}, GRU {share_in_words(gru)}, LSTM {share_in_words(lstm)}. ",
            self._verdict(max(rnn, gru, lstm), min(rnn, gru, lstm)),
        )

    @staticmethod
    def _verdict(most: float, least: float) -> str:
        if most > 100:
            return "Where it explodes, the first step of training can throw the weights far away."
        if most < 1e-3:
            return "It vanishes: the first step of training hears next to nothing of the first input."
        if least < 1e-3:
            return "Where it vanishes, the first step of training hears next to nothing of the first input."
        return "All three hear of the first input."

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab.analysis import gradient_through_time, scale_recurrence",
            "from attnlab.seq2seq import CELLS, Encoder",
            "",
            "norms = []",
            "for cell in CELLS.values():",
            f"    torch.manual_seed({state.again})",
            f"    encoder = Encoder(13, {HIDDEN}, {HIDDEN}, bidirectional=False, cell=cell)",
            f"    source, direction = torch.randint(3, 13, ({SENTENCES}, {state.length})), torch.randn({HIDDEN})",
            f"    scale_recurrence(encoder, gain={state.gain}, keep={state.keep})",
            "    norms.append(gradient_through_time(encoder, source, direction))  # [inputs], the last one first",
            "norms = torch.stack(norms)",
        ])


def share_in_words(x: float) -> str:
    """A share with at most two digits that count: 0.7, 1/200, 40 times as much."""
    if x >= 10:
        return f"{_two_digits(x)} times as much"
    if x >= 0.1:
        return f"{x:.1f}"
    if x >= 1e-6:
        return f"1/{_two_digits(1 / x)}"
    return "less than a millionth"


def _two_digits(x: float) -> str:
    return f"{float(f'{x:.1e}'):,.0f}".replace(",", "\u202f")
