"""Two captioners before the same picture, the maps of all their words in a row: one looks anew, one never does."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attnlab.analysis import CaptionSteps, caption_steps, difference_of_maps
from attnlab.tasks.base import EOS
from attnlab.tasks.scenes import Scene, caption, draw
from attnlab.vision import Captioner
from widgets.base.words import key, percent, query, quote, say
from widgets.explorers.l13_seeing.scene_of import SceneExplorer
from widgets.explorers.l13_seeing.scene_words import END, image_of, words_of
from widgets.instruments.picture.picture import Picture

SIDE = 64  # CSS pixels of one picture, two a pixel of the image: nine words in a row


class OneMapExplorer(SceneExplorer):
    """The maps of all words of a caption side by side, of one model and of another.

    models: {name: `Captioner`}, two of them. task: `Scenes`. scenes: what can be chosen.
    """

    shows = {"weights": lambda parts: parts["second"].weights[0]}

    def __init__(self, models: Mapping[str, Captioner], task, scenes: Sequence[Scene], lock=None, **state) -> None:
        if len(models) != 2:
            raise ValueError(f"expected two models by name, got {len(models)}: {list(models)}")
        self.models = dict(models)
        super().__init__(task, scenes, lock=lock, **state)

    @property
    def weights(self) -> Tensor:
        """[words, rows, columns] of the second model."""
        return self.result[1].weights

    def views(self) -> dict:
        return {name: Picture(image_of(self.scenes[0]), side=SIDE, limit=0.5) for name in ("first", "second")}

    def compute(self, state) -> list[CaptionSteps]:
        return [caption_steps(model, draw(self.chosen(state))) for model in self.models.values()]

    def picture(self, state, result) -> dict:
        image = image_of(self.chosen(state))
        shown: dict = {"controls": self.most}
        for part, name, steps in zip(("first", "second"), self.models, result, strict=True):
            shown[part] = {
                "image": image,
                "weights": steps.weights.unsqueeze(0),
                "titles": words_of(self.task.vocabulary, steps.tokens, EOS),
                "frame_names": [name],
            }
        return shown

    def sentence(self, state, result) -> list:
        said: list = ["The right caption is ", query(quote(caption(self.chosen(state)))), ". "]
        for name, steps in zip(self.models, result, strict=True):
            words = words_of(self.task.vocabulary, steps.tokens, EOS)
            wrote = " ".join(word for word in words if word != END)
            said += [key(name[:1].upper() + name[1:]), f": {quote(wrote)}"]
            if len(words) < 2:
                said += [". "]
                continue
            counts = torch.ones(1, len(words), dtype=torch.bool)
            apart = float(difference_of_maps(steps.weights.flatten(1).unsqueeze(0), counts))
            said += [f"; from one word to another {percent(round(apart, 4))} of the weight moves. "]
        return say(*said)

    def code(self, state) -> str:
        scene = self.place(state)
        return "\n".join([
            "from attnlab.analysis import caption_steps",
            "from attnlab.tasks.scenes import draw",
            "",
            f"steps = caption_steps(models[{list(self.models)[1]!r}], draw(scenes[{scene}]))",
            "weights = steps.weights",
        ])
