"""RaceExplorer: trainings of models of several depths, recorded, to be compared at one depth after the other."""

import math

import torch

from .chart import Chart, curve, figure
from .controls import slider
from .explorer import Explorer
from .words import say

ROLES = ("context", "query", "value", "key")


class Races(Chart):
    """A chart of curves of one length."""

    @property
    def heights(self) -> torch.Tensor:
        """[curves, steps] as they are seen now."""
        return torch.stack([torch.as_tensor(trace["y"]) for trace in self._today()["data"]])


class RaceExplorer(Explorer):
    """The losses of several ways to train, at the depth that is chosen.

    runs: {way: {depth: losses, one a step}}, all ways at the same depths, which lie equally far apart.
    steps: of the longest training. learned: the loss at which a training was ended, because it had succeeded.
    """

    shows = {"losses": ("chart", "heights")}

    def __init__(self, runs, steps, learned, lock=None, **state):
        self.runs, self.steps, self.learned = runs, steps, learned
        super().__init__(lock=lock, **state)

    depth = slider(12, 3, 12, step=3, help="how many blocks the models have")

    def __repr__(self):
        # Without the steps: they differ a little from one machine's training to the next.
        return f"RaceExplorer({', '.join(self.runs)}; depths {', '.join(map(str, next(iter(self.runs.values()))))})"

    def views(self):
        x = list(range(1, self.steps + 1))
        curves = [curve([0.0] * self.steps, x, name, role, line_width=2.5)
                  for name, role in zip(self.runs, ROLES, strict=False)]
        return {"chart": Races(figure(*curves, x="training step", y="loss", y_range=[-0.15, 3.6], height=330))}

    def compute(self, state):
        losses = torch.full((len(self.runs), self.steps), math.nan)
        for row, runs in zip(losses, self.runs.values(), strict=True):
            row[: len(runs[state.depth])] = torch.as_tensor(runs[state.depth])
        return losses

    def picture(self, state, result):
        return {"chart": {"traces": {str(i): {"y": losses} for i, losses in enumerate(result)}}}

    def sentence(self, state, result):
        told = [f"{state.depth} blocks. "]
        for name, runs in self.runs.items():
            losses = runs[state.depth]
            colour = ROLES[list(self.runs).index(name)]
            done = sum(losses[-10:]) / 10 < self.learned
            told += [[name, colour], f": {f'learned in {len(losses)} steps' if done else 'not learned'}. "]
        return say(*told)

    def code(self, state):
        return "\n".join([
            "# runs holds the loss of every step, for each way and each depth",
            "import torch",
            "from torch.nn.utils.rnn import pad_sequence",
            "",
            f"losses = [torch.as_tensor(found[{state.depth}]) for found in runs.values()]",
            f"losses.append(torch.zeros({self.steps}))  # as long as the picture is wide",
            "losses = pad_sequence(losses, batch_first=True, padding_value=torch.nan)[:-1]",
        ])
