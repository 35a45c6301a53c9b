"""Herd: the same word many times, or any words; what each code of positions lets attention know of their places."""

from typing import NamedTuple
from zlib import crc32

import torch
from ipywidgets import HBox
from torch import Tensor

from attnlab import attend, causal, scaled_dot
from attnlab.positions import POSITIONS

from .controls import held, select, slider, switch, text
from .explorer import Explorer
from .matrix import Matrix
from .words import context, key, number, percent, query, quote, say

DIM, HEADS, LONGEST, MOST = 64, 8, 64, 10
HEAD_DIM = DIM // HEADS
EQUAL = 1e-4  # what two numbers may differ by and still be the same: sums of float32 in another order
WHERE = {
    "none": "Nothing tells the places.",
    "one_hot": "The place is appended to the word as a one-hot vector, then one map takes both.",
    "learned": "Each place has a vector of its own, added to the word; random here, for nothing was trained yet.",
    "sinusoidal": "Waves are added to the word, at each place at another height.",
    "relative": "Each distance adds its number to the score; set by hand here, to like the word before.",
    "alibi": "Every step of distance lowers the score by a half, to the left as to the right.",
    "rotary": "Query and key are turned by their places; the product knows the difference of the two turns.",
}


class Herd(NamedTuple):
    """weights, scores: [words, words]; outputs: [words, 8]. mask: [words, words] or None. kinds: how many outputs
    differ from one another. swapped: how far any word's output moves when the words are read the other way round.
    moved: how far any weight is from what it is when the words stand at places 0, 1, 2 ..."""

    words: list[str]
    weights: Tensor
    scores: Tensor
    outputs: Tensor
    mask: Tensor | None
    kinds: int
    swapped: float
    moved: float


def random(*shape, seed: int) -> Tensor:
    """Numbers of standard deviation 1, always the same ones for the same seed."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def made(scheme: str):
    """The code of positions, with the same numbers every time."""
    with torch.random.fork_rng([]):
        torch.manual_seed(1)
        code = POSITIONS[scheme](DIM, HEADS, LONGEST)
    if scheme == "relative":  # all zeros before it is trained
        code.table.data[:, 1], code.table.data[:, 17:] = 2.0, -1.0  # one step before; all that follow
    return code


def read(words: list[str], scheme: str, start: int, mask: Tensor | None):
    """What the first head gives, the first word standing at place `start`."""
    with torch.no_grad():
        positions, count = made(scheme), len(words)
        x = positions(torch.stack([random(DIM, seed=crc32(word.encode())) for word in words]), start)
        W_q, W_k, W_v = random(3, DIM, HEAD_DIM, seed=2) / DIM**0.5
        query, key = positions.rotate(x @ W_q, start), positions.rotate(x @ W_k, start)
        bias = positions.bias(count, start + count, start)
        extra = 0 if bias is None else bias[0, :, start:]
        return attend(query, key, x @ W_v, score=lambda q, k: scaled_dot(q, k) + extra, mask=mask)


class HerdExplorer(Explorer):
    """One switch over all codes of positions, on any words, at any place, in both directions."""

    scheme = select(POSITIONS, label="positions", help="how the places are told")
    text = text(" ".join(["buffalo"] * 8), label="words", width=22, help="two to ten words")
    start = slider(0, 0, 40, label="words before", help="how many words stand before the first one")
    backwards = switch(False, help="the words in the other order")
    causal_mask = switch(False, label="causal mask", help="a word may look at itself and at those before it")
    cell = held([0, 1, -1], help="panel, query and key that are selected")

    shows = {"weights": ("matrix", "values"), "outputs": ("outputs", "values")}
    follows = {"cell": ("matrix", "selected")}

    def __init__(self, **state):
        super().__init__(**state)
        controls, matrix, outputs, caption = self.children
        self.children = [controls, HBox([matrix, outputs]), caption]

    @property
    def weights(self) -> Tensor:
        """[words, words] as shown."""
        return self.result.weights

    def views(self):
        return {
            "matrix": Matrix(torch.zeros(2, 2), panel_names=["weights"],
                             layout={"flex": "1 1 0", "min_width": "0"}),
            "outputs": Matrix(torch.zeros(2, HEAD_DIM), panel_names=["outputs"], scale="scores", limit=2.0,
                              query_title="words", key_title="output",
                              layout={"flex": "1 1 0", "min_width": "0"}),
        }

    def compute(self, state):
        words = split(state)
        mask = causal(len(words)) if state.causal_mask else None
        found = read(words, state.scheme, state.start, mask)
        other = read(words[::-1], state.scheme, state.start, mask).context.flip(0)
        first = read(words, state.scheme, 0, mask)
        same = torch.cdist(found.context, found.context) < EQUAL
        kinds = len({tuple(row.tolist()) for row in same})
        return Herd(words, found.weights, found.scores, found.context, mask, kinds,
                    (found.context - other).abs().max().item(), (found.weights - first.weights).abs().max().item())

    def picture(self, state, result):
        words, cell = result.words, state.cell if state.cell and state.cell[1] < len(result.words) else []
        return {
            "matrix": {"values": result.weights, "scores": result.scores, "mask": result.mask,
                       "query_labels": words, "key_labels": words,
                       "selected": cell if cell and cell[2] < len(words) else []},
            "outputs": {"values": result.outputs, "query_labels": words},
        }

    def sentence(self, state, result):
        words, told = result.words, [query(state.scheme), f": {WHERE[state.scheme]} "]
        if len(set(words)) == 1:
            told += [f"The {len(words)} times {quote(words[0])} get ",
                     context("one and the same output" if result.kinds == 1 else f"{result.kinds} different outputs"),
                     ". "]
        else:
            told += ["Read the other way round, ", context("the outputs"),
                     " do not change. " if result.swapped < EQUAL else f" change by {number(result.swapped)}. "]
        if state.start:
            told += [f"With {state.start} words before them, ", key("the weights"), " are "
                     + ("the same as without." if result.moved < EQUAL else
                        f"other ones: one has changed by {percent(result.moved)}.")]
        return say(*told)

    def code(self, state):
        words, start = split(state), state.start
        biased = state.scheme in ("relative", "alibi")
        names = ["POSITIONS", "attend", *["causal"] * state.causal_mask, "scaled_dot"]
        score = f"lambda q, k: scaled_dot(q, k) + positions.bias({len(words)}, {start + len(words)}, {start})[0]"
        score = (score + (f"[:, {start}:]" if start else "")) if biased else "scaled_dot"
        return "\n".join([
            "from zlib import crc32",
            "",
            "import torch",
            f"from attnlab import {', '.join(names)}",
            "",
            "def random(*shape, seed):",
            "    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))",
            "",
            "torch.manual_seed(1)",
            f"positions = POSITIONS[{state.scheme!r}]({DIM}, {HEADS}, {LONGEST})  # width, heads, longest",
            *["positions.table.data[:, 1], positions.table.data[:, 17:] = 2.0, -1.0"
              "  # one step before; all that follow"] * (state.scheme == "relative"),
            f"words = {words}",
            f"x = positions(torch.stack([random({DIM}, seed=crc32(word.encode())) for word in words]), {start})",
            f"W_q, W_k, W_v = random(3, {DIM}, {HEAD_DIM}, seed=2) / {DIM} ** 0.5  # the first of {HEADS} heads",
            f"query, key = positions.rotate(x @ W_q, {start}), positions.rotate(x @ W_k, {start})",
            f"score = {score}",
            f"outputs, weights, _ = attend(query, key, x @ W_v, score"
            f"{f', mask=causal({len(words)})' if state.causal_mask else ''})",
        ])


def split(state) -> list[str]:
    """The words in the order that is shown. Raises ValueError for fewer than two, for too many, for long ones."""
    words = state.text.split()
    if not 2 <= len(words) <= MOST:
        raise ValueError(f"expected two to {MOST} words, got {len(words)}")
    if long := [word for word in words if len(word) > 20]:
        raise ValueError(f"expected words of at most 20 letters, got {long[0][:20]}…")
    return words[::-1] if state.backwards else words
