"""REINFORCE with and without a baseline: how far its gradients scatter, on the same pictures."""

from typing import NamedTuple

from torch import Generator, Tensor, cat

from attnlab.analysis.images.gaze_gradients import GazeGradients, along_and_across, gaze_gradients, spread
from attnlab.tasks.cluttered_digits import Canvases
from attnlab.vision.glimpses import RecurrentAttention, log_probability_of_right, right_or_wrong
from widgets.base.controls import choice, slider
from widgets.base.explorer import Explorer
from widgets.base.words import key, number, one_or_more, query, say
from widgets.explorers.l14_glimpses.looks import check_canvases
from widgets.instruments.chart.chart import Chart, figure, points

REWARDS = {"ln p of the right digit": log_probability_of_right, "1 if right, else 0": right_or_wrong}
DRAWS, BATCH, MOST, NOISE = 64, 32, 8, 0.2


class Clouds(NamedTuple):
    """Gradients as points, [estimates, 2] each, and their variances. mean: the length of the mean of all. signal: the
    squared length of the mean of all with the baseline; left: what noise alone would give it on average. limit: of the
    axes, the same for every number of draws."""

    without: Tensor
    steadied: Tensor
    variance_without: float
    variance_steadied: float
    mean: float
    signal: float
    left: float
    limit: float


class Drawn(NamedTuple):
    """The gradients of all draws. points: along and across their mean, those without a baseline first."""

    gradients: GazeGradients
    points: Tensor


class GazeGradientExplorer(Explorer):
    """Each point is the gradient of one step: once without a baseline, once with it, from the same draws.

    model: a `RecurrentAttention` that has learned for a while, its baseline too. canvases: the first 32 are the batch.
    """

    reward = choice(REWARDS, label="reward", help="what an answer earns")
    draws = slider(1, 1, MOST, label="draws a step", help="how many paths a picture each gradient is the mean of")

    shows = {"cloud": lambda parts: [parts["chart"].trace("with baseline")[axis] for axis in "xy"]}
    unstable = True

    def __init__(self, model: RecurrentAttention, canvases: Canvases, glimpses: int = 4, lock=None, **state) -> None:
        check_canvases(canvases)
        self.model, self.canvases, self.glimpses = model, canvases, glimpses
        super().__init__(lock=lock, **state)

    def views(self) -> dict:
        style = {"marker_size": 8, "marker_opacity": 0.75}
        return {
            "chart": Chart(
                figure(
                    points([0.0], [0.0], name="without baseline", role="query", **style),
                    points([0.0], [0.0], name="with baseline", role="key", marker_symbol="diamond", **style),
                    points([0.0], [0.0], name="mean of all", role="plain", marker={"size": 14, "symbol": "cross"}),
                    x="along the mean gradient",
                    y="across it, where they scatter most",
                    yaxis_scaleanchor="x",  # one length either way: what is scattered most looks so
                    height=360,
                    width=480,
                    showlegend=True,
                )
            )
        }

    def compute(self, state) -> Clouds:
        found, points = self._drawn(state.reward)
        without, steadied = points.split(DRAWS)
        mean, signal = float(cat(found).mean(0).norm()), float(found.steadied.mean(0).square().sum())
        scatter, steady = (spread(each) for each in found)
        orange, blue = (_means(each, state.draws) for each in (without, steadied))
        limit = 1.1 * max(float(points.abs().max()), 1e-6)
        return Clouds(orange, blue, scatter / state.draws, steady / state.draws, mean, signal, steady / DRAWS, limit)

    def _drawn(self, reward: str) -> Drawn:
        """Kept, since the same draws are averaged in every way."""
        if reward not in self._known:
            pictures, labels = self.canvases.pictures[:BATCH], self.canvases.labels[:BATCH]
            chance = Generator().manual_seed(0)
            found = gaze_gradients(self.model, pictures, labels, REWARDS[reward], NOISE, self.glimpses, DRAWS, chance)
            self._known[reward] = Drawn(found, along_and_across(cat(found)))
        return self._known[reward]

    def picture(self, state, result) -> dict:
        traces = {
            "without baseline": {"x": result.without[:, 0].double(), "y": result.without[:, 1].double()},
            "with baseline": {"x": result.steadied[:, 0].double(), "y": result.steadied[:, 1].double()},
            "mean of all": {"x": [result.mean], "y": [0.0]},
        }
        axes = {"xaxis": {"range": [-result.limit, result.limit]}, "yaxis": {"range": [-result.limit, result.limit]}}
        return {"chart": {"traces": traces, "figure_layout": axes}}

    def sentence(self, state, result) -> list:
        times = result.variance_without / max(result.variance_steadied, 1e-12)
        compare = f"{number(times, 1)} times less" if times >= 1 else f"{number(1 / times, 1)} times more"
        return say(
            f"With {one_or_more(state.draws, 'path')} a picture the gradients have a variance of ",
            query(number(result.variance_without)),
            " without a baseline, and of ",
            key(number(result.variance_steadied)),
            f" with it: {compare}. What should be learned is their mean. That of all {DRAWS} with the baseline has the "
            f"squared length {number(result.signal)}, of which noise alone would give {number(result.left)}.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab.analysis.images.gaze_gradients import along_and_across, gaze_gradients, spread",
            f"from attnlab.vision.glimpses import {REWARDS[state.reward].__name__} as reward",
            "",
            f"batch = canvases.pictures[:{BATCH}], canvases.labels[:{BATCH}]",
            "chance = torch.Generator().manual_seed(0)",
            f"found = gaze_gradients(model, *batch, reward, {NOISE}, {self.glimpses}, {DRAWS}, chance)",
            f"print(spread(found.without) / {state.draws}, spread(found.steadied) / {state.draws})",
            f"cloud = along_and_across(torch.cat(found))[{DRAWS}:]  # with the baseline",
            f"groups = cloud[:{DRAWS // state.draws * state.draws}].unflatten(0, (-1, {state.draws}))",
            "cloud = groups.mean(1).T",
        ])


def _means(points: Tensor, draws: int) -> Tensor:
    """[points, 2] -> the means of so many at a time; what is left over is left out."""
    return points[: len(points) // draws * draws].unflatten(0, (-1, draws)).mean(1)
