"""Letters: what a trained self-attention answers about each letter of a word, in whatever order they are dragged."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from traitlets import observe

from attnlab import record

from .controls import button, held, select, switch, text
from .explorer import Explorer
from .flow import Flow
from .matrix import Matrix
from .words import context, key, query, quote, say

AGAIN, BACK = "here once more?", "two to the left?"
QUESTIONS = {AGAIN: "again", BACK: "back"}


class Answers(NamedTuple):
    """All letter by letter as typed; `order` says which stands at each place. wanted: None where nothing is asked."""

    letters: list[str]
    order: list[int]
    weights: Tensor
    scores: Tensor
    chances: Tensor
    given: list[str]
    wanted: list[str | None]

    @property
    def right(self) -> int:
        return sum(given == wanted for given, wanted in zip(self.given, self.wanted, strict=True))

    @property
    def asked(self) -> int:
        return sum(wanted is not None for wanted in self.wanted)


class LettersExplorer(Explorer):
    """Type ten letters, drag them into another order, and read what the model answers for each.

    machines: {"without": ..., "with": ...}, the models without and with positions. Each maps "again" and "back" to a
    network from letters [batch, tokens] to logits [batch, tokens, answers] that asks one attention.
    letters: the letters that they know, in their order.
    """

    text = text("", label="letters", width=14, help="ten letters")
    question = select(QUESTIONS, help="what the model is asked about every letter")
    positions = switch(False, help="the model that was trained with positions")
    shuffle = button(help="another order, at random")
    order = held([], help="which letter stands at each place; [] as typed")
    rows = held([], help="the order of the matrix' rows")
    columns = held([], help="the order of the matrix' columns")
    asks = held(0, help="the letter whose query is shown")
    cell = held([0, 0, -1], help="what is selected in the matrix")

    shows = {"weights": ("matrix", "values")}
    follows = {"order": ("flow", "order"), "rows": ("matrix", "query_order"), "columns": ("matrix", "key_order"),
               "asks": ("flow", "selected"), "cell": ("matrix", "selected")}

    def __init__(self, machines: Mapping[str, Mapping[str, nn.Module]], letters, text, lock=None, **state):
        self.machines, self.known, self.length = machines, list(letters), len(text)
        super().__init__(lock=lock, text=text, **state)

    @property
    def weights(self) -> Tensor:
        """[letters, letters] in the order that is shown."""
        order = self.result.order
        return self.result.weights[order][:, order]

    def __repr__(self):
        # Without the answers: where the model must guess, another machine's training may guess another letter.
        return f"LettersExplorer({quote(self.text)}, {quote(self.question)}, positions={self.positions})"

    def views(self):
        return {"flow": Flow(titles=["", "answer", "letter"]), "matrix": Matrix(torch.zeros(1, 1), editing="order")}

    @observe("text")
    def _new_letters(self, change):
        self._set({"order": [], "asks": 0})

    @observe("shuffle")
    def _another_order(self, change):
        if change.new:
            generator = torch.Generator().manual_seed(change.new)
            self._set({"order": torch.randperm(len(self.text), generator=generator).tolist()})

    @observe("order", "rows", "columns")
    def _in_one_order(self, change):
        self._set({name: list(change.new) for name in ("order", "rows", "columns")})

    @observe("asks")
    def _asked(self, change):
        self._set({"cell": [0, change.new, -1] if change.new >= 0 else []})

    @observe("cell")
    def _chosen(self, change):
        self._set({"asks": change.new[1] if change.new else -1})

    def compute(self, state):
        letters = self._read(state.text)
        order = state.order or list(range(len(letters)))
        placed = [letters[i] for i in order]
        machine = self.machines["with" if state.positions else "without"][QUESTIONS[state.question]]
        with torch.no_grad(), record(machine) as trace:
            logits = machine(torch.tensor([[self.known.index(letter) for letter in placed]]))[0].cpu()
        seen = trace[trace.names[0]][0]
        names = ["no", "yes"] if state.question == AGAIN else self.known
        given, wanted = [names[i] for i in logits.argmax(-1)], right_answers(state.question, placed)
        back = [order.index(i) for i in range(len(order))]
        weights, scores = (numbers[0, 0].cpu()[back][:, back] for numbers in (seen.weights, seen.scores))
        return Answers(letters, order, weights, scores, logits.softmax(-1)[back],
                       [given[i] for i in back], [wanted[i] for i in back])

    def _read(self, typed: str) -> list[str]:
        letters = list(typed.strip().lower())
        if strange := [letter for letter in letters if letter not in self.known]:
            raise ValueError(f"expected letters from {self.known[0]} to {self.known[-1]}, got {quote(strange[0])}")
        if len(letters) != self.length:
            raise ValueError(f"expected {self.length} letters, as in training, got {len(letters)}")
        return letters

    def picture(self, state, result):
        asks = state.asks
        answers = [["–", "none"] if wanted is None else [given, "right" if given == wanted else "wrong"]
                   for given, wanted in zip(result.given, result.wanted, strict=True)]
        title, shares = [], None
        if asks >= 0:
            about = "two to the left of " if state.question == BACK else "once more: "
            title, shares = say(about, query(quote(result.letters[asks]))), result.chances[asks][None]
        names = ["no", "yes"] if state.question == AGAIN else self.known
        return {
            "flow": {"labels": result.letters, "weights": result.weights, "answers": answers, "order": result.order,
                     "placed": state.positions, "selected": asks},
            "matrix": {"values": result.weights, "scores": result.scores,
                       "query_labels": result.letters, "key_labels": result.letters,
                       "query_order": result.order, "key_order": result.order,
                       "selected": [0, asks, *(state.cell[2:] or [-1])] if asks >= 0 else [],
                       "distribution_title": title, "distribution_labels": names if asks >= 0 else [],
                       "distribution": shares,
                       "distribution_chosen": int(shares.argmax()) if asks >= 0 else -1},
        }

    def sentence(self, state, result):
        told = [context(f"{result.right} of {result.asked}"), " answers are right. "]
        if state.question == AGAIN:
            return say(*told, "Each letter reads those of its own kind most; where it stands makes no difference.")
        if state.positions:
            return say(*told, "Each letter reads the place two to its left, whichever letter stands there.")
        often = max(result.letters, key=lambda letter: (result.letters.count(letter), -self.known.index(letter)))
        return say(*told, "The model cannot see who stands where. It names what is frequent among the other letters, ",
                   key(quote(often)), " for instance, and keeps to that answer wherever you drag the letter.")

    def code(self, state):
        letters = self._read(state.text)
        order = state.order or list(range(len(letters)))
        kind = "with" if state.positions else "without"
        return "\n".join([
            "import torch",
            "from attnlab import record",
            "",
            f"letters = torch.tensor({[self.known.index(letter) for letter in letters]})  # {' '.join(letters)}",
            f"order = torch.tensor({order})",
            f"machine = machines[{kind!r}][{QUESTIONS[state.question]!r}]",
            "with torch.no_grad(), record(machine) as trace:",
            "    answers = machine(letters[order][None]).argmax(-1)[0]",
            "back = order.argsort()",
            'weights = trace[trace.names[0]][0].weights[0, 0][back][:, back]  # letter by letter as typed',
        ])


def right_answers(question: str, placed: list[str]) -> list[str | None]:
    """What is true of each letter, in the order in which they stand."""
    if question == AGAIN:
        return ["yes" if placed.count(letter) > 1 else "no" for letter in placed]
    return [None, None, *placed[:-2]][:len(placed)]
