"""Words dragged into another order: does each output of self-attention follow its word unchanged?"""

from typing import NamedTuple

import torch
from torch import Tensor

from attnlab import Attention, attend, causal, sinusoidal
from attnlab.tasks.word_vectors import word_vectors
from widgets.base.controls import button, switch, text
from widgets.base.typed import words_in
from widgets.base.words import all_of, context, number, percent, query, quote, say
from widgets.explorers.l05_self_attention.token_order import TokenOrderExplorer

DIM = 6
MOST = 8
EQUAL = 1e-12  # below it two outputs are the same but for rounding
W_q, W_k, W_v = torch.randn(3, DIM, DIM, generator=torch.Generator().manual_seed(2), dtype=torch.float64) / 2


class Reordered(NamedTuple):
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


class PermutationExplorer(TokenOrderExplorer):
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

    def tokens(self, state) -> list[str]:
        return words_in(state.text, MOST)

    def compute(self, state) -> Reordered:
        words, order = self.tokens(state), self.in_order(state)
        x, back = word_vectors(words, DIM, torch.float64), torch.tensor(order).argsort()
        mask = causal(len(words)) if state.causal_mask else None

        def placed(x: Tensor) -> Tensor:
            return x + sinusoidal(len(x), DIM) if state.positions else x

        def f(x: Tensor) -> Attention:
            return attend(placed(x) @ W_q, placed(x) @ W_k, placed(x) @ W_v, mask=mask)

        before, now = f(x).context, f(x[order])
        return Reordered(
            words,
            order,
            placed(x[order])[back],
            now.weights[back][:, back],
            now.scores[back][:, back],
            None if mask is None else mask[back][:, back],
            now.context[back],
            before,
            (now.context[back] - before).abs().max(-1).values,
        )

    def picture(self, state, result) -> dict:
        flow, matrix = self.arranged(state, result.words)
        vectors = {
            "inputs": result.inputs,
            "contexts": result.contexts,
            "before": result.before,
            "differences": result.difference,
        }
        return {
            "flow": {**flow, **vectors, "weights": result.weights, "mask": result.mask, "placed": state.positions},
            "matrix": {**matrix, "values": result.weights, "scores": result.scores, "mask": result.mask},
        }

    def sentence(self, state, result) -> list:
        words, moved = result.words, result.order != sorted(result.order)
        changed = int((result.difference > EQUAL).sum())
        now = query(quote(" ".join(words[i] for i in result.order)))
        if not moved:
            return say("In the order that was typed. ", *self._say_as_typed(state, result))
        if not changed:
            return say(
                now,
                ": every ",
                context("output"),
                " has moved with its word and is the same to 12 decimals. ",
                *self._say_why_not(state),
            )
        most = int(result.difference.argmax())
        share = all_of(changed) if changed == len(words) else f"{changed} of {len(words)}"
        return say(
            now,
            f": {share} ",
            context("outputs"),
            f" have changed, that of {quote(words[most])} most, by {number(result.difference[most].item())}. ",
            *self._say_why(state),
        )

    def _say_as_typed(self, state, result) -> list:
        """What there is to see before anything has moved."""
        words = result.words
        twin = next((word for word in words if words.count(word) > 1), None)
        if twin is None:
            asks = max(state.asks, 0) % len(words)
            row = result.weights[asks]
            return [
                query(quote(words[asks])),
                f" reads {quote(words[int(row.argmax())])} most, with {percent(row.max().item())} of its weight; its ",
                context("output"),
                " is a mixture of all that it may see. Drag a word.",
            ]
        same = result.contexts[[i for i, word in enumerate(words) if word == twin]]
        if (same - same[0]).abs().max() < EQUAL:
            return [
                f"{all_of(len(same)).capitalize()} {quote(twin)} have the same ",
                context("output"),
                ": nothing tells one from the other.",
            ]
        which = "two" if len(same) == 2 else str(len(same))
        return [f"The {which} {quote(twin)} have different ", context("outputs"), ": now their places count."]

    @staticmethod
    def _say_why_not(state) -> list:
        if state.positions or state.causal_mask:
            return ["Only equal words have changed places, so there is nothing to see."]
        return ["The layer cannot tell this order from the first."]

    @staticmethod
    def _say_why(state) -> list:
        if state.positions and state.causal_mask:
            return ["Each word carries its place, and sees only itself and those before it."]
        if state.positions:
            return ["Each word carries its place with it, so that another place is another input."]
        return ["Each word sees only itself and those before it, and those are others now."]

    def code(self, state) -> str:
        names = ["attend", *["causal"] * state.causal_mask, *["sinusoidal"] * state.positions]
        mask = ", mask=causal(len(x))" if state.causal_mask else ""
        return "\n".join([
            "import torch",
            f"from attnlab import {', '.join(names)}",
            "from attnlab.tasks.word_vectors import word_vectors",
            f"x = word_vectors({self.tokens(state)}, {DIM}, torch.float64)",
            "W_q, W_k, W_v = torch.randn("
            f"3, {DIM}, {DIM}, generator=torch.Generator().manual_seed(2), dtype=torch.float64) / 2",
            "def f(x):",
            *[f"    x = x + sinusoidal(len(x), {DIM})  # each word's place"] * state.positions,
            f"    return attend(x @ W_q, x @ W_k, x @ W_v{mask})",
            f"order = torch.tensor({self.in_order(state)})",
            "moved, back = f(x[order]), order.argsort()  # another order in, and how to undo it",
            "outputs, weights = moved.context[back], moved.weights[back][:, back]  # word by word again",
            "difference = (outputs - f(x).context).abs().max()",
        ])
