"""The learner looks first, through the model's retina; then the model looks at the same picture."""

from typing import NamedTuple

import torch
from torch import Tensor
from traitlets import observe

from attnlab.tasks.cluttered_digits import Canvases
from attnlab.vision.glimpses import RecurrentAttention, centre_gaze, mean_gaze, random_gaze
from widgets.base.controls import State, button, choice, held
from widgets.base.explorer import Explorer
from widgets.base.words import a_digit, context, key, percent, query, say
from widgets.explorers.l14_glimpses.looks import DARK, as_places, check_canvases, clicks, on_panel, unveiled
from widgets.instruments.picture.picture import Picture, side_by_side

OPEN = "?"  # no answer yet
PLACES = "places [across, down] from -1 to 1"
DIGITS = [str(digit) for digit in range(10)]


class Answers(NamedTuple):
    """What is said of each picture, and where the model looked. sure: the model's probability of its answer."""

    places: Tensor  # [pictures, glimpses, 2]
    model: Tensor  # [pictures]
    sure: Tensor
    random: Tensor  # the same model, random places
    centre: Tensor  # and the centre, again and again


class Round(NamedTuple):
    """The picture of this round: its number, where the hand and the model looked, which digit it holds."""

    number: int
    yours: Tensor
    its: Tensor
    digit: int


class YourGlimpsesExplorer(Explorer):
    """A picture in the dark. Each click shows what the model's retina would show it there; then name the digit.

    model: a `RecurrentAttention` that has learned to look. canvases: pictures that it never saw. most: how many
    glimpses hand and model have; the model may look once more than it learned to. An answer stands: what is chosen
    after it counts no more.
    """

    digit = choice([*DIGITS, OPEN], OPEN, label="it is a", help="the digit that you think it is")
    again = button(label="next picture", help="another picture, in the dark again")
    glimpses = State([], clicks, PLACES, "the clicks of the hand", follows=("picture", "glimpses"))
    answers = held({}, help="{picture: what you said}")

    shows = {"image": lambda parts: parts["picture"].image[0, 0]}
    unstable = True

    def __init__(self, model: RecurrentAttention, canvases: Canvases, most: int = 5, lock=None, **state) -> None:
        check_canvases(canvases)
        self.model, self.canvases, self.most = model, canvases, most
        super().__init__(lock=lock, **state)

    @property
    def scores(self) -> dict[str, int]:
        """How many of the pictures that you answered each named right."""
        return self._scores(self.answers)

    @observe("again")
    def _darken(self, change) -> None:
        self.set_state({"glimpses": [], "digit": OPEN})

    @observe("digit")
    def _write_down(self, change) -> None:
        if change.new != OPEN and (now := self._number(self.again)) not in self.answers:
            self.set_state({"answers": {**self.answers, now: change.new}})

    def views(self) -> dict:
        return {"picture": Picture(glimpse_size=self.model.size, glimpse_scales=self.model.scales)}

    def _number(self, presses: int) -> int:
        return presses % len(self.canvases.labels)

    @torch.no_grad()
    def _answered(self) -> Answers:
        """Kept until the model learns."""
        if not self._known:
            pictures = self.canvases.pictures
            seen = self.model(pictures, mean_gaze(self.model.location), self.most)
            sure, model = seen.logits[:, -1].softmax(-1).max(-1)
            controls = [random_gaze(torch.Generator().manual_seed(0)), centre_gaze]
            led = [self.model(pictures, gaze, self.most).logits[:, -1].argmax(-1) for gaze in controls]
            self._known["answers"] = Answers(seen.places, model, sure, *led)
        return self._known["answers"]

    def compute(self, state) -> Round:
        number = self._number(state.again)
        its = self._answered().places[number]
        return Round(number, as_places(state.glimpses), its, int(self.canvases.labels[number]))

    def picture(self, state, result) -> dict:
        whole = self.canvases.pictures[result.number]
        controls = {"digit": {"labels": DIGITS}}
        yours = unveiled(whole, result.yours, self.model)
        if result.number not in state.answers:
            shown = {"image": yours, "glimpses": state.glimpses, "editing": "glimpses", "most_glimpses": self.most}
            return {"picture": {**shown, "titles": []}, "controls": controls}
        shown = {
            "image": side_by_side(yours, unveiled(whole, result.its, self.model), 1 - whole),
            "titles": ["your glimpses", "the model's glimpses", "the whole picture"],
            "glimpses": on_panel(result.yours, 0) + on_panel(result.its, 1),
            "editing": "",
            "most_glimpses": 0,
        }
        return {"picture": shown, "controls": controls}

    def sentence(self, state, result) -> list:
        if result.number not in state.answers:
            used, left = len(result.yours), self.most - len(result.yours)
            if not used:
                return [f"A digit lies in the dark. You have {self.most} glimpses: click where to look first."]
            if left:
                return [f"Glimpse {used} of {self.most}. Look again, or name the digit."]
            return [f"All {self.most} glimpses are used. Which digit is it?"]
        said, its = state.answers[result.number], int(self._answered().model[result.number])
        sure = percent(float(self._answered().sure[result.number]))
        first = [f"It is {a_digit(result.digit)}. ", query("You"), f" said {said}, ", context("the model")]
        right = [f" said {its}, {sure} sure. So far: "]
        scores, played = self._scores(state.answers), len(state.answers)
        so_far = [query("you"), f" {scores['you']} of {played}, ", context("the model"), f" {scores['model']}, "]
        led = [key("the model at random places"), f" {scores['random']}, at the centre {scores['centre']}."]
        return say(*first, *right, *so_far, *led)

    def _scores(self, answers: dict) -> dict[str, int]:
        known, labels = self._answered(), self.canvases.labels.tolist()
        return {
            "you": sum(answer == str(labels[i]) for i, answer in answers.items()),
            "model": sum(int(known.model[i]) == labels[i] for i in answers),
            "random": sum(int(known.random[i]) == labels[i] for i in answers),
            "centre": sum(int(known.centre[i]) == labels[i] for i in answers),
        }

    def code(self, state) -> str:
        number = self._number(state.again)
        places = [[round(x, 4) for x in click] for click in state.glimpses]
        lines = [
            "import torch",
            "from attnlab.analysis import uncovered",
            "from attnlab.vision.glimpses import mean_gaze",
            "",
            f"picture = canvases.pictures[{number}]",
            f"places = torch.tensor({places}).reshape(-1, 2)",
            f"known = uncovered(picture, places, size={self.model.size}, scales={self.model.scales})",
            f"image = (1 - known.picture).where(known.seen, {DARK})",
        ]
        if number in state.answers:
            lines.append(f"its_places = model(picture[None], mean_gaze(model.location), {self.most}).places[0]")
        return "\n".join(lines)
