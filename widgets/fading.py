"""GradientExplorer: how much of the gradient reaches each input of a recurrent network, for the three kinds."""

import torch

from attnlab.seq2seq import CELLS, Encoder

from .chart import Chart, curve, figure
from .controls import button, slider
from .explorer import Explorer
from .words import say

HIDDEN, EMBEDDING, SENTENCES = 32, 32, 16
NAMES = {"rnn": "RNN", "gru": "GRU", "lstm": "LSTM"}
FAINTEST = 1e-12


class Norms(Chart):
    """Curves on a logarithmic axis; `heights` [curves, points] are today's."""

    @property
    def heights(self) -> torch.Tensor:
        return torch.stack([torch.as_tensor(trace["y"]) for trace in self._today()["data"]])


class GradientExplorer(Explorer):
    """The gradient of the last state at every input, for fresh networks: 1 at the last one, fading or growing back.

    `gain` multiplies the recurrent weights of all three; `keep` is added to the bias of the gate that keeps the memory
    (the forget gate of the LSTM, the update gate of the GRU; a plain RNN has none).
    """

    length = slider(20, 5, 40, step=5, label="inputs", help="how many inputs the network reads")
    gain = slider(1.0, 0.5, 5.0, step=0.5, label="recurrent weights ×",
                  help="what the recurrent weights are multiplied by")
    keep = slider(0, 0, 6, label="gates kept open by", help="added to the bias of the gate that keeps the memory")
    again = button(label="other weights", help="fresh random weights and sentences")

    shows = {"norms": ("chart", "heights")}

    @property
    def norms(self) -> torch.Tensor:
        """[3, inputs]: of RNN, GRU and LSTM, from the last input backwards, as shares of the last one's."""
        return self.result

    def views(self):
        curves = [curve([1.0], [0], NAMES[cell], line_width=3) for cell in CELLS]
        return {"chart": Norms(figure(
            *curves, x="inputs back from the last one", y="gradient at this input, the last one = 1", height=320,
            yaxis_type="log", yaxis_range=[-12, 4], yaxis_tickvals=[1e-12, 1e-8, 1e-4, 1, 1e4],
            yaxis_ticktext=["10⁻¹²", "10⁻⁸", "10⁻⁴", "1", "10⁴"],
        ))}

    def compute(self, state):
        return torch.stack([gradient_norms(cell, state.length, state.gain, state.keep, state.again) for cell in CELLS])

    def picture(self, state, result):
        back = list(range(state.length))
        return {"chart": {"traces": {str(i): {"x": back, "y": norms} for i, norms in enumerate(result)}}}

    def sentence(self, state, result):
        rnn, gru, lstm = (float(norms[-1]) for norms in result)
        return say("What the first of ", str(state.length), " inputs gets of the last one's gradient: ",
                   f"RNN {share(rnn)}, GRU {share(gru)}, LSTM {share(lstm)}. ",
                   self._why(max(rnn, gru, lstm), min(rnn, gru, lstm)))

    @staticmethod
    def _why(most, least) -> str:
        if most > 100:
            return "Where it explodes, one step of learning throws the weights far away."
        if most < 1e-3:
            return "It vanishes: about the first input, next to nothing is learned."
        if least < 1e-3:
            return "Where it vanishes, next to nothing is learned about the first input."
        return "All three can learn about the first input."

    def code(self, state):
        return "\n".join([
            "import torch",
            "from attnlab.seq2seq import CELLS, Encoder",
            "",
            "norms = []",
            "for name, cell in CELLS.items():",
            f"    torch.manual_seed({state.again})",
            f"    encoder = Encoder(13, {HIDDEN}, {EMBEDDING}, bidirectional=False, cell=cell)",
            "    weights = encoder.recurrent",
            "    with torch.no_grad():",
            f"        weights.weight_hh_l0.mul_({state.gain})",
            "        if name != 'rnn':  # the gate that keeps",
            f"            weights.bias_hh_l0[{HIDDEN}:{2 * HIDDEN}] += {state.keep}",
            f"    source = torch.randint(3, 13, ({SENTENCES}, {state.length}))",
            "    embedded = encoder.embed(source).detach().requires_grad_()",
            f"    states = encoder.read(embedded, torch.full(({SENTENCES},), {state.length})).keys",
            f"    (states[:, -1] @ torch.randn({HIDDEN})).sum().backward()",
            "    norm = embedded.grad.norm(dim=-1).mean(dim=0).flip(0)  # [inputs], the last one first",
            f"    norms.append((norm / norm[0]).clamp(min={FAINTEST}))",
            "norms = torch.stack(norms)",
        ])


def gradient_norms(cell: str, length: int, gain: float, keep: float, seed: int) -> torch.Tensor:
    """[inputs]: the gradient of a random direction of the last state at each input, from the last one (1) backwards."""
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        encoder = Encoder(13, HIDDEN, EMBEDDING, bidirectional=False, cell=CELLS[cell])
        source = torch.randint(3, 13, (SENTENCES, length))
        direction = torch.randn(HIDDEN)
    weights = encoder.recurrent
    with torch.no_grad():
        weights.weight_hh_l0.mul_(gain)
        if cell != "rnn":  # torch keeps the gates' biases one after the other; this one is the second in both
            weights.bias_hh_l0[HIDDEN : 2 * HIDDEN] += keep
    embedded = encoder.embed(source).detach().requires_grad_()
    states = encoder.read(embedded, torch.full((SENTENCES,), length)).keys
    (states[:, -1] @ direction).sum().backward()
    norm = embedded.grad.norm(dim=-1).mean(dim=0).flip(0)
    return (norm / norm[0]).clamp(min=FAINTEST)


def share(x: float) -> str:
    """A share in words, with at most two digits that count: 0.7, 1/200, 40 times as much."""
    if x >= 10:
        return f"{_round(x)} times as much"
    if x >= 0.1:
        return f"{x:.1f}"
    if x >= 1e-6:
        return f"1/{_round(1 / x)}"
    return "less than a millionth"


def _round(x: float) -> str:
    return f"{float(f'{x:.1e}'):,.0f}".replace(",", "\u202f")
