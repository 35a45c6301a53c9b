"""Trainings with and without warm-up, label smoothing and dropout, side by side."""

from collections.abc import Callable
from itertools import product

from attnlab.analysis import Run, factor_effects
from widgets.base.controls import switch
from widgets.base.explorer import Explorer
from widgets.base.words import context, number, percent, say
from widgets.instruments.chart.chart import Chart, curve, figure

PARTS = ("warm_up", "smoothing", "dropout")


class TrainingAblationExplorer(Explorer):
    """What warm-up, label smoothing and dropout do to a training, each by its switch.

    runs: {(warm_up, smoothing, dropout): Run}, all eight, measured at the same steps.
    """

    warm_up = switch(False, label="warm-up", help="the rate rises over the first steps; without, it is high at once")
    smoothing = switch(False, label="label smoothing", help="a tenth of the label is spread over all words")
    dropout = switch(False, help="a tenth of what every part adds is dropped while it learns")

    shows = {"chosen": lambda parts: parts["chart"].trace("chosen")["y"]}
    unstable = True

    def __init__(self, runs, lock=None, **state) -> None:
        if missing := set(product((False, True), repeat=3)) - runs.keys():
            raise ValueError(f"expected a run for each of the eight recipes, got none for {sorted(missing)}")
        self.runs = runs
        super().__init__(lock=lock, **state)

    @property
    def switches(self) -> tuple[str, ...]:
        """The names of the switches."""
        return PARTS

    def effects(self, name: str, measure: Callable[[Run], float]) -> list[float]:
        """What turning one switch on adds to `measure(run)`, in each of the four settings of the two others."""
        return factor_effects({recipe: measure(run) for recipe, run in self.runs.items()}, PARTS.index(name))

    def views(self) -> dict:
        some = next(iter(self.runs.values()))
        faint = [
            curve(run.exact, run.steps, line_color="#A6A6A6", line_width=1.2, hoverinfo="skip")
            for run in self.runs.values()
        ]
        chosen = curve(some.exact, some.steps, "chosen", "context", line_width=3)
        top = max(max(run.exact) for run in self.runs.values())
        return {
            "chart": Chart(
                figure(
                    *faint,
                    chosen,
                    x="training step",
                    y="held-out sentences exact",
                    y_range=[-0.02, 1.15 * top + 0.02],
                    height=320,
                )
            )
        }

    def compute(self, state) -> Run:
        return self.runs[self._recipe(state)]

    def _recipe(self, state) -> tuple[bool, ...]:
        return tuple(getattr(state, name) for name in PARTS)

    def picture(self, state, result) -> dict:
        return {"chart": {"traces": {str(len(self.runs)): {"y": result.exact}}}}

    def sentence(self, state, result) -> list:
        recipe = self._recipe(state)
        runs: list = [
            context("This recipe"),
            f": {percent(result.exact[-1])} of held-out sentences exact, "
            f"{number(result.loss)} nats a token. One switch the other way: ",
        ]
        for at, name in enumerate(PARTS):
            other = self.runs[(*recipe[:at], not recipe[at], *recipe[at + 1 :])]
            way = "without" if recipe[at] else "with"
            runs.append(f"{way} {name.replace('_', '-')} {percent(other.exact[-1])}{'.' if at == 2 else ', '}")
        return say(*runs)

    def code(self, state) -> str:
        return "\n".join([
            "# runs holds the eight trainings",
            f"{', '.join(PARTS)} = {', '.join(map(str, self._recipe(state)))}",
            f"chosen = runs[{', '.join(PARTS)}].exact",
        ])
