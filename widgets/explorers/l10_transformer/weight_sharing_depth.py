"""One block, repeated as often as a slider says."""

from typing import NamedTuple

from attnlab.decoding import exact, greedy
from attnlab.tasks import BOS, EOS
from widgets.base.controls import slider, text
from widgets.base.explorer import Explorer
from widgets.base.words import context, percent, query, quote, say
from widgets.instruments.chart.chart import Chart, colour_of, curve, figure, points
from widgets.instruments.text_columns.text_columns import TextColumns

DEEPEST = 8
LONGEST = 20  # tokens; a model at a depth that it does not know may never write EOS


class Written(NamedTuple):
    """What the model wrote, and what is right; None for a sentence outside of the grammar."""

    words: list[str]
    right: list[str] | None


class WeightSharingDepthExplorer(Explorer):
    """A universal Transformer translates a sentence with its block repeated `depth` times.

    model: a `UniversalTransformer`. held_out: a batch by which every depth is measured, once; `shares` holds the
    shares of exact sentences. trained: the depths it was trained with, (lowest, highest).
    """

    depth = slider(1, 1, DEEPEST, help="how often the block of the encoder and that of the decoder are repeated")
    text = text("", label="translate", width=34, help="what the model reads")

    shows = {"shares": lambda parts: parts["chart"].trace(0)["y"]}
    unstable = True

    def __init__(self, model, task, held_out, text, trained=(1, 4), lock=None, **state) -> None:
        self.model, self.task, self.trained = model, task, trained
        self.count = len(held_out[0])
        self.shares = [float(exact(model.at(depth), *held_out).float().mean()) for depth in range(1, DEEPEST + 1)]
        super().__init__(lock=lock, text=text, **state)

    def views(self) -> dict:
        low, high = self.trained
        depths = list(range(1, DEEPEST + 1))
        seen = {
            "type": "rect",
            "x0": low - 0.25,
            "x1": high + 0.25,
            "y0": 0,
            "y1": 1.05,
            "line_width": 0,
            "fillcolor": colour_of("plain", 0.14),
            "layer": "below",
        }
        note = {"x": (low + high) / 2, "y": 0.04, "text": "depths of the training", "showarrow": False}
        chart = Chart(
            figure(
                curve(self.shares, depths, role="key", line_width=2.5),
                points([1], [self.shares[0]], role="context", marker_size=13),
                x="repetitions of the block",
                y="held-out sentences exact",
                y_range=[0, 1.05],
                height=280,
                shapes=[seen],
                annotations=[note],
                xaxis_dtick=1,
            )
        )
        return {"texts": TextColumns(height=52), "chart": chart}

    def compute(self, state) -> Written:
        at = state.text, state.depth
        if at not in self._known:
            steps = greedy(self.model.at(state.depth), self.task.read(state.text), BOS, EOS, LONGEST)
            example = self.task.recognise(state.text)
            right = None if example is None else self.task.target_tokens(example.target)
            written = self.task.write([step.token for step in steps])
            self._known[at] = Written(self.task.target_tokens(written), right)
        return self._known[at]

    def picture(self, state, result) -> dict:
        right = result.right or []
        written = [[word, "word" if [word] == right[i : i + 1] else ""] for i, word in enumerate(result.words)]
        texts = {f"depth {state.depth} writes": spaced(written)}
        if right:
            texts["is right"] = spaced([[word, "word"] for word in right])
        share = self.shares[state.depth - 1]
        return {
            "texts": {"titles": [*texts], "texts": [*texts.values()]},
            "chart": {"traces": {"1": {"x": [state.depth], "y": [share]}}},
        }

    def sentence(self, state, result) -> list:
        verdict = "" if result.right is None else ", right" if result.words == result.right else ", wrong"
        times = "once" if state.depth == 1 else f"{state.depth} times"
        low, high = self.trained
        new = "" if low <= state.depth <= high else ", a depth it was never trained with"
        return say(
            "The block ",
            times,
            new,
            ": ",
            query(quote(" ".join(result.words))),
            verdict,
            f". Of {self.count} held-out sentences ",
            context(percent(self.shares[state.depth - 1])),
            " are exact.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab import exact, greedy",
            "from attnlab.tasks import BOS, EOS",
            "",
            f"source = task.read({state.text!r})",
            f"steps = greedy(model.at({state.depth}), source, BOS, EOS, {LONGEST})",
            "written = task.write([step.token for step in steps])",
            f"shares = [exact(model.at(depth), *held_out).float().mean() for depth in range(1, {DEEPEST + 1})]",
        ])


def spaced(runs: list) -> list:
    """Runs of words with blanks between them."""
    return [run for word in runs for run in (word, [" ", ""])][:-1]
