"""Patches of a digit exchanged by hand: does the answer follow, with positions and without them?"""

from math import ceil
from typing import NamedTuple

import torch
from torch import Tensor
from traitlets import observe

from attnlab.analysis import right_when_shuffled, shuffled
from widgets.base.controls import button, held
from widgets.base.words import a_digit, context, key, number, percent, query, say
from widgets.explorers.l15_vision_transformer.digit_of import ONE_DIGIT, DigitExplorer, paper
from widgets.instruments.chart.chart import Chart, bars, figure
from widgets.instruments.picture.picture import Picture

CLASSES = list("0123456789")


class Shuffled(NamedTuple):
    """chances, before: [models, classes] now, and with all patches at their place. right: of many digits in the same
    order, the share that each model names right. moved: how many patches have left their place."""

    chances: Tensor
    before: Tensor
    right: list[float]
    moved: int


class ShuffledPatchesExplorer(DigitExplorer):
    """Drag a patch onto another to exchange them; the bars are the probabilities of the ten digits.

    models: {name: ViT} of one patch size, the first with positions, the second without.
    many: as many held-out digits are brought into the same order, and counted.
    """

    shuffle = button(label="shuffle all", help="brings all patches into another order, at random")
    order = held([], help="which patch stands at each place; [] as given", follows=("patches", "order"))

    shows = {"chances": lambda parts: [parts["chart"].trace(i)["y"] for i in range(2)]}
    row = ("patches", "chart")
    many = 200

    def __init__(self, models, digits, lock=None, **state) -> None:
        self.models = dict(models)
        self.size = next(iter(self.models.values())).embed.size
        self.side = digits.images.shape[-1] // self.size
        super().__init__(digits, lock=lock, **state)

    @property
    def chances(self) -> Tensor:
        """[models, 10], the probabilities of the digits."""
        return self.result.chances

    def views(self) -> dict:
        nothing = [0.0] * len(CLASSES)
        roles = ["query", "key"]
        return {
            "patches": Picture(
                torch.ones(28, 28), grid=[self.side, self.side], editing="order", side=300, layout={"flex": "0 0 330px"}
            ),
            "chart": Chart(
                figure(
                    *(bars(nothing, CLASSES, name, role) for name, role in zip(self.models, roles, strict=True)),
                    x="digit",
                    y="probability",
                    y_range=[0, 1],
                    height=330,
                    barmode="group",
                    legend={"orientation": "h", "y": 1.2, "x": 0},
                    xaxis={"type": "category"},
                ),
                layout={"flex": "1 1 320px", "min_width": "0"},
            ),
        }

    @observe("shuffle")
    def _shuffle(self, change) -> None:
        drawn = torch.randperm(self.side**2, generator=torch.Generator().manual_seed(change.new)).tolist()
        self.set_state({"order": drawn if change.new else []})

    def in_order(self, state) -> list[int]:
        """The patch at each place."""
        return list(state.order) or list(range(self.side**2))

    @torch.no_grad()
    def compute(self, state) -> Shuffled:
        image, order = self.chosen(state), self.in_order(state)
        now = torch.cat([model(shuffled(image, self.size, order)) for model in self.models.values()])
        before = torch.cat([model(image) for model in self.models.values()])
        moved = sum(patch != place for place, patch in enumerate(order))
        return Shuffled(now.softmax(-1), before.softmax(-1), self._right(order), moved)

    def _right(self, order: list[int]) -> list[float]:
        """Of many digits in this order; the last order's is kept, since every digit asks for it."""
        if tuple(order) not in self._known:
            images, labels = self.digits.images[: self.many].unsqueeze(1), self.digits.labels[: self.many]
            right = [right_when_shuffled(model, images, labels, self.size, order) for model in self.models.values()]
            self._known = {tuple(order): right}
        return self._known[tuple(order)]

    def picture(self, state, result) -> dict:
        traces = {str(i): {"y": chances} for i, chances in enumerate(result.chances)}
        return {
            "controls": self.most,
            "patches": {"image": paper(self.chosen(state)), "order": list(state.order)},
            "chart": {"traces": traces},
        }

    def sentence(self, state, result) -> list:
        start = f"{result.moved} of {self.side**2} patches have moved. " if result.moved else "All patches in place. "
        runs: list = [start]
        for name, role, chances, before in zip(self.models, (query, key), result.chances, result.before, strict=True):
            best = int(chances.argmax())
            change = float((chances - before).abs().max())
            runs += [role(f"{name[0].upper()}{name[1:]}"), " it reads ", context(a_digit(best))]
            runs += [f", {percent(float(chances[best]))} sure"]
            bound = number(ceil(100 * change) / 100)
            same = "the same to 5 decimals" if change < 5e-6 else f"no bar has changed by more than {bound}"
            runs += [f"; {same}. " if result.moved else ". "]
        shares = ", ".join(f"{percent(share)} {name}" for name, share in zip(self.models, result.right, strict=True))
        many = min(self.many, len(self.digits.images))
        return say(*runs, f"Of {many} held-out digits in this order they name right: {shares}.")

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab.analysis import shuffled",
            "",
            ONE_DIGIT.format(state.digit - 1),
            f"order = {self.in_order(state)}",
            f"now = shuffled(image, {self.size}, order)",
            "with torch.no_grad():",
            "    chances = torch.cat([model(now).softmax(-1) for model in models.values()])  # [models, digits]",
        ])
