"""What a trained self-attention answers about each letter of a word, in whatever order they are dragged."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnlab import record
from widgets.base.controls import button, select, switch, text
from widgets.base.typed import letters_in
from widgets.base.words import context, key, query, quote, say
from widgets.explorers.l05_self_attention.token_order import TokenOrderExplorer

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
    def most(self) -> list[int]:
        """The letter that each reads most."""
        return self.weights.argmax(-1).tolist()

    @property
    def asked(self) -> int:
        return sum(wanted is not None for wanted in self.wanted)


class LetterClassifierExplorer(TokenOrderExplorer):
    """Type ten letters, drag them into another order, and read what the model answers for each.

    machines: {"without": ..., "with": ...}, the models without and with positions. Each maps "again" and "back" to a
    network from letters [batch, tokens] to logits [batch, tokens, answers] that asks one attention.
    letters: the letters that they know, in their order.
    """

    text = text("", label="letters", width=14, help="ten letters")
    question = select(QUESTIONS, help="what the model is asked about every letter")
    positions = switch(False, help="the model that was trained with positions")
    shuffle = button(help="another order, at random")

    shows = {"weights": ("matrix", "values")}
    unstable = True
    titles = ["", "answer", "letter"]

    def __init__(self, machines: Mapping[str, Mapping[str, nn.Module]], letters, text, lock=None, **state) -> None:
        self.machines, self.known, self.length = machines, list(letters), len(text)
        super().__init__(lock=lock, text=text, **state)

    @property
    def weights(self) -> Tensor:
        """[letters, letters] in the order that is shown."""
        order = self.result.order
        return self.result.weights[order][:, order]

    def compute(self, state) -> Answers:
        letters, order = self.tokens(state), self.in_order(state)
        placed = [letters[i] for i in order]
        machine = self.machines["with" if state.positions else "without"][QUESTIONS[state.question]]
        with torch.no_grad(), record(machine) as trace:
            logits = machine(torch.tensor([[self.known.index(letter) for letter in placed]]))[0].cpu()
        seen = trace[trace.names[0]][0]
        names = ["no", "yes"] if state.question == AGAIN else self.known
        given, wanted = [names[i] for i in logits.argmax(-1)], right_answers(state.question, placed)
        back = [order.index(i) for i in range(len(order))]
        weights, scores = (numbers[0, 0].cpu()[back][:, back] for numbers in (seen.weights, seen.scores))
        return Answers(
            letters,
            order,
            weights,
            scores,
            logits.softmax(-1)[back],
            [given[i] for i in back],
            [wanted[i] for i in back],
        )

    def tokens(self, state) -> list[str]:
        return letters_in(state.text, self.known, self.length)

    def picture(self, state, result) -> dict:
        flow, matrix = self.arranged(state, result.letters)
        answers = [
            ["–", "none"] if wanted is None else [given, "right" if given == wanted else "wrong"]
            for given, wanted in zip(result.given, result.wanted, strict=True)
        ]
        return {
            "flow": {**flow, "weights": result.weights, "answers": answers, "placed": state.positions},
            "matrix": {**matrix, "values": result.weights, "scores": result.scores, **self._chances(state, result)},
        }

    def _chances(self, state, result) -> dict:
        """The model's chances for the selected letter, beside the matrix."""
        if state.asks < 0:
            return {
                "distribution_title": [],
                "distribution_labels": [],
                "distribution": None,
                "distribution_chosen": -1,
            }
        about = "two to the left of " if state.question == BACK else "once more: "
        chances = result.chances[state.asks]
        return {
            "distribution_title": say(about, query(quote(result.letters[state.asks]))),
            "distribution_labels": ["no", "yes"] if state.question == AGAIN else self.known,
            "distribution": chances[None],
            "distribution_chosen": int(chances.argmax()),
        }

    def sentence(self, state, result) -> list:
        start = [context(f"{result.right} of {result.asked}"), " answers are right. "]
        if state.question == AGAIN:
            same = sum(result.letters[most] == letter for most, letter in zip(result.most, result.letters, strict=True))
            return say(
                *start,
                f"{same} of {len(result.letters)} letters read their own kind most; ",
                "this model knows the places, but need not."
                if state.positions
                else "where a letter stands makes no difference.",
            )
        if state.positions:
            there = sum(
                result.order[place - 2] == result.most[result.order[place]] for place in range(2, len(result.order))
            )
            return say(
                *start,
                f"{there} of {result.asked} letters read the place two to their left most, "
                "whichever letter stands there.",
            )
        named = max(sorted(set(result.given)), key=result.given.count)
        most = max(map(result.letters.count, result.letters))
        return say(
            *start,
            "The model cannot see who stands where. It names ",
            "what is frequent among the other letters, " if most > 1 else "any of the other letters, ",
            key(quote(named)),
            " for instance, and keeps to that answer wherever you drag the letter.",
        )

    def code(self, state) -> str:
        letters, order = self.tokens(state), self.in_order(state)
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
            "weights = trace[trace.names[0]][0].weights[0, 0][back][:, back]  # letter by letter as typed",
        ])


def right_answers(question: str, placed: list[str]) -> list[str | None]:
    """What is true of each letter, in the order in which they stand."""
    if question == AGAIN:
        return ["yes" if placed.count(letter) > 1 else "no" for letter in placed]
    return [None, None, *placed][: len(placed)]
