"""Any model of pictures on a picture of yours: what the class token, or a patch, looks at, and which patches are like
it."""

from typing import NamedTuple

import torch
from torch import Tensor

from attnlab.analysis import SeenImage, cosine_similarities, see_image
from attnlab.checks import check_pixels
from attnlab.vision.middle import middle
from widgets.base.asking_patch import PATCH, AskingPatch, Grid, clicked_patch, who_asks
from widgets.base.controls import stepper
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, percent, query, row_and_column, say
from widgets.instruments.picture.picture import Picture

SIDE = 120  # pixels of one head's picture: six stand in a row


class ImageMaps(NamedTuple):
    """maps: [heads, rows, columns], of the query. alike: [rows, columns], cosines."""

    maps: Tensor
    alike: Tensor


class ImageExplorer(AskingPatch, Explorer):
    """Each head's weights over a picture, for one layer; the query is the class token, or the patch that was clicked.

        ImageExplorer(model, image)
        ImageExplorer(viewer.encoder, photograph, viewer.prepare)  # viewer = attnlab.real.dinov2()

    model: as for `attnlab.analysis.see_image`. image: [height, width, 3] or [height, width], numbers from 0 to 1.
    prepare: makes of it what the model takes, [1, channels, height, width], of the middle where that has another form.
    Without it the model takes the image as it is. ValueError for an image of another shape or of other numbers.
    `maps`: [heads, rows, columns], of the query. `alike`: [rows, columns], the cosines of the vector that the model
    makes of the query's token with those that it makes of the patches.
    """

    layer = stepper(1, 1, None, help="which layer, from the picture upwards")
    asks, cell = who_asks(), clicked_patch("maps")

    shows = {"maps": lambda parts: parts["maps"].shown, "alike": lambda parts: parts["alike"].shown[0]}
    unstable = True

    def __init__(self, model, image, prepare=None, lock=None, **state) -> None:
        try:
            image = torch.as_tensor(image)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ValueError(f"expected an image [height, width, 3] or [height, width]: {error}") from None
        if image.ndim not in (2, 3) or image.shape[2:] not in ((), (3,)) or not image.numel():
            raise ValueError(f"expected an image [height, width, 3] or [height, width], got {list(image.shape)}")
        check_pixels(image, "image")
        channels = torch.atleast_3d(image.float()).permute(2, 0, 1).unsqueeze(0)
        self.model, self.prepared = model, prepare is not None
        self.taken = prepare(image) if prepare else channels
        self.drawn = middle(channels, *self.taken.shape[-2:])[0].permute(1, 2, 0).squeeze(-1)
        super().__init__(lock=lock, **state)

    @property
    def maps(self) -> Tensor:
        """[heads, rows, columns]."""
        return self.result.maps

    @property
    def alike(self) -> Tensor:
        """[rows, columns]."""
        return self.result.alike

    def views(self) -> dict:
        return {"maps": Picture(self.drawn, side=SIDE), "alike": Picture(self.drawn, limit=1.0, side=2 * SIDE)}

    # ---- the model

    def seen(self) -> SeenImage:
        """What it looked at, of all layers; kept until `refresh`."""
        if not self._known:
            self._known["seen"] = see_image(self.model, self.taken)
        return self._known["seen"]

    def grid(self) -> Grid:
        seen = self.seen()
        return Grid(seen.others, seen.rows, seen.columns)

    def compute(self, state) -> ImageMaps:
        seen, token = self.seen(), self.token(state)
        if state.layer > len(seen.weights):
            raise ValueError(f"expected a layer from 1 to {len(seen.weights)}, got {state.layer}")
        read = seen.weights[state.layer - 1][:, token, seen.others :]
        alike = cosine_similarities(seen.vectors)[token, seen.others :]
        return ImageMaps(*(part.float().unflatten(-1, (seen.rows, seen.columns)) for part in (read, alike)))

    # ---- the picture

    @staticmethod
    def full(result) -> float:
        """The weight in full light: the largest of the head in the middle, so that one sharp head does not leave all
        others dark."""
        return float(result.maps.flatten(1).amax(1).median()) or 1.0

    def picture(self, state, result) -> dict:
        selected = self.asking(state) if state.asks == PATCH else []
        heads = [f"head {head + 1}" for head in range(len(result.maps))]
        return {
            "controls": {"layer": {"max": len(self.seen().weights)}},
            "maps": {
                "image": self.drawn,
                "weights": result.maps[None],
                "limit": self.full(result),
                "titles": heads,
                "selected": selected,
            },
            "alike": {
                "image": self.drawn,
                "weights": result.alike,
                "measure": "cosine",
                "titles": ["patches like it"],
                "selected": [0, *selected[1:]] if selected else [],
            },
        }

    def sentence(self, state, result) -> list:
        seen = self.seen()
        asking = "The class token"
        if state.asks == PATCH:
            asking = f"The patch in {row_and_column(*self.asking(state)[1:])}"
        head = int(result.maps.flatten(1).amax(1).argmax())
        sharpest = row_and_column(*divmod(int(result.maps[head].argmax()), seen.columns))
        return say(
            query(asking),
            f" in layer {state.layer}: head {head + 1} looks most sharply, ",
            key(percent(float(result.maps[head].max()))),
            f" at {sharpest} (in full light: {percent(self.full(result))} and more).",
            *self._most_alike(state, result),
        )

    def _most_alike(self, state, result) -> list:
        seen, others = self.seen(), result.alike.flatten().clone()
        if state.asks == PATCH:
            others[self.token(state) - seen.others] = -torch.inf  # itself
        like = int(others.argmax())
        if not others[like] > -torch.inf:
            return []
        return [
            " Behind the last layer the patch most like it is that in ",
            context(row_and_column(*divmod(like, seen.columns))),
            f", with a cosine of {number(float(others[like]))}.",
        ]

    def code(self, state) -> str:
        seen, token = self.seen(), self.token(state)
        taken = "prepare(image)" if self.prepared else "torch.atleast_3d(image).permute(2, 0, 1)[None]"
        return "\n".join([
            *([] if self.prepared else ["import torch"]),
            "from attnlab.analysis import cosine_similarities, see_image",
            "",
            f"picture = {taken}",
            "seen = see_image(model, picture)",
            "grid = seen.rows, seen.columns",
            f"maps = seen.weights[{state.layer - 1}][:, {token}, {seen.others}:].unflatten(1, grid)",
            f"alike = cosine_similarities(seen.vectors)[{token}, {seen.others}:].unflatten(0, grid)",
        ])
