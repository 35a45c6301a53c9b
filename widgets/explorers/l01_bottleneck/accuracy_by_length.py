"""How many strings several models get right, by length, at every moment of their training."""

from math import ceil, floor

import numpy as np
import torch

from attnlab.analysis import length_at
from widgets.base.controls import slider, stepper
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, say
from widgets.instruments.chart.chart import Chart, curve, figure

END = 10_000  # a step beyond every training
PALE, STRONG = 0.5, 1  # curves of the other vectors, and of the one that is chosen


def curve_heights(parts) -> np.ndarray:
    """[models, lengths] as they are seen; the last trace holds the names."""
    chart = parts["chart"]
    return np.stack([chart.trace(i)["y"] for i in range(len(chart.spec["data"]) - 1)])


class AccuracyByLengthExplorer(Explorer):
    """Curves of exact strings by length, one for each model. They grow while the models learn, and can be played again.
    The stepper chooses the vector that the sentence speaks of; its curve is drawn strongly.

    history: a list of (step, shares [models, lengths]) that the training appends to; `refresh` shows the latest.
    names: of the models, the one that looks back last. lengths: of the strings. steps: of the whole training.
    """

    vector = stepper(END, 0, None, help="the size of the vector whose curve is drawn strongly", beat=1500)
    step = slider(END, 0, END, step=50, label="training step", help="the moment of the training that is shown")

    shows = {"shares": curve_heights}
    unstable = True

    def __init__(self, history, names, lengths, steps, lock=None, **state) -> None:
        self.history, self.names, self.lengths, self.steps = history, list(names), list(lengths), steps
        super().__init__(lock=lock, **state)

    def views(self) -> dict:
        *fixed, back = self.names
        curves = [
            curve([0.0] * len(self.lengths), self.lengths, name, role, line_width=3, showlegend=True)
            for name, role in [*((name, "context") for name in fixed), (back, "key")]
        ]
        names = {"x": [], "y": [], "text": [], "mode": "text", "textposition": "top right", "hoverinfo": "skip"}
        longest = self.lengths[-1]
        return {
            "chart": Chart(
                figure(
                    *curves,
                    {**names, "cliponaxis": False},
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

    def _chosen(self, state) -> int:
        """Which of the fixed vectors: a position among all models but the last."""
        return min(state.vector, len(self.names) - 2)

    def picture(self, state, result) -> dict:
        shown = {self._chosen(state), len(self.names) - 1}
        curves = {str(i): {"y": shares, "opacity": STRONG if i in shown else PALE} for i, shares in enumerate(result)}
        return {
            "chart": {"traces": {**curves, str(len(self.names)): self._names(result)}},
            "controls": {
                "step": {"max": self.steps},
                "vector": {"max": len(self.names) - 2, "names": self.names[:-1]},
            },
        }

    def _names(self, result) -> dict:
        """Where each curve's name stands: right of where it falls, each at a level of its own, so that none covers
        another; the last one's above its right end."""
        levels = torch.linspace(0.3, 0.75, len(self.names) - 1).tolist()
        *fixed, back = result
        places = [length_at(self.lengths, shares, level) for shares, level in zip(fixed, levels, strict=True)]
        heights = [
            self._height(place, shares, level) for place, shares, level in zip(places, fixed, levels, strict=True)
        ]
        above = float(back[-3:].max()) + 0.04
        return {
            "x": [*(self.lengths[-1] if place is None else place for place in places), self.lengths[-1]],
            "y": [*heights, above if above > 0.14 else None],
            "text": self.names,
            "textposition": [*("top left" if place is None else "top right" for place in places), "top left"],
        }

    def _height(self, place, shares, level) -> float | None:
        """How high the name of a curve stands; nowhere before the model has learned anything."""
        height = float(shares[-1] if place is None else min(level, shares[0]))
        return height if height > 0.1 else None

    def sentence(self, state, result) -> list:
        step = max(step for step, _ in self.history if step <= state.step)
        chosen = self._chosen(state)
        name, shares, back = context(self.names[chosen]), result[chosen], result[-1]
        half, last = length_at(self.lengths, shares), self.lengths[-1]
        brought = [
            " of the strings with ",
            str(last),
            " digits; ",
            key(self.names[-1]),
            f" {percent(float(back[-1]))}.",
        ]
        if shares[0] < 0.5:
            return say(
                f"Step {step}. With ",
                name,
                f", less than half of the strings with {self.lengths[0]} digits come back, "
                f"and {percent(float(shares[-1]))}",
                *brought,
            )
        lost = f", half of the strings get lost {where(half)}" if half else ", most strings of every length come back"
        back_here = f". This vector brings back {percent(float(shares[-1]))}"
        return say(f"Step {step}. With ", name, lost, back_here, *brought)

    def code(self, state) -> str:
        return "\n".join([
            "# history holds (step, shares [models, lengths]), measured while the models learned:",
            "# exact(model, *held_out).float().view(len(lengths), -1).mean(dim=1) for each of them",
            f"shares = [shares for step, shares in history if step <= {state.step}][-1]",
        ])


def where(length: float) -> str:
    """A length, or the two that it lies between."""
    return f"at {length:.0f} digits" if length == int(length) else f"between {floor(length)} and {ceil(length)} digits"
