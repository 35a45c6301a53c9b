"""How the learning rate moves from the first step of a training to the last."""

from functools import partial
from inspect import signature

import torch

from attnlab.schedules import SCHEDULES, Schedule
from widgets.base.controls import select, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, number, query, say
from widgets.instruments.chart.chart import Chart, curve, figure

STEPS = 1000


class LearningRateScheduleExplorer(Explorer):
    """The learning rate of every step of a training. The highest is the paper's, (width * warm-up) ** -0.5.

    `rates` is what the picture shows.
    """

    schedule = select(SCHEDULES, "inverse_root", help="how the rate moves; inverse_root is the paper's")
    warm_up = slider(100, 20, 400, step=20, label="warm-up steps", help="steps in which the rate rises")
    width = slider(64, 32, 512, step=32, help="the width of the model: wider ones get smaller rates")

    shows = {"rates": lambda parts: parts["chart"].trace(0)["y"]}

    @property
    def rates(self) -> torch.Tensor:
        """One rate a step."""
        return self.result

    def views(self) -> dict:
        steps = list(range(1, STEPS + 1))
        flat = curve([0.0] * STEPS, steps, "", "query", line_width=2.5)
        return {"chart": Chart(figure(flat, x="training step", y="learning rate", y_range=[0, 0.042], height=300))}

    def compute(self, state) -> torch.Tensor:
        schedule, highest = chosen_schedule(state), (state.width * state.warm_up) ** -0.5
        return torch.tensor([highest * schedule(step, STEPS) for step in range(1, STEPS + 1)])

    def picture(self, state, result) -> dict:
        return {"chart": {"traces": {"0": {"y": result}}}}

    def sentence(self, state, result) -> list:
        at = int(result.argmax()) + 1
        start = {
            "constant": "It does not move: this schedule knows no warm-up. ",
            "cool_down": "It starts at full height: this schedule knows no warm-up. ",
        }.get(state.schedule, "")
        left = float(result[-1])
        return say(
            query(f"The highest rate, {number(float(result.max()), 4)}"),
            f", comes at step {at}. {start}",
            "At the end ",
            context(number(left, 4) if left >= 0.00005 else "less than 0.0001"),
            " is left.",
        )

    def code(self, state) -> str:
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


def chosen_schedule(state) -> Schedule:
    """The schedule with its warm-up, where it has one."""
    lengths = {"warmup": state.warm_up} if takes_warm_up(state.schedule) else {}
    return partial(SCHEDULES[state.schedule], **lengths)
