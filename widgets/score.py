"""Eight models that differ in their score alone: what each of them reads, how well, and where the loss pushes it."""

from typing import NamedTuple

import torch
from ipywidgets import HBox
from torch.nn.functional import cross_entropy

from attnlab.alignment import SCORES

from .controls import button, held, select, slider
from .explorer import Explorer
from .matrix import Matrix
from .words import key, percent, query, say

LETTERS = "abcde"
ORDER = ["1st", "2nd", "3rd", "4th", "5th"]
CARDS, QUESTIONS = len(LETTERS), 2 * len(LETTERS)
LABELS = {"query_labels": [*ORDER, *LETTERS], "query_title": "questions", "key_title": "cards",
          "query_groups": [[0, CARDS, "by place"], [CARDS, QUESTIONS, "by letter"]]}
FORMULAS = {
    "dot": "q·k", "scaled_dot": "q·k / √d", "additive": "v·tanh(W q + U k)", "general": "q·W k",
    "concat": "w·[q; k]", "perceptron": "v·tanh(W [q; k])", "content": "cos(q, k)", "location": "(W q) at place j",
}


class Read(NamedTuple):
    """weights, scores, push: [questions, keys] of one example; push is minus the gradient of the loss with respect to
    the scores. right, on_key: by place and by letter, the share of right answers, and of weight on the right key,
    over all examples. parameters: of the score."""

    weights: torch.Tensor
    scores: torch.Tensor
    push: torch.Tensor
    right: list[float]
    on_key: list[float]
    parameters: int


def cards(example) -> list[str]:
    """The labels of one row of cards, such as "c4": its letters and its digits."""
    letters, digits = example
    return [f"{LETTERS[letter]}{digit}" for letter, digit in zip(letters.tolist(), digits.tolist(), strict=True)]


def graded(answers, seen, examples) -> tuple[list[float], list[float]]:
    """By place and by letter: the share of right answers, and the share of weight on the right card."""
    hits = (answers.argmax(-1) == wanted(examples)).float().mean(dim=(0, 2))
    on_key = seen.weights.gather(3, examples.right.unsqueeze(3)).mean(dim=(0, 2, 3))
    return hits.tolist(), on_key.tolist()


def wanted(examples) -> torch.Tensor:
    """The digit that answers each question, [batch, kinds, questions]."""
    return examples.digits.unsqueeze(1).expand_as(examples.right).gather(2, examples.right)


class ScoreExplorer(Explorer):
    """One switch over all scores, one slider through the training; weights, push, accuracy and parameters follow.

    history: {score: {step: model}}. A model reads letters and digits, both [batch, cards], and returns the logits of
        its answers, [batch, kinds, questions, digits], and the `Attention` that gave them; `model.score` is its score.
    examples: a named tuple of letters, digits and `right`, the place of the right card, [batch, kinds, questions].
    """

    score = select(SCORES, label="score", help="the score of the model that is shown")
    step = slider(200, 0, 200, step=10, label="training step", help="how long the model has been trained")
    again = button(label="other cards", help="another row of cards, never seen in training")
    cell = held([0, 7, -1], help="panel, question and card that are selected")

    shows = {"weights": ("weights", "values"), "push": ("push", "values")}
    follows = {"cell": ("weights", "selected")}

    def __init__(self, history, examples, **state):
        self.history, self.examples = history, examples
        super().__init__(**state)
        controls, weights, push, caption = self.children
        self.children = [controls, HBox([weights, push]), caption]

    @property
    def weights(self) -> torch.Tensor:
        """[questions, cards] of the row of cards that is shown."""
        return self.result.weights

    @property
    def push(self) -> torch.Tensor:
        """Minus the gradient of the loss with respect to the scores, [questions, cards]."""
        return self.result.push

    def __repr__(self):
        # Without the shares: they differ a little from one machine's training to the next.
        if not hasattr(self, "parts"):
            return super().__repr__()
        return f"{type(self).__name__}({self.score}, step {self.step}): {FORMULAS[self.score]}"

    def views(self):
        zeros, half = torch.zeros(1, QUESTIONS, CARDS), {"flex": "1 1 0", "min_width": "0"}
        return {
            "weights": Matrix(zeros, panel_names=["weights"], **LABELS, layout=half),
            "push": Matrix(zeros, panel_names=["push of the loss"], scale="scores", limit=1.0, **LABELS, layout=half),
        }

    def compute(self, state):
        if state.step not in self.history[state.score]:
            raise ValueError(f"there is no model of step {state.step}: train to the end first")
        model, at = self.history[state.score][state.step], state.again % len(self.examples.letters)
        answers, seen = model(self.examples.letters, self.examples.digits)
        loss = cross_entropy(answers[at].flatten(0, 1), wanted(self.examples)[at].flatten(), reduction="sum")
        push = -torch.autograd.grad(loss, seen.scores)[0]
        weights, scores, push = (part[at].flatten(0, 1).detach() for part in (seen.weights, seen.scores, push))
        parameters = sum(p.numel() for p in model.score.parameters()) if hasattr(model.score, "parameters") else 0
        return Read(weights, scores, push, *graded(answers, seen, self.examples), parameters)

    def picture(self, state, result):
        at = state.again % len(self.examples.letters)
        labels = {"key_labels": cards((self.examples.letters[at], self.examples.digits[at]))}
        return {"weights": {**labels, "values": result.weights, "scores": result.scores},
                "push": {**labels, "values": result.push, "selected": state.cell}}

    def sentence(self, state, result):
        count = f"{result.parameters} parameters" if result.parameters else "no parameters"
        (place, letter), (on_place, on_letter) = result.right, result.on_key
        told = [query(state.score), f" = {FORMULAS[state.score]}, {count}: right answers ",
                query(percent(place)), " by place, ", query(percent(letter)), " by letter; ",
                key("weight on the right card"), f" {percent(on_place)} and {percent(on_letter)}. "]
        return say(*told, VERDICTS[verdict(state.score, result)])

    def code(self, state):
        return "\n".join([
            "import torch",
            "from torch.nn.functional import cross_entropy",
            "",
            f"model, at = history[{state.score!r}][{state.step}], {state.again % len(self.examples.letters)}",
            "answers, seen = model(examples.letters, examples.digits)",
            "wanted = examples.digits.unsqueeze(1).expand_as(examples.right).gather(2, examples.right)",
            "loss = cross_entropy(answers[at].flatten(0, 1), wanted[at].flatten(), reduction='sum')",
            "push = -torch.autograd.grad(loss, seen.scores)[0][at].flatten(0, 1)  # [questions, cards]",
            "weights = seen.weights[at].flatten(0, 1)",
        ])


VERDICTS = {
    "knows": "Nearly nothing pushes any more: it has learned both.",
    "blurred": "No cosine is above 1, so no card gets much of the weight: it reads too many at once.",
    "by place": "By letter the push goes on and on: no parameter of it can follow, for it never sees what a card says.",
    "blind": "All rows are the same, and no push can change that: whatever the question is, it cancels.",
    "learns": "The push says where the weight should go: it is still learning.",
}


def verdict(score: str, result: Read) -> str:
    """Which of `VERDICTS` fits the numbers."""
    place, letter = result.right
    if min(place, letter) > 0.95:
        return "knows"
    if place > 0.95 and letter < 0.5:
        return "by place"
    if score == "concat":
        return "blind"
    return "blurred" if score == "content" else "learns"
