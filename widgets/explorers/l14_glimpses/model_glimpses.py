"""Where the model looks, what it sees there, and what it thinks after each glimpse."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from attnlab.tasks.cluttered_digits import Canvases
from attnlab.vision.glimpses import (
    FIXED_PATH,
    Gaze,
    RecurrentAttention,
    Seen,
    accuracy,
    centre_gaze,
    drawn_gaze,
    mean_gaze,
    path,
    random_gaze,
)
from widgets.base.controls import button, choice, slider
from widgets.base.explorer import Explorer
from widgets.base.words import a_digit, context, key, one_or_more, percent, say
from widgets.explorers.l14_glimpses.looks import check_canvases, on_panel, unveiled
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.picture.picture import Picture, side_by_side

LEARNED, RANDOM, CENTRE, FIXED = "learned", "random", "centre", "fixed path"
WORDS = {
    LEARNED: "when it chooses where to look",
    RANDOM: "at random places",
    CENTRE: "when it stares at the centre",
    FIXED: "along a fixed path",
}
MOST = 8  # glimpses
SIZES = range(4, 13, 4)  # of the sharp square, in pixels


class Path(NamedTuple):
    """Of the picture that is shown: places [glimpses, 2], chances [glimpses, digits], digit. right: [glimpses], the
    share of right answers of all pictures."""

    places: Tensor
    chances: Tensor
    digit: int
    right: Tensor


class ModelGlimpsesExplorer(Explorer):
    """The path of the model's gaze over a picture, numbered, and its answer's probabilities after each glimpse.

    models: {size of the glimpses: the `RecurrentAttention` that learned with it}, 4, 8 and 12. canvases: pictures that
    they never saw; all of them are counted, 40 can be seen.
    """

    number = slider(1, 1, 40, label="picture", help="which picture is seen")
    gaze = choice([LEARNED, RANDOM, CENTRE, FIXED], label="gaze", help="who chooses where to look")
    glimpses = slider(4, 1, MOST, label="glimpses", help="how often it may look; it learned with four")
    size = slider(8, SIZES[0], SIZES[-1], step=SIZES.step, label="size", help="of the sharp square; a model for each")
    noise = slider(0.0, 0.0, 0.5, step=0.05, label="noise", help="standard deviation around the learned place")
    again = button(label="draw again", help="other random places, other noise")

    shows = {"chances": ("matrix", "values")}
    unstable = True

    def __init__(self, models: Mapping[int, RecurrentAttention], canvases: Canvases, lock=None, **state) -> None:
        check_canvases(canvases, 40)
        if missing := set(SIZES) - set(models):
            raise ValueError(f"expected models for glimpses of {list(SIZES)} pixels, got none for {sorted(missing)}")
        self.models, self.canvases = models, canvases
        super().__init__(lock=lock, **state)

    def views(self) -> dict:
        return {
            "picture": Picture(side=300),
            "matrix": Matrix(
                torch.zeros(1, 10),
                measure="chance",
                query_title="glimpses",
                key_title="digits",
                key_labels=[str(digit) for digit in range(10)],
            ),
        }

    def compute(self, state) -> Path:
        seen, at = self._looked(state), state.number - 1
        labels = self.canvases.labels
        return Path(seen.places[at], seen.logits[at].softmax(-1), int(labels[at]), accuracy(seen, labels))

    @torch.no_grad()
    def _looked(self, state) -> Seen:
        """At all pictures; kept, since it is the same for each of them."""
        asked = (state.gaze, state.glimpses, state.size, state.noise if state.gaze == LEARNED else 0, state.again)
        if asked not in self._known:
            if len(self._known) > 20:
                self._known = {}
            self._known[asked] = self.models[state.size](self.canvases.pictures, self._gaze(state), state.glimpses)
        return self._known[asked]

    def _gaze(self, state) -> Gaze:
        chance = Generator().manual_seed(state.again)
        if state.gaze == LEARNED:
            location = self.models[state.size].location
            return drawn_gaze(location, state.noise, chance) if state.noise else mean_gaze(location)
        return {RANDOM: random_gaze(chance), CENTRE: centre_gaze, FIXED: path(torch.tensor(2 * FIXED_PATH))}[state.gaze]

    def picture(self, state, result) -> dict:
        whole, model = self.canvases.pictures[state.number - 1], self.models[state.size]
        names = [f"after {glimpse + 1}" for glimpse in range(state.glimpses)]
        return {
            "picture": {
                "image": side_by_side(1 - whole, unveiled(whole, result.places, model)),
                "glimpse_size": model.size,
                "glimpse_scales": model.scales,
                "titles": ["the whole picture", "what it saw"],
                "glimpses": on_panel(result.places, 0),
            },
            "matrix": {"values": result.chances, "query_labels": names, "current": state.glimpses - 1},
        }

    def sentence(self, state, result) -> list:
        best = int(result.chances[-1].argmax())
        sure = percent(float(result.chances[-1, best]))
        count, share = len(self.canvases.labels), percent(float(result.right[-1]))
        verdict = "right" if best == result.digit else f"but it is {a_digit(result.digit)}"
        return say(
            f"After {one_or_more(state.glimpses, 'glimpse')} of {state.size} × {state.size} it says ",
            context(best),
            f", {sure} sure: {verdict}. Of {count} such pictures ",
            key(share),
            f" come out right {WORDS[state.gaze]}.",
        )

    def code(self, state) -> str:
        mean, drawn = "mean_gaze(model.location)", f"drawn_gaze(model.location, {state.noise}, chance)"
        learned, fixed = drawn if state.noise else mean, f"path(torch.tensor(2 * {FIXED_PATH}))"
        gaze = {LEARNED: learned, RANDOM: "random_gaze(chance)", CENTRE: "centre_gaze", FIXED: fixed}[state.gaze]
        return "\n".join([
            "import torch",
            f"from attnlab.vision.glimpses import accuracy, {gaze.partition('(')[0]}",
            "",
            f"model, chance = models[{state.size}], torch.Generator().manual_seed({state.again})",
            "with torch.no_grad():",
            f"    seen = model(canvases.pictures, {gaze}, {state.glimpses})",
            f"chances = seen.logits[{state.number - 1}].softmax(-1)  # [glimpses, digits]",
            "right = accuracy(seen, canvases.labels)",
        ])
