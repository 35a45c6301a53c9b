"""Where a GPT's attention rests, layer by layer, and what the text costs when nobody may look there."""

import torch

from attnlab.analysis import Resting, SinkRuns
from widgets.base.controls import choice, stepper
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, percent, quote, say, visible
from widgets.instruments.chart.chart import Chart, bars, figure, plain_text
from widgets.instruments.matrix.matrix import Matrix

NOTHING, ALL, BUT_NEXT = "nothing", "from all after it", "from all but the next"
RUNS = {ALL: "all_after", BUT_NEXT: "but_next"}


class SinkExplorer(Explorer):
    """Hide one token of a text: the matrix shows where the weight goes, the bars how surprising each token becomes.

    runs: {name of the text: `attnlab.analysis.sink_runs(model, tokens, pieces)`}, of any GPT.
    """

    text = stepper(1, 1, None, help="which text")
    hide = choice([NOTHING, ALL, BUT_NEXT], label="hide", help="which later tokens may no longer look at it")
    token = stepper(1, 1, None, label="token that is hidden", help="which token of the text nobody may look at")

    shows = {
        "weights": ("matrix", "values"),
        "losses": lambda parts: parts["chart"].trace("now")["y"],
    }
    unstable = True

    def __init__(self, runs: dict[str, SinkRuns], lock=None, **state) -> None:
        self.runs = dict(runs)
        super().__init__(lock=lock, **state)

    @property
    def weights(self) -> torch.Tensor:
        """[layers, tokens]: the share of the later places' attention."""
        return self.result.weights

    def views(self) -> dict:
        nothing = [0.0]
        return {
            "matrix": Matrix(query_title="layer", key_title="looks at", measure="share of the weight"),
            "chart": Chart(
                figure(
                    bars(nothing, [""], "nothing hidden", "key", opacity=0.35),
                    bars(nothing, [""], "now", "context", width=0.45),
                    y="surprise in nats; pale: nothing hidden",
                    height=230,
                    barmode="overlay",
                    showlegend=False,
                )
            ),
        }

    def chosen(self, state) -> SinkRuns:
        """The runs of this text. Raises ValueError for one that is not there."""
        if state.text > len(self.runs):
            raise ValueError(f"expected a text from 1 to {len(self.runs)}, got {state.text}")
        return [*self.runs.values()][state.text - 1]

    def compute(self, state) -> Resting:
        runs = self.chosen(state)
        if state.hide == NOTHING:
            return runs.whole
        hidden = getattr(runs, RUNS[state.hide])
        return hidden[min(state.token, len(hidden)) - 1]

    def picture(self, state, result) -> dict:
        runs = self.chosen(state)
        layers, tokens = result.weights.shape
        pieces = [visible(piece) for piece in runs.pieces]
        hidden = min(state.token, tokens) - 1
        mask = torch.ones(layers, tokens)
        if state.hide != NOTHING:
            mask[:, hidden] = 0
        places = list(range(2, len(pieces) + 1))
        top = max(float(runs.whole.losses.max()), float(result.losses.max()))
        return {
            "controls": {
                "text": {"max": len(self.runs), "names": [f"text: {name}" for name in self.runs]},
                "token": {"max": tokens, "names": [f"hide: {piece}" for piece in pieces[:tokens]]},
            },
            "matrix": {
                "values": result.weights,
                "mask": mask,
                "query_labels": [str(layer) for layer in range(1, layers + 1)],
                "key_labels": pieces[:tokens],
            },
            "chart": {
                "traces": {
                    "0": {"x": places, "y": runs.whole.losses},
                    "1": {"x": places, "y": result.losses},
                },
                "figure_layout": {
                    "xaxis": {"tickvals": places, "ticktext": [plain_text(piece) for piece in pieces[1:]]},
                    "yaxis": {"range": [0, 1.05 * top]},
                },
            },
        }

    def sentence(self, state, result) -> list:
        runs = self.chosen(state)
        mean = result.weights.mean(0)
        most = int((mean * torch.arange(len(mean), 0, -1)).argmax())  # in all: fewer tokens come after a later one
        rests = [
            "The most weight lies on ",
            key(f"{quote(visible(runs.pieces[most]))} (token {most + 1})"),
            f", {percent(float(mean[most]))} of what later places give, in layer "
            f"{int(result.weights[:, most].argmax()) + 1} even {percent(float(result.weights[:, most].max()))}. ",
        ]
        whole, now = (number(float(found.losses[1:].mean())) for found in (runs.whole, result))
        if state.hide == NOTHING:
            return say(
                *rests, "A token surprises the model by ", context(f"{whole} nats"), " on average, from the third on."
            )
        at = min(state.token, len(mean)) - 1
        return say(
            "Hidden ",
            f"{state.hide}: ",
            key(f"{quote(visible(runs.pieces[at]))} (token {at + 1})"),
            ". ",
            *rests,
            "The mean surprise, from the third token on, goes from ",
            f"{whole} nats to ",
            context(now),
            ".",
        )

    def code(self, state) -> str:
        name = [*self.runs][min(state.text, len(self.runs)) - 1]
        if state.hide == NOTHING:
            return "\n".join([
                f"found = runs[{name!r}].whole  # attnlab.analysis.resting(model, tokens)",
                "weights, losses = found  # [layers, tokens], [tokens - 1]",
            ])
        token = min(state.token, len(self.chosen(state).all_after)) - 1
        later = 1 if state.hide == ALL else 2
        return "\n".join([
            f"# with forbidden(model, key={token}, since={token + later}): found = resting(model, tokens)",
            f"found = runs[{name!r}].{RUNS[state.hide]}[{token}]",
            "weights, losses = found  # [layers, tokens], [tokens - 1]",
        ])
