"""One trained model, several ways to turn its scores into weights: softly, hard, in a window; sharper or flatter."""

from collections.abc import Callable
from typing import NamedTuple

import torch

from attnlab.alignment import SCORES
from attnlab.analysis import accuracy_by_kind, right_answers, weight_on_right
from attnlab.attention import masked_softmax
from attnlab.hard_attention import argmax, sampled
from attnlab.local_attention import local_m, local_p
from attnlab.masks import everything, window
from widgets.base.controls import button, select, selected_cell, slider
from widgets.base.explorer import Explorer
from widgets.base.words import query, say
from widgets.explorers.l03_alignment.cards import CARDS, LABELS, QUESTIONS, by_kind, card_names
from widgets.instruments.matrix.matrix import Matrix


class Weighting(NamedTuple):
    """The `weigh` for `attend` of a state, the same as code and the module of attnlab it is from; what it does."""

    weigh: Callable
    code: str
    module: str
    effect: str


WEIGHTINGS = {
    "soft": Weighting(
        lambda state: masked_softmax, "masked_softmax", "attention", "spreads its weight over the cards by their scores"
    ),
    "hard, the likeliest": Weighting(
        lambda state: argmax, "argmax", "hard_attention", "reads one card, the one with the highest score"
    ),
    "hard, drawn": Weighting(
        lambda state: sampled(torch.Generator().manual_seed(state.again)),
        "sampled(torch.Generator().manual_seed({again}))",
        "hard_attention",
        "reads one card, drawn from the weights",
    ),
    "window": Weighting(
        lambda state: local_m(state.radius),
        "local_m({radius})",
        "local_attention",
        "is soft in a window around the question's own place, and blind outside",
    ),
    "window and bell": Weighting(
        lambda state: local_p(torch.arange(5.0), state.radius),
        "local_p(torch.arange(5.0), {radius})",
        "local_attention",
        "is soft in the window, times a bell curve: rows no longer sum to 1",
    ),
}


class Read(NamedTuple):
    """weights, scores: [questions, cards] of one example. right, on_key: by place and by letter, the share of right
    answers, and of weight on the right card, over all examples."""

    weights: torch.Tensor
    scores: torch.Tensor
    right: list[float]
    on_key: list[float]


class WeightingExplorer(Explorer):
    """The same scores of the same trained model, weighed in another way; nothing is trained again.

    models: {score: model}, examples: see `ScoreComparisonExplorer`; models take `temperature` and `weigh` for `attend`.
    """

    score = select(SCORES, "scaled_dot", label="score", help="the score of the model that looks")
    weighting = select(WEIGHTINGS, label="look", help="what turns scores into weights")
    temperature = slider(1.0, 0.05, 3.0, step=0.05, help="divides the scores before they become weights")
    radius = slider(1, 1, 4, label="window", help="how many cards to each side a window reaches")
    again = button(label="draw again", help="other draws of the hard look")
    cell = selected_cell([0, 7, -1], help="panel, question and card that are selected")

    shows = {"weights": ("matrix", "values")}
    unstable = True

    def __init__(self, models, examples, **state) -> None:
        self.models, self.examples = models, examples
        super().__init__(**state)
        self.parts["controls"].spec = [self._of_models(spec) for spec in self.parts["controls"].spec]

    def _of_models(self, spec: dict) -> dict:
        """Of the scores only those that a model has are offered."""
        return {**spec, "options": list(self.models)} if spec["name"] == "score" else spec

    @property
    def weights(self) -> torch.Tensor:
        """[questions, cards] of the row of cards that is shown."""
        return self.result.weights

    def views(self) -> dict:
        return {"matrix": Matrix(torch.zeros(len(QUESTIONS), CARDS), row_bars=True, **LABELS)}

    def compute(self, state) -> Read:
        model, (letters, digits, right) = self.models[state.score], self.examples
        with torch.no_grad():
            answers, seen = model(
                letters, digits, temperature=state.temperature, weigh=WEIGHTINGS[state.weighting].weigh(state)
            )
        return Read(
            seen.weights[0].flatten(0, 1),
            seen.scores[0].flatten(0, 1),
            accuracy_by_kind(answers, right_answers(digits, right)).tolist(),
            weight_on_right(seen.weights, right).tolist(),
        )

    def picture(self, state, result) -> dict:
        windowed = state.weighting.startswith("window")
        mask = window(CARDS, radius=state.radius) if windowed else everything(CARDS)
        idle = {"radius": {"disabled": not windowed}, "again": {"disabled": state.weighting != "hard, drawn"}}
        return {
            "controls": idle,
            "matrix": {
                "values": result.weights,
                "scores": result.scores,
                "mask": mask.float().repeat(2, 1),
                "key_labels": card_names(self.examples, 0),
            },
        }

    def sentence(self, state, result) -> list:
        effect = f" {WEIGHTINGS[state.weighting].effect}"
        if state.weighting == "window" and state.radius >= CARDS - 1:
            effect += "; at this size it holds all cards"
        return say(
            query(f"{state.score}, {state.weighting}"),
            effect,
            ". Right answers ",
            *by_kind(result.right, result.on_key),
            ".",
        )

    def code(self, state) -> str:
        weighting = WEIGHTINGS[state.weighting]
        weigh = weighting.code.format(again=state.again, radius=state.radius)
        return "\n".join([
            "import torch",
            f"from attnlab.{weighting.module} import {weigh.partition('(')[0]}",
            "",
            f"answers, seen = models[{state.score!r}](examples.letters, examples.digits,",
            f"    temperature={state.temperature}, weigh={weigh})",
            "weights = seen.weights[0].flatten(0, 1)  # of the first row of cards",
        ])
