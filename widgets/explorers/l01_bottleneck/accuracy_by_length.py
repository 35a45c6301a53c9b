"""How many strings several models get right, by length, at every moment of their training."""

import numpy as np
import torch
from plotly.graph_objects import Scatter

from attnlab.analysis import length_at
from widgets.base.controls import slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, say
from widgets.instruments.chart.chart import Chart, curve, figure

END = 10_000  # a step beyond every training


def curve_heights(parts) -> np.ndarray:
    """[models, lengths] as they are seen; the last trace holds the names."""
    chart = parts["chart"]
    return np.stack([chart.trace(i)["y"] for i in range(len(chart.spec["data"]) - 1)])


class AccuracyByLengthExplorer(Explorer):
    """Curves of exact strings by length, one for each model. They grow while the models learn, and can be played again.

    history: a list of (step, shares [models, lengths]) that the training appends to; `refresh` shows the latest.
    names: of the models, the one that looks back last. lengths: of the strings. steps: of the whole training.
    """

    step = slider(END, 0, END, step=25, label="training step", help="the moment of the training that is shown")

    shows = {"shares": curve_heights}
    unstable = True

    def __init__(self, history, names, lengths, steps, lock=None, **state) -> None:
        self.history, self.names, self.lengths, self.steps = history, list(names), list(lengths), steps
        super().__init__(lock=lock, **state)

    def views(self) -> dict:
        shades = [*(0.4 + 0.6 * i / max(1, len(self.names) - 2) for i in range(len(self.names) - 1)), 1]
        curves = [
            curve(
                [0.0] * len(self.lengths),
                self.lengths,
                name,
                "key" if name == self.names[-1] else "context",
                opacity=shade,
                line_width=3,
                showlegend=True,
            )
            for name, shade in zip(self.names, shades, strict=True)
        ]
        names = Scatter(x=[], y=[], text=[], mode="text", textposition="top right", hoverinfo="skip", cliponaxis=False)
        longest = self.lengths[-1]
        return {
            "chart": Chart(
                figure(
                    *curves,
                    names,
                    x="digits in the string",
                    y="share of strings that come back without a mistake",
                    x_range=[self.lengths[0] - 0.2, longest + 0.3],
                    y_range=[-0.02, 1.12],
                    height=340,
                    xaxis_dtick=2,
                    yaxis_tickvals=[0, 0.5, 1],
                )
            )
        }

    def compute(self, state) -> torch.Tensor:
        """[models, lengths] at the latest step that was measured."""
        return next(shares for step, shares in reversed(self.history) if step <= state.step)

    def picture(self, state, result) -> dict:
        curves = {str(i): {"y": shares} for i, shares in enumerate(result)}
        return {
            "chart": {"traces": {**curves, str(len(self.names)): self._names(result)}},
            "controls": {"step": {"max": self.steps}},
        }

    def _names(self, result) -> dict:
        """Where each curve's name stands: where it falls, each at a level of its own, so that none covers another."""
        levels = torch.linspace(0.3, 0.75, len(self.names)).tolist()
        places = [length_at(self.lengths, shares, level) for shares, level in zip(result, levels, strict=True)]
        return {
            "x": [self.lengths[-1] if place is None else place for place in places],
            "y": [
                self._height(place, shares, level) for place, shares, level in zip(places, result, levels, strict=True)
            ],
            "text": self.names,
            "textposition": ["top left" if place is None else "top right" for place in places],
        }

    def _height(self, place, shares, level) -> float | None:
        """How high the name of a curve stands; nowhere before the model has learned anything."""
        height = float(shares[-1] if place is None else min(level, shares[0]))
        return height if height > 0.1 else None

    def sentence(self, state, result) -> list:
        step = max(step for step, _ in self.history if step <= state.step)
        *fixed, _ = zip(self.names, (length_at(self.lengths, shares) for shares in result), strict=True)
        halves = [f"{name} at {place:.0f}" for name, place in fixed if place and place > self.lengths[0]]
        brought = f" brings back {percent(float(result[-1][-1]))} of the strings with {self.lengths[-1]} digits."
        if not halves:
            return say(
                f"Step {step}. ",
                context("No vector"),
                " brings back half of the strings of any length yet; ",
                key(self.names[-1]),
                brought,
            )
        return say(
            f"Step {step}. Half of the strings get lost, with ",
            context(", ".join(halves)),
            " digits; ",
            key(self.names[-1]),
            brought,
        )

    def code(self, state) -> str:
        return "\n".join([
            "# history holds (step, shares [models, lengths]), measured while the models learned:",
            "# exact(model, *held_out).float().view(len(lengths), -1).mean(dim=1) for each of them",
            f"shares = [shares for step, shares in history if step <= {state.step}][-1]",
        ])
