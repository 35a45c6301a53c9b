"""One trained model, several ways to turn its scores into weights: softly, hard, in a window; sharper or flatter."""

from collections.abc import Callable
from typing import NamedTuple

import torch

from attnlab.alignment import SCORES
from attnlab.attention import masked_softmax
from attnlab.hard import argmax, sampled
from attnlab.local import local_m, local_p

from .controls import button, held, select, slider
from .explorer import Explorer
from .matrix import Matrix
from .score import CARDS, LABELS, QUESTIONS, cards, graded
from .words import key, percent, query, say


class Look(NamedTuple):
    """A way to look: the `weigh` for `attend` of a state, the same as code, where that comes from, what it does."""

    weigh: Callable
    code: str
    home: str
    does: str


LOOKS = {
    "soft": Look(lambda state: masked_softmax, "masked_softmax", "attention",
                 "reads every card, the likely ones most"),
    "hard, the likeliest": Look(lambda state: argmax, "argmax", "hard",
                                "reads one card, that of the highest score"),
    "hard, drawn": Look(lambda state: sampled(torch.Generator().manual_seed(state.again)),
                        "sampled(torch.Generator().manual_seed({again}))", "hard",
                        "reads one card, drawn from the weights"),
    "window": Look(lambda state: local_m(state.radius), "local_m({radius})", "local",
                   "is soft in a window around the question's own place, and blind outside"),
    "window and bell": Look(lambda state: local_p(torch.arange(5.0), state.radius),
                            "local_p(torch.arange(5.0), {radius})", "local",
                            "is soft in the window, times a bell curve: rows no longer sum to 1"),
}


class Looked(NamedTuple):
    """weights, scores: [questions, cards] of one example. mask: which cards were in reach. right, on_key: see
    `score.graded`."""

    weights: torch.Tensor
    scores: torch.Tensor
    mask: torch.Tensor
    right: list[float]
    on_key: list[float]


class LookExplorer(Explorer):
    """The same scores of the same trained model, looked at in another way; nothing is trained again.

    models: {score: model}, examples: see `ScoreExplorer`; models take `temperature` and `weigh` for `attend`.
    """

    score = select(SCORES, "scaled_dot", label="score", help="the score of the model that looks")
    look = select(LOOKS, label="look", help="what turns scores into weights")
    temperature = slider(1.0, 0.05, 3.0, step=0.05, help="divides the scores before they become weights")
    radius = slider(1, 1, 4, label="window", help="how many cards to each side a window reaches")
    again = button(label="draw again", help="other draws of the hard look")
    cell = held([0, 7, -1], help="panel, question and card that are selected")

    shows = {"weights": ("matrix", "values")}
    follows = {"cell": ("matrix", "selected")}

    def __init__(self, models, examples, **state):
        self.models, self.examples = models, examples
        super().__init__(**state)

    @property
    def weights(self) -> torch.Tensor:
        """[questions, cards] of the row of cards that is shown."""
        return self.result.weights

    def __repr__(self):
        # Without the shares: they differ a little from one machine's training to the next.
        if not hasattr(self, "parts"):
            return super().__repr__()
        return f"{type(self).__name__}({self.score}, {self.look}, temperature {self.temperature}, radius {self.radius})"

    def views(self):
        return {"matrix": Matrix(torch.zeros(QUESTIONS, CARDS), row_bars=True, **LABELS)}

    def compute(self, state):
        model, (letters, digits, _) = self.models[state.score], self.examples
        with torch.no_grad():
            answers, seen = model(letters, digits, temperature=state.temperature, weigh=LOOKS[state.look].weigh(state))
        mask = torch.ones(CARDS, CARDS)
        if state.look.startswith("window"):
            places = torch.arange(CARDS)
            mask = ((places - places.unsqueeze(1)).abs() <= state.radius).float()
        return Looked(seen.weights[0].flatten(0, 1), seen.scores[0].flatten(0, 1), mask.repeat(2, 1),
                      *graded(answers, seen, self.examples))

    def picture(self, state, result):
        idle = {"radius": {"disabled": not state.look.startswith("window")},
                "again": {"disabled": state.look != "hard, drawn"}}
        return {"controls": idle, "matrix": {"values": result.weights, "scores": result.scores, "mask": result.mask,
                                             "key_labels": cards((self.examples.letters[0], self.examples.digits[0]))}}

    def sentence(self, state, result):
        (place, letter), (on_place, on_letter) = result.right, result.on_key
        return say(query(f"{state.score}, {state.look}"), f" {LOOKS[state.look].does}. Right answers ",
                   query(percent(place)), " by place, ", query(percent(letter)), " by letter; ",
                   key("weight on the right card"), f" {percent(on_place)} and {percent(on_letter)}.")

    def code(self, state):
        look = LOOKS[state.look]
        return "\n".join([
            "import torch",
            f"from attnlab.{look.home} import {look.code.partition('(')[0]}",
            "",
            f"answers, seen = models[{state.score!r}](examples.letters, examples.digits,",
            f"    temperature={state.temperature}, weigh={look.code.format(again=state.again, radius=state.radius)})",
            "weights = seen.weights[0].flatten(0, 1)  # of the first row of cards",
        ])
