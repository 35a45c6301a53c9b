"""ScheduleExplorer: how the learning rate moves from the first step to the last."""

from functools import partial
from inspect import signature

import torch

from attnlab.schedules import SCHEDULES

from .chart import Chart, curve, figure
from .controls import select, slider
from .explorer import Explorer
from .words import context, number, query, say

STEPS = 1000


class Curve(Chart):
    """A chart of one curve."""

    @property
    def heights(self) -> torch.Tensor:
        """[points] as they are seen now."""
        return torch.as_tensor(self._today()["data"][0]["y"])


class ScheduleExplorer(Explorer):
    """The learning rate of every step of a training. The highest is the paper's, (width * warm-up) ** -0.5.

    `rates` is what the picture shows.
    """

    schedule = select(SCHEDULES, "inverse_root", help="how the rate moves; inverse_root is the paper's")
    warm_up = slider(100, 20, 400, step=20, label="warm-up steps", help="steps in which the rate rises")
    width = slider(64, 32, 512, step=32, help="the width of the model: wider ones get smaller rates")

    shows = {"rates": ("chart", "heights")}

    @property
    def rates(self) -> torch.Tensor:
        """One rate a step."""
        return self.result

    def views(self):
        steps = list(range(1, STEPS + 1))
        flat = curve([0.0] * STEPS, steps, "", "query", line_width=2.5)
        return {"chart": Curve(figure(flat, x="training step", y="learning rate", y_range=[0, 0.042], height=300))}

    def compute(self, state):
        move, highest = bound(state), (state.width * state.warm_up) ** -0.5
        return torch.tensor([highest * move(step, STEPS) for step in range(1, STEPS + 1)])

    def picture(self, state, result):
        return {"chart": {"traces": {"0": {"y": result}}}}

    def sentence(self, state, result):
        at = int(result.argmax()) + 1
        told = "It does not move: this schedule knows no warm-up. " if state.schedule == "constant" else ""
        if state.schedule == "cool_down":
            told = "It starts at full height: this schedule knows no warm-up. "
        return say(query(f"The highest rate, {number(float(result.max()), 4)}"), f", comes at step {at}. {told}",
                   "At the end ", context(number(float(result[-1]), 4)), " are left.")

    def code(self, state):
        warm = f", warmup={state.warm_up}" if takes_warm_up(state.schedule) else ""
        return "\n".join([
            "from functools import partial",
            "from attnlab.schedules import SCHEDULES",
            "",
            f'schedule = partial(SCHEDULES["{state.schedule}"]{warm})',
            f"highest = ({state.width} * {state.warm_up}) ** -0.5",
            f"rates = [highest * schedule(step, {STEPS}) for step in range(1, {STEPS + 1})]",
        ])


def takes_warm_up(name: str) -> bool:
    """Whether a schedule has a warm-up to choose."""
    return "warmup" in signature(SCHEDULES[name]).parameters


def bound(state):
    """The chosen schedule with the chosen warm-up."""
    schedule = SCHEDULES[state.schedule]
    return partial(schedule, warmup=state.warm_up) if takes_warm_up(state.schedule) else schedule
