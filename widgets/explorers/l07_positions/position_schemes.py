"""The same word many times, or any words: what each code of positions lets attention know of their places."""

from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from attnlab import Attention, causal
from attnlab.analysis import attend_at_places, first_equal
from attnlab.positions import POSITIONS, Positions, RelativeBias
from attnlab.tasks.word_vectors import word_vectors
from attnlab.training import seeded
from widgets.base.controls import select, selected_cell, slider, switch, text
from widgets.base.explorer import Explorer
from widgets.base.typed import words_in
from widgets.base.words import context, key, number, one_or_more, query, quote, say
from widgets.instruments.matrix.matrix import Matrix

DIM, HEADS, LONGEST, MOST = 64, 8, 64, 10
HEAD_DIM = DIM // HEADS
MAPS = torch.randn(3, DIM, HEAD_DIM, generator=torch.Generator().manual_seed(2)) / DIM**0.5  # of the first head
EQUAL = 1e-4  # what two numbers may differ by and still be the same: sums of float32 in another order
WHERE = {
    "none": "Nothing tells the places.",
    "one_hot": "The place is appended to the word as a one-hot vector, then one map takes both.",
    "learned": "Each place has a vector of its own, added to the word; random here, for nothing has been trained yet.",
    "sinusoidal": "Waves are added to the word, with different heights at each place.",
    "relative": "Each distance adds its number to the score; set by hand here, to like the word before.",
    "alibi": "Every step of distance lowers the score by a half, to the left as to the right.",
    "rotary": "Query and key are turned by their places; the product knows the difference of the two turns.",
}


class SchemeResult(NamedTuple):
    """attention: of the words as they are shown; its context is [words, 8]. mask: [words, words] or None. kinds: how
    many outputs differ from one another. reversed_by: how far any word's output moves when the words are read the other
    way round. moved_by: how far any weight is from what it is when the words stand at places 0, 1, 2 ..."""

    words: list[str]
    attention: Attention
    mask: Tensor | None
    kinds: int
    reversed_by: float
    moved_by: float


@cache
def position_code(scheme: str) -> Positions:
    """The code of positions, with the same numbers every time."""
    with seeded(1):
        code = POSITIONS[scheme](DIM, HEADS, LONGEST)
    if isinstance(code, RelativeBias):  # all zeros before it is trained
        code.table.data[:, 1], code.table.data[:, 17:] = 2.0, -1.0  # one step before; all that follow
    return code


class PositionSchemesExplorer(Explorer):
    """One switch over all codes of positions, on any words, at any place, in both directions."""

    scheme = select(POSITIONS, label="positions", help="how the places are told")
    text = text(" ".join(["buffalo"] * 8), label="words", width=22, help="two to ten words")
    start = slider(0, 0, 40, label="words before", help="how many words stand before the first one")
    backwards = switch(False, help="the words in the other order")
    causal_mask = switch(False, label="causal mask", help="a word may look at itself and at those before it")
    cell = selected_cell([0, 1, -1])

    shows = {"weights": ("matrix", "values"), "outputs": ("outputs", "values")}
    row = ("matrix", "outputs")

    @property
    def weights(self) -> Tensor:
        """[words, words] as shown."""
        return self.result.attention.weights

    def views(self) -> dict:
        half = {"flex": "1 1 300px", "min_width": "0"}
        return {
            "matrix": Matrix(torch.zeros(2, 2), panel_names=["weights"], layout=half),
            "outputs": Matrix(
                torch.zeros(2, HEAD_DIM),
                panel_names=["outputs"],
                scale="scores",
                limit=2.0,
                measure="output",
                query_title="word",
                key_title="number",
                layout=half,
            ),
        }

    def words(self, state) -> list[str]:
        """The words in the order that is shown. Raises ValueError for too few, too many and very long ones."""
        words = words_in(state.text, MOST)
        return words[::-1] if state.backwards else words

    @torch.no_grad()
    def compute(self, state) -> SchemeResult:
        words, positions = self.words(state), position_code(state.scheme)
        mask = causal(len(words)) if state.causal_mask else None

        def read(words: list[str], start: int) -> Attention:
            return attend_at_places(positions, word_vectors(words, DIM), MAPS, start, mask)

        found, first = read(words, state.start), read(words, 0)
        other = read(words[::-1], state.start).context.flip(0)
        kinds = len(set(first_equal(found.context, EQUAL)))
        return SchemeResult(
            words,
            found,
            mask,
            kinds,
            (found.context - other).abs().max().item(),
            (found.weights - first.weights).abs().max().item(),
        )

    def picture(self, state, result) -> dict:
        words, attention = result.words, result.attention
        fits = state.cell and max(state.cell[1:]) < len(words)
        return {
            "matrix": {
                "values": attention.weights,
                "scores": attention.scores,
                "mask": result.mask,
                "query_labels": words,
                "key_labels": words,
                "selected": state.cell if fits else [],
            },
            "outputs": {"values": attention.context, "query_labels": words},
        }

    def sentence(self, state, result) -> list:
        words, where = result.words, WHERE[state.scheme]
        if state.scheme == "none" and state.causal_mask:
            where = "Nothing but the mask tells who comes first."
        parts = [query(state.scheme), f": {where} "]
        if len(set(words)) == 1:
            parts += [
                f"The word {quote(words[0])}, {len(words)} times, gets ",
                context("one and the same output" if result.kinds == 1 else f"{result.kinds} different outputs"),
                ". ",
            ]
        else:
            parts += [
                "With the words read the other way round, ",
                context("the outputs"),
                " do not change. "
                if result.reversed_by < EQUAL
                else f" change by up to {number(result.reversed_by)}. ",
            ]
        if state.start:
            parts += [
                f"With {one_or_more(state.start, 'word')} before them, ",
                key("the weights"),
                " are the same as without."
                if result.moved_by < EQUAL
                else f" are other ones: the largest change is {number(result.moved_by, 3)}.",
            ]
        return say(*parts)

    def code(self, state) -> str:
        words = self.words(state)
        names = ["POSITIONS", *["causal"] * state.causal_mask]
        mask = f", mask=causal({len(words)})" if state.causal_mask else ""
        return "\n".join([
            "import torch",
            f"from attnlab import {', '.join(names)}",
            "from attnlab.analysis import attend_at_places",
            "from attnlab.tasks.word_vectors import word_vectors",
            "",
            "torch.manual_seed(1)",
            f"positions = POSITIONS[{state.scheme!r}]({DIM}, {HEADS}, {LONGEST})  # width, heads, longest",
            *[
                "positions.table.data[:, 1], positions.table.data[:, 17:] = 2.0, -1.0"
                "  # one step before; all that follow"
            ]
            * (state.scheme == "relative"),
            f"maps = torch.randn(3, {DIM}, {HEAD_DIM}, generator=torch.Generator().manual_seed(2)) / {DIM} ** 0.5",
            f"x = word_vectors({words}, {DIM})",
            f"outputs, weights, _ = attend_at_places(positions, x, maps, {state.start}{mask})",
        ])
