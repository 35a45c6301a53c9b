"""A GPT that reads a text, head by head: how surprised is it by each letter, with some of its heads off?"""

import torch

from attnlab import causal
from attnlab.analysis import surprise, without
from widgets.base.controls import slider, text
from widgets.base.words import context, number, query, quote, say, visible
from widgets.explorers.l08_many_heads.head_ablation import Ablation, HeadAblationExplorer
from widgets.instruments.chart.chart import Chart, curve, figure

MOST = 16  # heads that can be looked at


class TextHeadAblationExplorer(HeadAblationExplorer):
    """The surprise of each letter of a text, and the loss on held-out text, when heads are off.

    reference: the `Text` that the model was trained on. test: inputs and targets [windows, tokens] of the held-out
    part. patterns: see `attnlab.analysis.describe`.
    `measured`: [letters - 1], the surprise by each letter but the first, in nats.
    """

    text = text("", label="text", width=44, help="what the model reads")
    head = slider(1, 1, MOST, step=1, label="look at head", help="whose matrix is shown, from layer to layer")

    def __init__(self, model, reference, test, patterns, text, lock=None, **state) -> None:
        self.model, self.reference, self.test, self.mask = model, reference, test, causal(model.longest)
        self.all_on = self.loss([])
        super().__init__(model, test, patterns, lock=lock, text=text, **state)

    def chart(self) -> Chart:
        return Chart(
            figure(
                curve([0.0], [1], "all heads on", "key", line_width=2),
                curve([0.0], [1], "now", "context", line_width=2.5),
                title="Held-out loss",
                y="surprise (nats)",
                height=180,
            )
        )

    @torch.no_grad()
    def loss(self, heads: list[tuple[str, int]]) -> float:
        """The mean surprise on held-out text without these heads, in nats a letter."""
        inputs, targets = self.test
        with without(self.model, heads):
            return surprise(self.model(inputs), targets).mean().item()

    def read(self, typed: str, off: list[int]) -> Ablation:
        """What the model makes of the text that was typed, its loss left out. Raises ValueError for a text that is too
        short or too long, and for letters that it does not know."""
        if not 3 <= len(typed) <= self.model.longest:
            raise ValueError(f"expected a text of 3 to {self.model.longest} letters, got {len(typed)}")
        ids = self.reference.encode(typed)
        weights, scores, logits = self.run_without(off, ids)
        return Ablation(list(typed), weights, scores, surprise(logits[:-1], ids[1:]))

    def compute(self, state) -> Ablation:
        if state.head > len(self.heads):
            raise ValueError(f"expected a head from 1 to {len(self.heads)}, got {state.head}")
        return self.read(state.text, state.off)._replace(loss=self.loss(self.names_of(state.off)))

    def picture(self, state, result) -> dict:
        before = self.read(state.text, []).measured if state.off else result.measured
        x = list(range(1, len(result.tokens)))
        top = max(8.0, float(result.measured.max()) * 1.05)
        return {
            "controls": {"head": {"max": len(self.heads)}},
            "matrix": self.one_panel(state, result),
            "chart": {
                "traces": {"0": {"x": x, "y": before}, "1": {"x": x, "y": result.measured}},
                "figure_layout": {  # the loss stands beside the switches: the sentence is a screen below them
                    "title": {"text": self._heading(result.loss)},
                    "xaxis": {
                        "tickvals": x,
                        "ticktext": list(map(visible, result.tokens[1:])),
                        "tickangle": 0,
                        "range": [0.5, len(x) + 4],
                    },
                    "yaxis": {"range": [0, top]},
                },
            },
        }

    def _heading(self, loss: float) -> str:
        return f"Held-out loss: {number(loss)} nats a letter (all heads on: {number(self.all_on)})"

    def one_panel(self, state, result) -> dict:
        """The matrix of the head that is looked at: eight side by side would be too small to read."""
        traits, chosen = self.panels(state, result), slice(state.head - 1, state.head)
        return {**traits, **{name: traits[name][chosen] for name in ("values", "scores", "mask", "panel_names")}}

    def sentence(self, state, result) -> list:
        letters, most = result.tokens, int(result.measured.argmax()) + 1
        change = round(result.loss, 2) - round(self.all_on, 2)  # of the numbers as they are read
        held_out = ["On held-out text the loss is ", context(number(result.loss)), " nats a letter"]
        held_out.append(
            f", {number(abs(change))} {'more' if change >= 0 else 'less'} than with all heads. " if state.off else ". "
        )
        return say(
            *self.say_off(state.off),
            *held_out,
            "Here the model is surprised most by ",
            query(quote(letters[most])),
            " after ",
            quote("".join(letters[max(0, most - 8) : most])),
            ".",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab import record",
            "from attnlab.analysis import surprise, without",
            "",
            f"off = {self.names_of(state.off)}",
            f"ids = reference.encode({state.text!r})",
            "with torch.no_grad(), without(model, off), record(model) as trace:",
            "    logits = model(ids[None])[0]",
            "heads = torch.cat([trace[name][0].weights[0] for name in trace.names])",
            f"weights = heads[{int(state.head) - 1}]  # [queries, keys]",
            "measured = surprise(logits[:-1], ids[1:])",
        ])
