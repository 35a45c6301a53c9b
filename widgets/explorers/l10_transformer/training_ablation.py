"""Trainings with and without label smoothing and dropout, from few sentences and from many."""

from collections.abc import Callable
from itertools import product
from statistics import fmean

from attnlab.analysis import Run, factor_effects
from widgets.base.controls import choice, switch
from widgets.base.explorer import Explorer
from widgets.base.words import context, number, percent, say
from widgets.instruments.chart.chart import Chart, curve, figure

PARTS = ("smoothing", "dropout")
RECIPES = {(False, False): "neither", (True, False): "smoothing", (False, True): "dropout", (True, True): "both"}
DASHES = ("solid", "dash", "dot", "dashdot")
SENTENCES = ("300", "20,000")
SEEDS = 3


class TrainingAblationExplorer(Explorer):
    """What label smoothing and dropout do to a training, each by its switch, with few sentences and with many.

    runs: {"300" or "20,000" sentences: {(smoothing, dropout): [Run, one for each of three seeds]}}, all measured at the
    same steps. A curve is the mean of the seeds; of the chosen recipe each seed is drawn, too.
    """

    sentences = choice(SENTENCES, label="sentences to learn from", help="how many sentences the training has")
    smoothing = switch(False, label="label smoothing", help="a tenth of the label is spread over all words")
    dropout = switch(False, help="a tenth of what every part adds is dropped while it learns")

    shows = {"chosen": lambda parts: parts["chart"].trace("chosen")["y"]}

    def __init__(self, runs, lock=None, **state) -> None:
        wanted = set(product(SENTENCES, RECIPES))
        given = {(sentences, recipe) for sentences, some in runs.items() for recipe in some}
        if missing := wanted - given:
            raise ValueError(f"expected runs for all of {len(wanted)} trainings, got none for {sorted(missing)}")
        self.runs = runs
        super().__init__(lock=lock, **state)

    def effects(self, sentences: str, name: str, measure: Callable[[Run], float]) -> list[float]:
        """What turning one switch on adds to the seeds' mean of `measure(run)`, without and with the other switch."""
        means = {recipe: fmean([measure(run) for run in some]) for recipe, some in self.runs[sentences].items()}
        return factor_effects(means, PARTS.index(name))

    def views(self) -> dict:
        steps = self.runs[SENTENCES[0]][False, False][0].steps
        flat = [0.0] * len(steps)
        others = [
            curve(flat, steps, name, "plain", line_width=1.5, line_dash=dash)
            for name, dash in zip(RECIPES.values(), DASHES, strict=True)
        ]
        seeds = [curve(flat, steps, "", "context", line_width=1, opacity=0.5, hoverinfo="skip") for _ in range(SEEDS)]
        chosen = curve(flat, steps, "chosen", "context", line_width=3.5)
        axes = {"x": "training step", "y": "held-out sentences exact", "y_range": [-0.02, 1.05]}
        return {"chart": Chart(figure(*others, *seeds, chosen, height=320, **axes))}

    def compute(self, state) -> list[Run]:
        return self.runs[state.sentences][state.smoothing, state.dropout]

    def picture(self, state, result) -> dict:
        chosen = state.smoothing, state.dropout
        traces = {
            str(i): {"y": course(self.runs[state.sentences][recipe]), "visible": recipe != chosen}
            for i, recipe in enumerate(RECIPES)
        }
        traces |= {str(len(RECIPES) + i): {"y": run.exact} for i, run in enumerate(result)}
        traces[str(len(RECIPES) + SEEDS)] = {"y": course(result), "name": f"{RECIPES[chosen]}, chosen"}
        return {"chart": {"traces": traces}}

    def sentence(self, state, result) -> list:
        recipe, ends = (state.smoothing, state.dropout), [run.exact[-1] for run in result]
        words: list = [
            context("This recipe"),
            f", {state.sentences} sentences: {percent(fmean(ends))} of those held out exact ({percent(min(ends))} to "
            f"{percent(max(ends))}), {number(fmean([run.loss for run in result]))} nats a token. One switch the other "
            "way: ",
        ]
        for at, name in enumerate(PARTS):
            other = self.runs[state.sentences][(*recipe[:at], not recipe[at], *recipe[at + 1 :])]
            way = "without" if recipe[at] else "with"
            words.append(f"{way} {name} {percent(course(other)[-1])}{'.' if at else ', '}")
        return say(*words)

    def code(self, state) -> str:
        return "\n".join([
            "# runs holds the trainings, three seeds of each",
            f"seeds = runs[{state.sentences!r}][{state.smoothing}, {state.dropout}]",
            "chosen = [sum(each) / len(each) for each in zip(*(run.exact for run in seeds))]",
        ])


def course(runs: list[Run]) -> list[float]:
    """The mean of several trainings at each time of measuring."""
    return [fmean(each) for each in zip(*(run.exact for run in runs), strict=True)]
