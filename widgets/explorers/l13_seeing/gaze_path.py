"""The looks of a captioner in their order, as an eye's path over the picture, and what they have seen together."""

from collections.abc import Sequence
from itertools import groupby

import torch
from torch import Tensor

from attnlab.analysis import CaptionSteps, caption_steps
from attnlab.tasks.base import EOS
from attnlab.tasks.scenes import Scene, draw
from attnlab.vision import Captioner
from attnlab.vision.captioner import FIELD
from widgets.base.controls import stepper
from widgets.base.words import counted, key, percent, query, quote, say
from widgets.explorers.l13_seeing.scene_of import SceneExplorer
from widgets.explorers.l13_seeing.scene_words import image_of, words_of
from widgets.instruments.picture.picture import Picture

LITTLE = 0.05  # of a word's weight


class GazePathExplorer(SceneExplorer):
    """Where each word looked most, numbered in the order of the words; what no look has had weight on stays pale.

    model: a `Captioner`. task: `Scenes`. scenes: what can be chosen.
    """

    looks = stepper(0, 0, None, help="how many words are written", beat=700)

    shows = {"weights": lambda parts: parts["picture"].shown[0]}

    def __init__(self, model: Captioner, task, scenes: Sequence[Scene], lock=None, **state) -> None:
        self.model = model
        super().__init__(task, scenes, lock=lock, **state)

    @property
    def weights(self) -> Tensor:
        """[rows, columns]: the most weight that a place has had so far."""
        return seen_so_far(self.result, self.looks)

    def views(self) -> dict:
        shown = image_of(self.scenes[0]), torch.zeros(8, 8)
        return {"picture": Picture(*shown, limit=0.5, glimpse_size=FIELD, measure="weight so far")}

    def compute(self, state) -> CaptionSteps:
        return caption_steps(self.model, draw(self.chosen(state)))

    def picture(self, state, result) -> dict:
        words = words_of(self.task.vocabulary, result.tokens, EOS)
        names = ["nothing is written", *(" ".join(words[: n + 1]) for n in range(len(words)))]
        return {
            "controls": {**self.most, "looks": {"max": len(words), "names": names}},
            "picture": {
                "image": image_of(self.chosen(state)),
                "weights": seen_so_far(result, state.looks),
                "glimpses": path(result, state.looks),
            },
        }

    def sentence(self, state, result) -> list:
        words = words_of(self.task.vocabulary, result.tokens, EOS)[: state.looks]
        if not words:
            return say("No word is written yet, and nothing has been looked at.")
        places = path(result, state.looks)
        stops, before = len(places), places[:-1]
        again = f", where frame {before.index(places[-1]) + 1} was" if places and places[-1] in before else ""
        seen = float((seen_so_far(result, state.looks) > LITTLE).float().mean())
        return say(
            "For ",
            query(quote(words[-1])),
            f" the model looks most at frame {stops}{again}. So far {counted(len(words), 'word')}, ",
            key(counted(stops, "stop")),
            f"; {percent(seen)} of the 64 places have had more than {percent(LITTLE)} of a word's weight.",
        )

    def code(self, state) -> str:
        scene = self.place(state)
        return "\n".join([
            "import torch",
            "from attnlab.analysis import caption_steps",
            "from attnlab.tasks.scenes import draw",
            "",
            f"steps = caption_steps(model, draw(scenes[{scene}]))",
            f"maps = torch.cat([torch.zeros(1, 8, 8), steps.weights[:{state.looks}]])",
            "weights = maps.amax(dim=0)  # the most that any word has had there",
        ])


def seen_so_far(steps: CaptionSteps, looks: int) -> Tensor:
    """[rows, columns]: the most weight that any of the first words has had at a place."""
    nothing = torch.zeros(1, 8, 8)
    return nothing[0] if steps.weights is None else torch.cat([nothing, steps.weights[:looks]]).amax(dim=0)


def path(steps: CaptionSteps, looks: int) -> list[list[float]]:
    """Where the first words look most, as a view takes it, [x, y]: the middle of the place; once for words in a row
    that look at the same one."""
    if steps.weights is None:
        return []
    places = [place for place, _ in groupby(steps.weights[:looks].flatten(1).argmax(dim=1).tolist())]
    return [[place % 8 / 4 - 0.875, place // 8 / 4 - 0.875] for place in places]
