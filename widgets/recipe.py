"""RecipeExplorer: trainings with and without warm-up, label smoothing and dropout, side by side."""

from itertools import product
from typing import NamedTuple

import torch

from .chart import Chart, curve, figure
from .controls import switch
from .explorer import Explorer
from .words import context, number, percent, say

PARTS = ("warm_up", "smoothing", "dropout")


class Run(NamedTuple):
    """One training. steps: when it was measured. exact: the share of held-out sentences right, then. loss: at the end,
    the plain cross-entropy on held-out sentences, in nats a token."""

    steps: list[int]
    exact: list[float]
    loss: float


class Recipes(Chart):
    """A chart of one chosen curve before others."""

    @property
    def chosen(self) -> torch.Tensor:
        """[points] of the chosen curve."""
        return torch.as_tensor(self._today()["data"][-1]["y"])


class RecipeExplorer(Explorer):
    """What warm-up, label smoothing and dropout do to a training, each by its switch.

    runs: {(warm_up, smoothing, dropout): Run}, all eight, measured at the same steps.
    """

    warm_up = switch(False, label="warm-up", help="the rate rises over the first steps; without, it is high at once")
    smoothing = switch(False, label="label smoothing", help="a tenth of the label is spread over all words")
    dropout = switch(False, help="a tenth of what every part adds is dropped while it learns")

    shows = {"chosen": ("chart", "chosen")}

    def __init__(self, runs, lock=None, **state):
        if missing := set(product((False, True), repeat=3)) - runs.keys():
            raise ValueError(f"expected a run for each of the eight recipes, got none for {sorted(missing)}")
        self.runs = runs
        super().__init__(lock=lock, **state)

    def __repr__(self):
        # Without the numbers: they differ a little from one machine's training to the next.
        return f"RecipeExplorer({', '.join(PARTS)}: {len(self.runs)} trainings)"

    @property
    def switches(self) -> tuple:
        """The names of the switches."""
        return PARTS

    def effects(self, name: str, measure) -> list[float]:
        """What turning one switch on adds to `measure(run)`, in each of the four settings of the two others."""
        at = PARTS.index(name)
        pairs = [(recipe, (*recipe[:at], True, *recipe[at + 1:])) for recipe in self.runs if not recipe[at]]
        return [measure(self.runs[on]) - measure(self.runs[off]) for off, on in pairs]

    def views(self):
        some = next(iter(self.runs.values()))
        faint = [curve(run.exact, run.steps, line_color="#A6A6A6", line_width=1.2, hoverinfo="skip")
                 for run in self.runs.values()]
        chosen = curve(some.exact, some.steps, "chosen", "context", line_width=3)
        top = max(max(run.exact) for run in self.runs.values())
        return {"chart": Recipes(figure(*faint, chosen, x="training step", y="held-out sentences exact",
                                        y_range=[-0.02, 1.15 * top + 0.02], height=320))}

    def compute(self, state):
        return self.runs[self._recipe(state)]

    def _recipe(self, state) -> tuple:
        return tuple(getattr(state, name) for name in PARTS)

    def picture(self, state, result):
        return {"chart": {"traces": {str(len(self.runs)): {"y": result.exact}}}}

    def sentence(self, state, result):
        recipe = self._recipe(state)
        told = [context("This recipe"), f": {percent(result.exact[-1])} of held-out sentences exact, "
                f"{number(result.loss)} nats a token. One switch the other way: "]
        for at, name in enumerate(PARTS):
            other = self.runs[(*recipe[:at], not recipe[at], *recipe[at + 1:])]
            way = "without" if recipe[at] else "with"
            told.append(f"{way} {name.replace('_', '-')} {percent(other.exact[-1])}{'.' if at == 2 else ', '}")
        return say(*told)

    def code(self, state):
        return "\n".join([
            "# runs holds the eight trainings",
            f"{', '.join(PARTS)} = {', '.join(map(str, self._recipe(state)))}",
            f"chosen = runs[{', '.join(PARTS)}].exact",
        ])
