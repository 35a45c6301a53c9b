"""Order: words dragged into another order, and what self-attention makes of it. The first explorer of lesson 05."""

from typing import NamedTuple
from zlib import crc32

import torch
from torch import Tensor

from attnlab import attend, causal, sinusoidal

from .controls import button, switch, text
from .dragged import Dragged
from .words import context, number, percent, query, quote, say

DIM = 6
MOST = 8
EQUAL = 1e-12  # below it two outputs are the same but for rounding


def random(*shape: int, seed: int) -> Tensor:
    """Random numbers of standard deviation 1, always the same ones for the same seed."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def vector(word: str) -> Tensor:
    """[6]: a vector for a word, whatever it is."""
    return random(DIM, seed=crc32(word.encode()))


class Moved(NamedTuple):
    """All but `order` word by word in the first order. difference: [tokens], the largest number of each output."""

    words: list[str]
    order: list[int]
    inputs: Tensor
    weights: Tensor
    scores: Tensor
    mask: Tensor | None
    contexts: Tensor
    before: Tensor
    difference: Tensor


class OrderExplorer(Dragged):
    """Drag words into another order: does each output follow its word unchanged? Add places or a mask and see."""

    text = text("dog bites man", label="words", width=20, help="two to eight words")
    shuffle = button(help="another order, at random")
    positions = switch(False, help="adds to each word's vector a code of the place where it stands")
    causal_mask = switch(False, label="causal mask", help="a word may look at itself and at those before it")

    shows = {"outputs": ("flow", "contexts"), "weights": ("matrix", "values")}
    titles = ["output as typed", "output now", "input"]

    @property
    def outputs(self) -> Tensor:
        """[words, 6]: what self-attention gives in the order that is shown, one row a place."""
        return self.result.contexts[self.result.order]

    @property
    def difference(self) -> float:
        """The largest difference of any output from what it was in the order that was typed."""
        return self.result.difference.max().item()

    def tokens(self, state):
        return read(state.text)

    def compute(self, state):
        words, order = self.tokens(state), self.in_order(state)
        x, back = torch.stack([vector(word) for word in words]), torch.tensor(order).argsort()
        W_q, W_k, W_v = random(3, DIM, DIM, seed=2) / 2
        mask = causal(len(words)) if state.causal_mask else None

        def f(x):
            placed = x + sinusoidal(len(x), DIM) if state.positions else x
            return placed, attend(placed @ W_q, placed @ W_k, placed @ W_v, mask=mask)

        _, before = f(x)
        placed, now = f(x[order])
        return Moved(words, order, placed[back], now.weights[back][:, back], now.scores[back][:, back],
                     None if mask is None else mask[back][:, back], now.context[back], before.context,
                     (now.context[back] - before.context).abs().max(-1).values)

    def picture(self, state, result):
        flow, matrix = self.placed(state, result.words)
        vectors = {"inputs": result.inputs, "contexts": result.contexts, "before": result.before,
                   "differences": result.difference}
        return {
            "flow": {**flow, **vectors, "weights": result.weights, "mask": result.mask, "placed": state.positions},
            "matrix": {**matrix, "values": result.weights, "scores": result.scores, "mask": result.mask},
        }

    def sentence(self, state, result):
        words, moved = result.words, result.order != sorted(result.order)
        changed = int((result.difference > EQUAL).sum())
        now = query(quote(" ".join(words[i] for i in result.order)))
        if not moved:
            return say("In the order that was typed. ", *self._twins(state, result))
        if not changed:
            return say(now, ": every ", context("output"), " has moved with its word and is the same to 12 decimals. ",
                       *self._blind(state))
        most = int(result.difference.argmax())
        share = f"all {changed}" if changed == len(words) else f"{changed} of {len(words)}"
        return say(now, f": {share} ", context("outputs"), f" have changed, that of {quote(words[most])} most, by "
                   f"{number(result.difference[most].item())}. ", *self._why(state))

    def _twins(self, state, result):
        """What there is to see before anything has moved."""
        words = result.words
        twin = next((word for word in words if words.count(word) > 1), None)
        if twin is None:
            asks = max(state.asks, 0) % len(words)
            row = result.weights[asks]
            return [query(quote(words[asks])), f" reads {quote(words[int(row.argmax())])} most, with "
                    f"{percent(row.max().item())} of its weight; its ", context("output"),
                    " is a mixture of all that it may see. Drag a word."]
        first, second = [i for i, word in enumerate(words) if word == twin][:2]
        if (result.contexts[first] - result.contexts[second]).abs().max() < EQUAL:
            return [f"Both {quote(twin)} have the same ", context("output"), ": nothing tells one from the other."]
        return [f"The two {quote(twin)} have different ", context("outputs"), ": now their places count."]

    @staticmethod
    def _blind(state):
        if state.positions or state.causal_mask:
            return ["These words are all alike, or nobody could see the change."]
        return ["The layer cannot tell this order from the first."]

    @staticmethod
    def _why(state):
        if state.positions and state.causal_mask:
            return ["Each word carries its place, and sees only those before it."]
        if state.positions:
            return ["Each word carries its place with it, so that another place is another input."]
        return ["Each word sees only itself and those before it, and those are others now."]

    def code(self, state):
        words, order = self.tokens(state), self.in_order(state)
        names = ["attend", *["causal"] * state.causal_mask, *["sinusoidal"] * state.positions]
        mask = ", mask=causal(len(x))" if state.causal_mask else ""
        return "\n".join([
            "from zlib import crc32",
            "",
            "import torch",
            f"from attnlab import {', '.join(names)}",
            "",
            "def random(*shape, seed):",
            "    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)",
            "",
            "def f(x):",
            *[f"    x = x + sinusoidal(len(x), {DIM})  # each word's place"] * state.positions,
            f"    return attend(x @ W_q, x @ W_k, x @ W_v{mask})",
            "",
            f"words = {words}",
            f"x = torch.stack([random({DIM}, seed=crc32(word.encode())) for word in words])",
            f"W_q, W_k, W_v = random(3, {DIM}, {DIM}, seed=2) / 2",
            "",
            f"order = torch.tensor({order})",
            "moved = f(x[order])  # another order in",
            "back = order.argsort()",
            "outputs, weights = moved.context[back], moved.weights[back][:, back]  # word by word again",
            "difference = (outputs - f(x).context).abs().max()",
        ])


def read(typed: str) -> list[str]:
    """The words of a line. Raises ValueError for fewer than two, for more than eight, and for very long ones."""
    words = typed.split()
    if not 2 <= len(words) <= MOST:
        raise ValueError(f"expected two to {MOST} words, got {len(words)}")
    if long := [word for word in words if len(word) > 20]:
        raise ValueError(f"expected words of at most 20 letters, got {long[0][:20]}…")
    return words
