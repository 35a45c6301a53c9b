"""The base of explorers that switch heads of a trained model off: a switch and a matrix for each head, and a chart."""

from typing import NamedTuple

import torch
from torch import Tensor

from attnlab import MultiHeadAttention, record
from attnlab.analysis import describe, without
from widgets.base.controls import held
from widgets.base.explorer import Explorer
from widgets.base.words import query
from widgets.instruments.chart.chart import Chart
from widgets.instruments.head_switches.head_switches import HeadSwitches
from widgets.instruments.matrix.matrix import Matrix


class Ablation(NamedTuple):
    """weights, scores: [heads of all layers, queries, keys] of the text. measured: what the chart shows. loss: on
    held-out text, where the model writes text."""

    tokens: list[str]
    weights: Tensor
    scores: Tensor
    measured: Tensor
    loss: float = 0.0


class HeadAblationExplorer(Explorer):
    """Press a head to switch it off. On each switch stands what the head was measured to do (`habits`).

    A subclass makes the `chart`, whose last trace is what it measures, and puts what `panels` gives into its picture.
    `off`: the heads that are off, counted on from layer to layer. `heads`: the attention of each head, and its number
    there. `mask`: who may look at whom, [most tokens, most tokens], None for everyone at everyone.
    """

    off = held([], help="heads that are switched off", follows=("switches", "off"))

    shows = {"weights": ("matrix", "values"), "measured": lambda parts: parts["chart"].trace(-1)["y"]}
    unstable = True
    mask: torch.Tensor | None = None

    def __init__(self, model, test, patterns, lock=None, **state) -> None:
        self.model, self.test = model, test
        attentions = {name: part for name, part in model.named_modules() if isinstance(part, MultiHeadAttention)}
        self.heads = [(name, head) for name, part in attentions.items() for head in range(part.heads)]
        with torch.no_grad(), record(model) as trace:
            model(test[0])
        self.habits = {name: describe(trace[name][0].weights, test[0], patterns, self.mask) for name in attentions}
        super().__init__(lock=lock, **state)

    @property
    def weights(self) -> Tensor:
        """[heads of all layers, queries, keys] for the text."""
        return self.result.weights

    @property
    def measured(self) -> Tensor:
        """The numbers of the chart."""
        return self.result.measured

    def chart(self) -> Chart:
        """The chart beside the switches."""
        raise NotImplementedError

    def views(self) -> dict:
        notes = [[str(habit) for habit in habits] for habits in self.habits.values()]
        rows = [f"layer {layer}" for layer in range(1, len(notes) + 1)] if len(notes) > 1 else [""]
        return {
            "switches": HeadSwitches(rows=rows, notes=notes),
            "chart": self.chart(),
            "matrix": Matrix(query_title="reads", key_title="is read"),
        }

    def names_of(self, off: list[int]) -> list[tuple[str, int]]:
        """Heads as `attnlab.analysis.without` takes them."""
        return [self.heads[head] for head in off]

    @torch.no_grad()
    def run_without(self, off: list[int], tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Weights and scores of all heads for one text, and the logits, with some heads off."""
        with without(self.model, self.names_of(off)), record(self.model) as trace:
            logits = self.model(tokens[None])[0]
        seen = [trace[name][0] for name in self.habits]
        return torch.cat([one.weights[0] for one in seen]), torch.cat([one.scores[0] for one in seen]), logits

    def panels(self, state, result) -> dict:
        """The matrix: a head that is off is hatched throughout."""
        count = len(result.tokens)
        mask = torch.ones(len(self.heads), count, count)
        if self.mask is not None:
            mask *= self.mask[:count, :count]
        mask[state.off] = 0
        return {
            "values": result.weights,
            "scores": result.scores,
            "mask": mask,
            "query_labels": result.tokens,
            "key_labels": result.tokens,
            "panel_names": [self.label(head) for head in range(len(self.heads))],
        }

    def label(self, head: int) -> str:
        """A head as it is called in the picture."""
        name, of_layer = self.heads[head]
        layer = f"layer {list(self.habits).index(name) + 1}, " if len(self.habits) > 1 else ""
        return f"{layer}head {of_layer + 1}"

    def say_off(self, off: list[int]) -> list:
        """Which heads are off, as parts of a sentence."""
        if not off:
            return ["All heads work. "]
        names = [self.label(head) for head in off]
        return ["Off: ", query("all heads" if len(names) == len(self.heads) else "; ".join(names)), ". "]
