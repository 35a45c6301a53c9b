"""Eight models that differ in their score alone: what each of them reads, how well, and where the loss pushes it."""

from typing import NamedTuple

import torch

from attnlab.alignment import SCORES
from attnlab.analysis import accuracy_by_kind, push_on_scores, right_answers, share_without_push, weight_on_right
from attnlab.costs import parameters_of
from widgets.base.controls import button, select, selected_cell, slider
from widgets.base.explorer import Explorer
from widgets.base.words import query, say
from widgets.explorers.l03_alignment.cards import CARDS, LABELS, QUESTIONS, by_kind, card_names
from widgets.instruments.matrix.matrix import Matrix

FORMULAS = {
    "dot": "q·k",
    "scaled_dot": "q·k / √d",
    "additive": "v·tanh(W_q q + W_k k)",
    "general": "q·W k",
    "concat": "w·[q; k]",
    "perceptron": "v·tanh(W [q; k])",
    "content": "cos(q, k)",
    "location": "(W q) at place j",
}
VERDICTS = {
    "knows": "Nearly nothing pushes any more: it has learned both.",
    "knows nearly": "It has learned both; what still pushes makes it surer.",
    "blurred": "No cosine is above 1, so no card gets much of the weight: it reads too many at once.",
    "by place": "By letter the push never ends, and no parameter can follow: this score never sees what a card says.",
    "blind": "All rows are the same, and no push can change that: whatever the question is, it cancels.",
    "stuck": "Most rows that look at a wrong card get next to no push: saturated.",
    "learns": "The push says where the weight should go: it is still learning.",
    "learns elsewhere": "Nothing pushes here: it reads these cards right, and on others it is still learning.",
}


class Comparison(NamedTuple):
    """weights, scores, push: [questions, keys] of one example; push is minus the gradient of the loss with respect to
    the scores. right, on_key: by place and by letter, the share of right answers, and of weight on the right key,
    over all examples. stuck: of the rows that look most at a wrong card, the share that gets next to no push.
    parameters: of the score."""

    weights: torch.Tensor
    scores: torch.Tensor
    push: torch.Tensor
    right: list[float]
    on_key: list[float]
    stuck: float
    parameters: int


class ScoreComparisonExplorer(Explorer):
    """One switch over all scores, one slider through the training; weights, push, accuracy and parameters follow.

    history: {score: {step: model}}. A model reads letters and digits, both [batch, cards], and returns the logits of
        its answers, [batch, kinds, questions, digits], and the `Attention` that gave them; `model.score` is its score.
    examples: a named tuple of letters, digits and `right`, the place of the right card, [batch, kinds, questions].
    """

    score = select(SCORES, label="score", help="the score of the model that is shown")
    step = slider(200, 0, 200, step=10, label="training step", help="how long the model has been trained")
    again = button(label="other cards", help="another row of cards, never seen in training")
    cell = selected_cell([0, 7, -1], view="weights", help="panel, question and card that are selected")

    shows = {"weights": ("weights", "values"), "push": ("push", "values")}
    row = ("weights", "push")
    unstable = True

    def __init__(self, history, examples, **state) -> None:
        self.history, self.examples = history, examples
        super().__init__(**state)

    @property
    def weights(self) -> torch.Tensor:
        """[questions, cards] of the row of cards that is shown."""
        return self.result.weights

    @property
    def push(self) -> torch.Tensor:
        """Minus the gradient of the loss with respect to the scores, [questions, cards]."""
        return self.result.push

    def views(self) -> dict:
        zeros, half = torch.zeros(1, len(QUESTIONS), CARDS), {"flex": "1 1 300px", "min_width": "0"}
        return {
            "weights": Matrix(zeros, panel_names=["weights"], **LABELS, layout=half),
            "push": Matrix(zeros, panel_names=["push of the loss"], scale="scores", limit=1.0, **LABELS, layout=half),
        }

    def compute(self, state) -> Comparison:
        if state.step not in self.history[state.score]:
            raise ValueError(f"there is no model of step {state.step}: train to the end first")
        model, at = self.history[state.score][state.step], self._example(state)
        answers, seen = model(self.examples.letters, self.examples.digits)
        targets = right_answers(self.examples.digits, self.examples.right)
        push = push_on_scores(answers, targets, seen.scores)
        stuck = share_without_push(push, seen.weights.argmax(dim=-1) != self.examples.right)
        weights, scores, push = (part[at].flatten(0, 1).detach() for part in (seen.weights, seen.scores, push))
        return Comparison(
            weights,
            scores,
            push,
            accuracy_by_kind(answers, targets).tolist(),
            weight_on_right(seen.weights, self.examples.right).tolist(),
            stuck,
            parameters_of(model.score),
        )

    def _example(self, state) -> int:
        return state.again % len(self.examples.letters)

    def picture(self, state, result) -> dict:
        labels = {"key_labels": card_names(self.examples, self._example(state))}
        return {
            "weights": {**labels, "values": result.weights, "scores": result.scores},
            "push": {**labels, "values": result.push, "selected": state.cell},
        }

    def sentence(self, state, result) -> list:
        count = f"{result.parameters} parameters" if result.parameters else "no parameters"
        place, letter = result.right
        return say(
            query(state.score),
            f" = {FORMULAS[state.score]}, {count}: right answers ",
            *by_kind(result.right, result.on_key),
            ". ",
            VERDICTS[verdict(state.score, place, letter, result.stuck, float(result.push.abs().max()))],
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab.analysis import push_on_scores, right_answers",
            "",
            f"model, at = history[{state.score!r}][{state.step}], {self._example(state)}  # of all rows of cards",
            "answers, seen = model(examples.letters, examples.digits)",
            "targets = right_answers(examples.digits, examples.right)",
            "push = push_on_scores(answers, targets, seen.scores)[at].flatten(0, 1)  # [questions, cards]",
            "weights = seen.weights[at].flatten(0, 1)",
        ])


def verdict(score: str, by_place: float, by_letter: float, stuck: float, push: float) -> str:
    """Which of `VERDICTS` fits the shares of right answers, of wrong rows that nothing pushes, and the strongest push
    of the cards that are shown."""
    if min(by_place, by_letter) > 0.95:
        return "knows" if push < 0.1 else "knows nearly"
    if by_place > 0.95 and by_letter < 0.5:
        return "by place"
    if score == "concat":
        return "blind"
    if score == "content":
        return "blurred"
    if stuck > 0.5:
        return "stuck"
    return "learns" if push > 0.01 else "learns elsewhere"
