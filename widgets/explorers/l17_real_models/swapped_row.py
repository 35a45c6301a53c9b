"""A reader's one row of weights, to change by hand: until the answer changes, or so that it stays."""

from contextlib import suppress
from typing import NamedTuple

import torch
from torch import Tensor
from traitlets import observe

from attnlab import override
from attnlab.analysis import furthest_row, row_difference
from attnlab.pooling import PooledReader
from attnlab.tasks.reviews import VOCABULARY, Reviews, in_words
from widgets.base.controls import button, choice, held, stepper
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, percent, query, say
from widgets.instruments.chart.chart import Chart, bars, figure
from widgets.instruments.matrix.matrix import Matrix


class Swapped(NamedTuple):
    """words: of the review; asked: what the question is about. own, weights: [words], the model's row and the one that
    stands there. votes: [words], the answer if that word had all the weight, as logits. before, now: the probability
    of yes, with either row."""

    words: list[str]
    asked: str
    own: Tensor
    weights: Tensor
    votes: Tensor
    before: float
    now: float


class SwappedRowExplorer(Explorer):
    """Drag the weights of a trained reader, or have a very different row found: does it still answer the same?

    readers: {what its questions are about: (a `PooledReader`, held-out `Reviews`)}, two of them.
    """

    about = choice(["1", "2"], label="asked about", help="which reader: what its questions are about")
    review = stepper(1, 1, None, help="which review")
    other = button("very different row, same answer", help="of all rows that keep the answer, the one furthest away")
    own = button("the model's row", help="puts the model's own weights back")
    edits = held({}, help="the row that a hand has set, {0: [weights]}", follows=("matrix", "edits"))
    edited = held([], help="[about, review] that the row in `edits` belongs to")

    shows = {
        "weights": lambda parts: parts["matrix"].shown[0, 0],
        "alone": lambda parts: parts["chart"].trace(0)["y"],
    }
    unstable = True

    def __init__(self, readers: dict[str, tuple[PooledReader, Reviews]], lock=None, **state) -> None:
        self.readers = dict(readers)
        super().__init__(lock=lock, **state)

    @property
    def weights(self) -> Tensor:
        """The row that is shown, [words]."""
        return self.result.weights

    def views(self) -> dict:
        return {
            "matrix": Matrix(editing="weights", row_bars=True, query_title="asked", key_title="review"),
            "chart": Chart(
                figure(
                    bars([0.0], [""], "one word alone", "value"),
                    y="yes, if this word had all",
                    y_range=[0, 1],
                    height=200,
                    showlegend=False,
                )
            ),
        }

    @observe("edits")
    def _belongs(self, change) -> None:
        """A hand has changed the row of the review that is shown."""
        self.set_state({"edited": [self.about, self.review]})

    @observe("other")
    def _swap(self, change) -> None:
        if not change.new:
            return
        with suppress(ValueError):  # a review that is not there has no row; the banner says so
            now = self.compute(self.state)  # not what is shown still: the review may have come with it
            self.set_state({"edits": {"0": furthest_row(now.own, now.votes).tolist()}})

    @observe("own")
    def _put_back(self, change) -> None:
        self.set_state({"edits": {}})

    def chosen(self, state) -> tuple[PooledReader, Reviews]:
        """The reader and its reviews. Raises ValueError for a review that is not there."""
        reader, reviews = [*self.readers.values()][int(state.about) - 1]
        if state.review > len(reviews.tokens):
            raise ValueError(f"expected a review from 1 to {len(reviews.tokens)}, got {state.review}")
        return reader, reviews

    def by_hand(self, state) -> list | None:
        """The row that was set for this very review."""
        return next(iter(state.edits.values()), None) if state.edited == [state.about, state.review] else None

    @torch.no_grad()
    def compute(self, state) -> Swapped:
        reader, reviews = self.chosen(state)
        one, hand = slice(state.review - 1, state.review), self.by_hand(state)
        review = reviews.tokens[one], reviews.asked[one]
        own = reader.read(*review)
        with override(reader, {} if hand is None else {"attention": torch.tensor([hand])}):
            now = reader.read(*review)
        before, after = (float(found.logits.sigmoid()) for found in (own, now))
        words, asked = in_words(review[0][0]), VOCABULARY[int(review[1])]
        return Swapped(words, asked, own.weights[0], now.weights[0], own.votes[0], before, after)

    def picture(self, state, result) -> dict:
        hand, places = self.by_hand(state), list(range(len(result.words)))
        labels = [*self.readers]
        return {
            "controls": {
                "about": {"labels": labels},
                "review": {"max": len(self.chosen(state)[1].tokens)},
            },
            "matrix": {
                "values": result.own[None],
                "edits": {} if hand is None else {"0": hand},
                "query_labels": [f"{result.asked}?"],
                "key_labels": result.words,
                "selected": [0, 0, -1],
            },
            "chart": {
                "traces": {"0": {"x": places, "y": result.votes.sigmoid()}},
                "figure_layout": {"xaxis": {"tickvals": places, "ticktext": result.words}},
            },
        }

    def sentence(self, state, result) -> list:
        most = int(result.weights.argmax())
        reads = [
            key(f"“{result.words[most]}”"),
            f" (word {most + 1}) has {percent(float(result.weights[most]))} of the weight. ",
        ]
        asked = query(f"Is the {result.asked} good?")
        if self.by_hand(state) is None:
            return say("The model's own row: ", *reads, asked, " ", context(verdict(result.before)), ".")
        same = (result.now > 0.5) == (result.before > 0.5)
        far = float(row_difference(result.own, result.weights))
        return say(
            "Another row: ",
            *reads,
            f"It differs by {number(far)}, where 1 is nothing in common. ",
            asked,
            " ",
            context(verdict(result.now)),
            f"; before, it was “{verdict(result.before)}”: ",
            context("the same answer" if same else "the answer has changed"),
            ".",
        )

    def code(self, state) -> str:
        hand = self.by_hand(state)
        one = f"{state.review - 1}:{state.review}"
        row = [] if hand is None else [f"row = torch.tensor([{[round(weight, 5) for weight in hand]}])"]
        given = "" if hand is None else ', override(reader, {"attention": row})'
        return "\n".join([
            "import torch",
            *(["from attnlab import override"] if row else []),
            "",
            f"reader, reviews = readers[{[*self.readers][int(state.about) - 1]!r}]",
            *row,
            f"with torch.no_grad(){given}:",
            f"    found = reader.read(reviews.tokens[{one}], reviews.asked[{one}])",
            "weights, alone, good = found.weights[0], found.votes[0].sigmoid(), found.logits[0].sigmoid()",
        ])


def verdict(good: float) -> str:
    """What the reader says. good: the probability of yes."""
    return f"Yes, {percent(good)} sure" if good > 0.5 else f"No, {percent(1 - good)} sure"
