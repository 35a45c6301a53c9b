"""CliffExplorer: how many strings several models get right, by length, at every moment of their training."""

import torch
from plotly.graph_objects import Scatter

from .chart import Chart, curve, figure, readable
from .controls import slider
from .explorer import Explorer
from .words import context, key, percent, say

END = 10_000  # a step beyond every training
HALF = 0.5


class Curves(Chart):
    """A chart of curves, each named where it falls: at their ends they all lie on top of each other."""

    @property
    def heights(self) -> torch.Tensor:
        """[curves, points] as they are seen now."""
        return torch.stack([torch.as_tensor(trace["y"]) for trace in self._today()["data"][:-1]])

    def still(self, axes):
        today = self._today()
        names = today["data"][-1]
        super().still(axes)
        for text in axes.texts:  # the names at the ends
            text.set_visible(False)
        for x, y, name in zip(names["x"], names["y"], names["text"], strict=True):
            if y is None:
                continue
            axes.annotate(readable(name), (x, y), (4, 4), textcoords="offset points", fontsize=9)
        axes.set_ylim(*today["layout"]["yaxis"]["range"])


class CliffExplorer(Explorer):
    """Curves of exact strings by length, one for each model. They grow while the models learn, and can be played again.

    history: a list of (step, shares [models, lengths]) that the training appends to; `refresh` shows the latest.
    names: of the models, the one that looks back last. lengths: of the strings. steps: of the whole training.
    """

    step = slider(END, 0, END, step=25, label="training step", help="the moment of the training that is shown")

    shows = {"shares": ("chart", "heights")}

    def __init__(self, history, names, lengths, steps, lock=None, **state):
        self.history, self.names, self.lengths, self.steps = history, list(names), list(lengths), steps
        super().__init__(lock=lock, **state)

    def __repr__(self):
        # Without the shares: they differ a little from one machine's training to the next.
        return f"CliffExplorer({', '.join(self.names)}; lengths {self.lengths[0]} to {self.lengths[-1]})"

    def views(self):
        shades = [*(0.4 + 0.6 * i / max(1, len(self.names) - 2) for i in range(len(self.names) - 1)), 1]
        curves = [
            curve([0.0] * len(self.lengths), self.lengths, name, "key" if name == self.names[-1] else "context",
                  opacity=shade, line_width=3, showlegend=True)
            for name, shade in zip(self.names, shades, strict=True)
        ]
        names = Scatter(x=[], y=[], text=[], mode="text", textposition="top right", hoverinfo="skip", cliponaxis=False)
        longest = self.lengths[-1]
        return {"chart": Curves(figure(
            *curves, names, x="digits in the string", y="share of strings that come back without a mistake",
            x_range=[self.lengths[0] - 0.2, longest + 0.3], y_range=[-0.02, 1.12], height=340,
            xaxis_dtick=2, yaxis_tickvals=[0, 0.5, 1],
        ))}

    def compute(self, state):
        return next(shares for step, shares in reversed(self.history) if step <= state.step)

    def falls(self, shares, level=HALF) -> float | None:
        """The length at which a curve falls below a level; None where it never does."""
        below = [i for i, share in enumerate(shares) if share < level]
        if not below:
            return None
        if below[0] == 0:
            return float(self.lengths[0])
        before, after = float(shares[below[0] - 1]), float(shares[below[0]])
        return self.lengths[below[0] - 1] + (before - level) / (before - after)

    def picture(self, state, result):
        levels = torch.linspace(0.3, 0.75, len(self.names)).tolist()  # one each, so that no name covers another
        places = [self.falls(shares, level) for shares, level in zip(result, levels, strict=True)]
        names = {
            "x": [self.lengths[-1] if place is None else place for place in places],
            "y": [self._height(place, shares, level)
                  for place, shares, level in zip(places, result, levels, strict=True)],
            "text": self.names, "textposition": ["top left" if place is None else "top right" for place in places],
        }
        traces = {str(i): {"y": shares} for i, shares in enumerate(result)}
        return {
            "chart": {"traces": {**traces, str(len(self.names)): names}},
            "controls": {"step": {"max": self.steps}},
        }

    def _height(self, place, shares, level) -> float | None:
        """How high the name of a curve stands; nowhere before the model has learned anything."""
        height = float(shares[-1] if place is None else min(level, shares[0]))
        return height if height > 0.1 else None

    def sentence(self, state, result):
        step = max(step for step, _ in self.history if step <= state.step)
        *fixed, back = ((name, self.falls(shares)) for name, shares in zip(self.names, result, strict=True))
        told = [f"{name} at {place:.0f}" for name, place in fixed if place and place > self.lengths[0]]
        brought = f" brings back {percent(float(result[-1][-1]))} of the strings with {self.lengths[-1]} digits."
        if not told:
            return say(f"Step {step}. ", context("No vector"), " brings back half of the strings of any length yet; ",
                       key(back[0]), brought)
        return say(f"Step {step}. Half of the strings get lost, with ", context(", ".join(told)), " digits; ",
                   key(back[0]), brought)

    def code(self, state):
        return "\n".join([
            "# history holds (step, shares [models, lengths]), measured while the models learned:",
            "# exact(model, *held_out).float().view(len(lengths), -1).mean(dim=1) for each of them",
            f"shares = [shares for step, shares in history if step <= {state.step}][-1]",
        ])
