"""Roll-out beside what it wants to tell: the patches that a ViT has read from, and those that the answer needs."""

from typing import NamedTuple

import torch
from torch import Tensor

from attnlab.analysis import PatchMaps, agreement, patch_maps
from widgets.base.controls import choice
from widgets.base.words import context, key, number, query, row_and_column, say
from widgets.explorers.l15_vision_transformer.digit_of import ONE_DIGIT, DigitExplorer, paper
from widgets.instruments.chart.chart import Chart, bars, figure
from widgets.instruments.picture.picture import Picture, side_by_side

NAMES = {"rollout": "roll-out", "last_layer": "last layer's weights", "ink": "ink, no model"}

COVERS = {"paper": 0.0, "grey": 0.5}


class Compared(NamedTuple):
    """maps: of the digit, [1, patches] each. own: their rank correlation with the effect."""

    maps: PatchMaps
    own: dict[str, float]


class RolloutEffectExplorer(DigitExplorer):
    """The measured effect of covering each patch, beside maps that need no covering; below, how well they agree.

    model: a ViT for pictures of one channel. many: over so many held-out digits the agreement is counted.
    """

    cover = choice([*COVERS], label="cover with", help="what stands in the place of a covered patch")

    shows = {
        "effect": lambda parts: parts["effect"].shown,
        "rollout": lambda parts: parts["maps"].shown[0],
        "means": lambda parts: parts["chart"].trace(0)["y"],
    }
    row = ("effect", "maps")
    many = 200

    def __init__(self, model, digits, lock=None, **state) -> None:
        self.model = model
        self.side = digits.images.shape[-1] // model.embed.size
        super().__init__(digits, lock=lock, **state)

    @property
    def maps(self) -> PatchMaps:
        """Of the digit that is shown, [1, patches] each."""
        return self.result.maps

    def over_many(self, cover: str) -> dict[str, Tensor]:
        """The rank correlation with the effect of each map, digit by digit; kept until the model learns."""
        if cover not in self._known:
            images = self.digits.images[: self.many].unsqueeze(1)
            self._known[cover] = agreement(patch_maps(self.model, images, COVERS[cover]))
        return self._known[cover]

    def views(self) -> dict:
        blank, nothing = torch.ones(28, 28), [0.0] * len(NAMES)
        names = list(NAMES.values())
        return {
            "effect": Picture(
                blank,
                grid=[self.side] * 2,
                scale="scores",
                measure="effect",
                titles=["measured effect"],
                side=170,
                layout={"flex": "0 0 200px"},
            ),
            "maps": Picture(
                side_by_side(*[blank] * 3),
                grid=[self.side] * 2,
                measure="share",
                titles=names,
                side=170,
                layout={"flex": "1 1 440px", "min_width": "0"},
            ),
            "chart": Chart(
                figure(
                    bars(nothing, names, "mean of the held-out digits", "key"),
                    bars(nothing, names, "this digit", "query"),
                    y="rank correlation with the effect",
                    y_range=[-0.6, 1],
                    height=260,
                    barmode="group",
                    legend={"orientation": "h", "y": 1.2, "x": 0},
                )
            ),
        }

    def compute(self, state) -> Compared:
        maps = patch_maps(self.model, self.chosen(state), COVERS[state.cover])
        return Compared(maps, {name: float(found[0]) for name, found in agreement(maps).items()})

    def picture(self, state, result) -> dict:
        image = paper(self.chosen(state))
        grids = [self._grid(getattr(result.maps, name)) for name in NAMES]
        many = self.over_many(state.cover)
        deviations = [float(many[name].std()) for name in NAMES]
        return {
            "controls": self.most,
            "effect": {"image": image, "weights": self._grid(result.maps.effect)},
            "maps": {
                "image": side_by_side(*[image] * 3),
                "weights": side_by_side(*(grid / grid.amax().clamp(min=1e-9) for grid in grids)),
            },
            "chart": {
                "traces": {
                    "0": {
                        "y": [float(many[name].mean()) for name in NAMES],
                        "error_y": {"type": "data", "array": deviations},
                    },
                    "1": {"y": [result.own[name] for name in NAMES]},
                }
            },
        }

    def _grid(self, patches: Tensor) -> Tensor:
        return patches[0].unflatten(0, (self.side, self.side))

    def sentence(self, state, result) -> list:
        costly = row_and_column(*divmod(int(result.maps.effect.argmax()), self.side))
        fall = float(result.maps.effect.max())
        first = (
            [f"To cover {costly} with {state.cover} costs most: the answer's logit falls by ", context(number(fall))]
            if fall > 0
            else [
                f"No cover with {state.cover} makes the answer's logit fall; {costly} raises it least, by ",
                context(number(-fall)),
            ]
        )
        many = self.over_many(state.cover)
        count = len(many["rollout"])
        mean = {name: number(float(found.mean())) for name, found in many.items()}
        spread = {name: number(float(found.std())) for name, found in many.items()}
        return say(
            *first,
            ". Ranked against the measured effect, ",
            query(f"roll-out agrees {number(result.own['rollout'])}"),
            " on this digit; over ",
            f"{count} held-out digits ",
            key(mean["rollout"]),
            f" (deviation {spread['rollout']}), the last layer's weights {mean['last_layer']} "
            f"({spread['last_layer']}), and the ink alone {mean['ink']} ({spread['ink']}).",
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab.analysis import agreement, patch_maps",
            "",
            ONE_DIGIT.format(state.digit - 1),
            f"maps = patch_maps(model, image, cover={COVERS[state.cover]})",
            f"effect = maps.effect[0].unflatten(0, ({self.side}, {self.side}))",
            f"rollout = maps.rollout[0].unflatten(0, ({self.side}, {self.side}))",
            "rollout = rollout / rollout.max()  # as shown: the largest is 1",
            f"many = agreement(patch_maps(model, digits.images[:{self.many}, None], cover={COVERS[state.cover]}))",
            f"means = [many[name].mean() for name in {[*NAMES]}]",
        ])
