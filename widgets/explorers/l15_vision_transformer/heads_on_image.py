"""Every head of a ViT over the digit that it reads: what does the class token, or a patch, look at?"""

from typing import NamedTuple

import torch
from torch import Tensor

from attnlab import record
from widgets.base.asking_patch import AskingPatch, Grid, clicked_patch, who_asks
from widgets.base.controls import stepper
from widgets.base.words import context, key, number, percent, query, row_and_column, say
from widgets.explorers.l15_vision_transformer.digit_of import ONE_DIGIT, DigitExplorer, paper
from widgets.instruments.picture.picture import Picture, side_by_side


class Maps(NamedTuple):
    """maps: [heads, rows, columns] of the query. kept: [heads], its weight on the class token. chances: [classes]."""

    maps: Tensor
    kept: Tensor
    chances: Tensor


class HeadsOnImageExplorer(AskingPatch, DigitExplorer):
    """One map a head, of one block; the query is the class token, or the patch that was clicked.

    model: a ViT for pictures of one channel.
    """

    block = stepper(1, 1, None, help="which block, from the picture upwards")
    asks, cell = who_asks(), clicked_patch("maps")

    shows = {"maps": lambda parts: parts["maps"].shown}

    def __init__(self, model, digits, lock=None, **state) -> None:
        self.model = model
        self.heads = model.blocks[0].attention.heads
        self.side = digits.images.shape[-1] // model.embed.size
        super().__init__(digits, lock=lock, **state)

    @property
    def maps(self) -> Tensor:
        """[heads, rows, columns]."""
        return self.result.maps

    def views(self) -> dict:
        names = [f"head {head + 1}" for head in range(self.heads)]
        blank = side_by_side(*[torch.ones(28, 28)] * self.heads)
        return {"maps": Picture(blank, grid=[self.side, self.side], titles=names, side=170)}

    def grid(self) -> Grid:
        return Grid(1, self.side, self.side)

    @torch.no_grad()
    def compute(self, state) -> Maps:
        image, token = self.chosen(state), self.token(state)
        if state.block > len(self.model.blocks):
            raise ValueError(f"expected a block from 1 to {len(self.model.blocks)}, got {state.block}")
        with record(self.model) as trace:
            chances = self.model(image)[0].softmax(-1)
        read = trace[trace.names[state.block - 1]][0].weights[0, :, token]
        maps = read[:, 1:].unflatten(1, (self.side, self.side))
        return Maps(maps, read[:, 0], chances)

    def picture(self, state, result) -> dict:
        image = paper(self.chosen(state))
        return {
            "controls": {**self.most, "block": {"max": len(self.model.blocks)}},
            "maps": {
                "image": side_by_side(*[image] * self.heads),
                "weights": result.maps[None],
                "selected": self.asking(state) if self.token(state) else [],
            },
        }

    def sentence(self, state, result) -> list:
        even, most = 1 / (self.side**2 + 1), int(result.maps.flatten(1).amax(1).argmax())
        sharpest = divmod(int(result.maps[most].argmax()), self.side)
        best = int(result.chances.argmax())
        asking = row_and_column(*self.asking(state)[1:]).capitalize() if self.token(state) else "The class token"
        kept = [number(float(share)) for share in result.kept]
        return say(
            query(asking),
            f" in block {state.block}: head {most + 1} looks most sharply, ",
            key(percent(float(result.maps[most].max()))),
            f" at {row_and_column(*sharpest)} (even weights would be {percent(even)}). On the class token lie ",
            ", ".join(kept),
            f" of the heads' weight. The answer: {best}, ",
            context(percent(float(result.chances[best]))),
            f" sure; the label says {self.label(state)}.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab.analysis import head_weights",
            "",
            ONE_DIGIT.format(state.digit - 1),
            f"read = head_weights(model, image)[0, {state.block - 1}, :, {self.token(state)}]  # [heads, tokens]",
            f"maps = read[:, 1:].unflatten(1, ({self.side}, {self.side}))  # without the class token",
        ])
