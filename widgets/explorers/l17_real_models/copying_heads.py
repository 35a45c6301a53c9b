"""A GPT reads words twice: a head that copies, and what is left when such heads are switched off."""

import torch

from attnlab.analysis import CopyStudy, SecondRound
from widgets.base.controls import selected_cell, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, percent, query, quote, say, visible
from widgets.instruments.chart.chart import Chart, curve, figure
from widgets.instruments.matrix.matrix import Matrix

MOST = 8


class CopyingHeadsExplorer(Explorer):
    """Switch off one head after the other: those that copy, beside as many drawn from the rest.

    study: what `attnlab.analysis.copy_study` has found, of any GPT, with one to eight heads switched off.
    """

    off = slider(0, 0, MOST, label="heads off", help="how many heads are switched off, those that copy most first")
    cell = selected_cell([])

    shows = {
        "losses": lambda parts: parts["chart"].trace("heads that copy")["y"],
        "weights": ("matrix", "values"),
    }
    row = ("matrix", "chart")
    unstable = True

    def __init__(self, study: CopyStudy, lock=None, **state) -> None:
        if not 1 <= len(study.off) - 1 <= MOST:
            raise ValueError(f"expected a study with 1 to {MOST} heads switched off, got {len(study.off) - 1}")
        self.study = study
        words = len(study.pieces) // 2
        super().__init__(lock=lock, **{"cell": [0, words + 3, -1], **state})

    def views(self) -> dict:
        pieces = [visible(piece.strip(" ")) for piece in self.study.pieces]
        layer, head = self.study.heads[0]
        others = [curve([found.loss for found in run], name="", role="key", opacity=0.5) for run in self.study.others]
        return {
            "matrix": Matrix(
                self.study.weights,
                query_labels=pieces,
                key_labels=pieces,
                panel_names=[f"layer {layer + 1}, head {head + 1}"],
                mask=torch.ones(len(pieces), len(pieces)).tril(),
                row_bars=False,
                layout={"flex": "1 1 480px", "min_width": "0"},
            ),
            "chart": Chart(
                figure(
                    *others,
                    curve([found.loss for found in self.study.off], name="heads that copy", role="query"),
                    curve([0.0, 0.0], [0, 0], name="", role="context", line_dash="dot"),
                    x="heads switched off",
                    y="loss of round two; pale: other heads",
                    height=380,
                    xaxis_dtick=1,
                    showlegend=False,
                ),
                layout={"flex": "1 1 320px", "min_width": "0"},
            ),
        }

    def compute(self, state) -> CopyStudy:
        return self.study

    def picture(self, state, result) -> dict:
        top = max(found.loss for run in [result.off, *result.others] for found in run)
        return {
            "controls": {"off": {"max": len(result.off) - 1}},
            "matrix": {"selected": list(state.cell)},
            "chart": {
                "traces": {
                    str(len(result.others) + 1): {"x": [state.off, state.off], "y": [0, top]},  # the dotted line
                }
            },
        }

    def sentence(self, state, result) -> list:
        now, others = result.off[state.off], [run[state.off] for run in result.others]
        if not state.off:
            return say(
                "Nothing is off: of the second round ",
                context(f"{percent(now.right)} are foreseen"),
                f", the mean surprise is {number(now.loss, 1)} nats; in the first it was {number(now.first, 1)}. ",
                *self.rest(result),
            )
        layer, head = result.heads[state.off - 1]
        return say(
            f"{state.off} heads off, the last of them " if state.off > 1 else "One head off, ",
            query(f"layer {layer + 1}, head {head + 1}"),
            ": ",
            context(f"{percent(now.right)} foreseen"),
            f", {number(now.loss, 1)} nats. ",
            *self.of_others(others),
        )

    @staticmethod
    def of_others(others: list[SecondRound]) -> list:
        """What is left without as many heads that do not copy."""
        if len(others) == 1:
            return [key("As many others"), f": {percent(others[0].right)}, {number(others[0].loss, 1)} nats."]
        right, loss = (sorted(getattr(one, name) for one in others) for name in ("right", "loss"))
        return [
            key("As many other heads"),
            f", drawn {len(others)} times: {percent(right[0])} to {percent(right[-1])}, "
            f"{number(loss[0], 1)} to {number(loss[-1], 1)} nats.",
        ]

    def rest(self, result) -> list:
        """How the head that copies most divides its weight in the two rounds."""
        words = len(result.pieces) // 2
        first, second = result.weights[3 : words + 1, 0].mean(), result.weights[words + 1 :, 0].mean()
        layer, head = result.heads[0]
        return [
            query(f"Layer {layer + 1}, head {head + 1}"),
            f" rests on {quote(result.pieces[0])} with {percent(float(first))} of its weight in the first round, with ",
            f"{percent(float(second))} in the second.",
        ]

    def code(self, state) -> str:
        return "\n".join([
            "# study = attnlab.analysis.copy_study(model, tokens, pieces, most, draws)",
            "weights = study.weights  # [tokens, tokens] of the head that copies most",
            "losses = [found.loss for found in study.off]  # without 0, 1, 2, ... heads",
        ])
