"""A question about a picture: one look, one word."""

from collections.abc import Sequence

import torch
from torch import Tensor
from traitlets import observe

from attnlab.analysis import AnswerMap, answer_map
from attnlab.tasks.scenes import COLOURS, NONE, SHAPES, Scene, Scenes, answer, asked_about, draw, in_order, questions
from attnlab.vision import Answerer
from widgets.base.controls import held, select
from widgets.base.words import percent, query, quote, say
from widgets.explorers.l13_seeing.scene_of import SceneExplorer
from widgets.explorers.l13_seeing.scene_words import NARROW, WIDE, allowed_in, image_of, inside, mask_in_code
from widgets.instruments.chart.chart import Chart, bars, figure
from widgets.instruments.picture.picture import Picture

QUESTIONS = questions(())  # about an empty scene nothing is ambiguous
ANSWERS = [*COLOURS, *SHAPES, NONE]


class QuestionExplorer(SceneExplorer):
    """A question is read, asks the grid of the picture once, and is answered; a part of the picture can be hidden.

    model: an `Answerer`. task: `Scenes`. scenes: what can be chosen.
    """

    question = select(QUESTIONS, help="what is asked")
    mask = held(None, help="nonzero where may be looked", follows=("picture", "mask"))

    shows = {
        "weights": lambda parts: parts["picture"].shown[0],
        "probabilities": lambda parts: parts["chart"].trace(0)["y"],
    }
    row = ("picture", "chart")

    def __init__(self, model: Answerer, task: Scenes, scenes: Sequence[Scene], lock=None, **state) -> None:
        self.model = model
        self.shown = [task.vocabulary.index(word) for word in ANSWERS]
        super().__init__(task, scenes, lock=lock, **state)

    @property
    def weights(self) -> Tensor:
        """[rows, columns]: what the question attended to."""
        return self.result.weights

    def views(self) -> dict:
        chart = figure(
            bars(torch.zeros(len(ANSWERS)), ANSWERS, role="query"),
            y="probability of the answer",
            y_range=[0, 1],
            height=350,
            width=440,
            showlegend=False,
        )
        return {
            "picture": Picture(
                image_of(self.scenes[0]), torch.ones(8, 8) / 64, limit=0.5, editing="mask", layout=NARROW
            ),
            "chart": Chart(chart, layout=WIDE),
        }

    @observe("scene")
    def _forget_hand(self, change) -> None:
        self.set_state({"mask": None})

    def compute(self, state) -> AnswerMap:
        question = self.task.read(state.question)
        return answer_map(self.model, draw(self.chosen(state)), question, allowed_in(state.mask))

    def picture(self, state, result) -> dict:
        return {
            "controls": self.most,
            "picture": {"image": image_of(self.chosen(state)), "weights": result.weights, "mask": state.mask},
            "chart": {"traces": {"0": {"y": result.probabilities[self.shown]}}},
        }

    def sentence(self, state, result) -> list:
        scene, most = self.chosen(state), int(result.probabilities.argmax())
        said = self.task.vocabulary[most]
        opening = [query(quote(said)), f", {percent(float(result.probabilities[most]))} sure. "]
        try:
            right, thing = answer(scene, state.question), asked_about(scene, state.question)
        except ValueError:
            return say(*opening, "The question fits two things in the picture, so there is no one right answer.")
        verdict = "That is right. " if said == right else f"The right answer is “{right}”. "
        if thing is None:
            return say(*opening, verdict, "Nothing of the kind is in the picture.")
        return say(*opening, verdict, *inside(result.weights, scene, in_order(scene).index(thing)), ".")

    def code(self, state) -> str:
        hidden = allowed_in(state.mask) is not None
        scene = self.place(state)
        return "\n".join([
            "import torch",
            "from attnlab.analysis import answer_map",
            "from attnlab.tasks.scenes import draw",
            "",
            *mask_in_code(state.mask),
            f"question = task.read({state.question!r})",
            f"found = answer_map(model, draw(scenes[{scene}]), question{', allowed' * hidden})",
            "weights = found.weights",
            f"probabilities = found.probabilities[{self.shown}]",
        ])
