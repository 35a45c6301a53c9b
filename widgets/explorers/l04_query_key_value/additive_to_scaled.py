"""From the attention of lesson 02 to a layer that serves any model, one step at a time."""

from math import sqrt
from types import SimpleNamespace

import torch

from attnlab import Additive, Attention, attend, dot, scaled_dot
from attnlab.alignment import Score
from attnlab.training import seeded
from widgets.base.controls import selected_cell, stepper
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, query, quote, say, value
from widgets.instruments.product.product import Product, table

QUERY_WORDS = ["cat", "is", "black"]
KEY_WORDS = ["le", "chat", "est", "noir"]
QUERY = [[1.6, -0.6, 2.2], [0.4, -2.6, -0.8], [-2.4, 0.2, 1.8]]
INPUTS = [[-0.4, 0.6, 0.2], [1.2, 0.5, 0.3], [0.1, -0.9, -0.2], [-0.7, 0.4, 0.3]]
W_k = [[1.0, 0.0, 0.5], [0.0, 1.5, 0.0], [0.5, 0.0, 1.0]]
W_v = [[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]]
SEED = 4  # of the network that scores in the first step
NAMES = ["any similarity", "a dot product", "divided by √d", "many queries", "keys and values"]


def network(seed=SEED) -> Additive:
    """The score of lesson 02, untrained, of a fixed seed; torch's own random numbers go on undisturbed."""
    with seeded(seed):
        return Additive(3, 3, 4)


class AdditiveToScaledExplorer(Explorer):
    """One query and any similarity; a dot product; its scale; many queries; keys and values of their own."""

    step = stepper(1, 1, 5, help="how far attention has been generalised")
    query = table(QUERY, help="[queries, dim]; the first steps have one query only")
    inputs = table(INPUTS, help="[keys, dim]: the vectors that are read")
    cell = selected_cell([0, 1], view="product", help="query and key that are selected")

    shows = {"weights": ("product", "weights"), "scores": ("product", "scores"), "context": ("product", "context")}

    @property
    def weights(self) -> torch.Tensor:
        """[queries, keys], as shown."""
        return self.result.weights

    def views(self) -> dict:
        product = Product(key_labels=KEY_WORDS, selected=[0, 1], room=len(QUERY_WORDS), divisor_name="√3")
        product.observe(self._take_edits, ["query", "key"])
        return {"product": product}

    def _take_edits(self, change) -> None:
        """A hand changed a number. The picture holds only some of the queries, and at last other keys than inputs."""
        if self._quiet:
            return
        if change.name == "query":
            self.change(query=[*change.new.tolist(), *self.query[len(change.new) :]])
        else:
            self.change(inputs=change.new)

    def compute(self, state) -> Attention:
        queries, inputs = torch.tensor(state.query), torch.tensor(state.inputs)
        queries = queries if state.step >= 4 else queries[:1]
        with torch.no_grad():
            first: dict[int, Score] = {1: network(), 2: dot}
            score = first.get(state.step, scaled_dot)
            if state.step < 5:
                return attend(queries, inputs, inputs, score=score)
            return attend(queries, inputs @ torch.tensor(W_k), inputs @ torch.tensor(W_v), score=score)

    def _before(self, state) -> Attention | None:
        """What the step before gave, where this one changes the weights; else None."""
        changes = state.step in (2, 3, 5)
        return self.compute(SimpleNamespace(**{**vars(state), "step": state.step - 1})) if changes else None

    def picture(self, state, result) -> dict:
        inputs, before = torch.tensor(state.inputs), self._before(state)
        last, count = state.step == 5, len(QUERY_WORDS) if state.step >= 4 else 1
        name = "Q" if state.step >= 4 else "q"
        similarity = {1: f"f({name}, X)", 2: f"{name} Xᵀ"}.get(state.step, f"{name} Xᵀ / √3")
        titles = {
            "query": ["queries Q", ""] if count > 1 else ["one query q", ""],
            "key": ["inputs Xᵀ", "each input a column"],
            "value": ["inputs X", "once more"],
            "scores": ["scores", similarity],
            "context": ["context", "weights · X"],
        }
        if last:
            titles |= {
                "key": ["keys Kᵀ", "K = X W_k"],
                "value": ["values V", "= X W_v"],
                "scores": ["scores", "Q Kᵀ / √3"],
                "context": ["context", "weights · V"],
            }
        inner = {
            1: say("softmax(f(", query("q"), ", ", key("X"), ")) ", value("X")),
            2: say("softmax(", query("q"), " ", key("Xᵀ"), ") ", value("X")),
            5: say("softmax(", query("Q"), " ", key("Kᵀ"), " / √3) ", value("V")),
        }
        line = inner.get(state.step) or say("softmax(", query(name), " ", key("Xᵀ"), " / √3) ", value("X"))
        return {
            "product": {
                "query": state.query[:count],
                "query_labels": QUERY_WORDS[:count],
                "key": inputs @ torch.tensor(W_k) if last else inputs,
                "value": inputs @ torch.tensor(W_v) if last else inputs,
                "scores": result.scores,
                "weights": result.weights,
                "context": result.context,
                "other": before and before.weights,
                "other_name": f"step {state.step - 1}",
                "divisor": {1: 0.0, 2: 1.0}.get(state.step, sqrt(3)),
                "score_name": "a small network looks at both",
                "editable": ["query"] if last else ["query", "key"],
                "titles": titles,
                "formula": [say(f"{state.step}. {NAMES[state.step - 1]}"), say(context("context"), " ="), line],
            }
        }

    def sentence(self, state, result) -> list:
        row = min(state.cell[0], len(result.weights) - 1)
        word, read = query(quote(QUERY_WORDS[row])), key(quote(KEY_WORDS[state.cell[1]]))
        share = percent(float(result.weights[row, state.cell[1]]))
        earlier = self._before(state)
        before = earlier and percent(float(earlier.weights[row, state.cell[1]]))
        return {
            1: say(
                "As in lesson 02, a small network of 32 numbers compares one query with each input (here it has not "
                "learned yet): ",
                word,
                " gives ",
                read,
                f" {share}.",
            ),
            2: say(
                "A dot product instead of the network: no parameters, and all scores of the query are one product. ",
                word,
                " now gives ",
                read,
                f" {share}.",
            ),
            3: say(
                "Divided by √3: the order of the scores stays",
                "" if before == share else ", the choice is less sharp",
                ". ",
                read,
                f" keeps {share}." if before == share else f" goes from {before} to {share}.",
            ),
            4: say(
                "Three queries, one product: Q Xᵀ holds all 12 scores. The softmax runs along each row (dim=1), so "
                "each row sums to 1 and no query disturbs another. ",
                word,
                " gives ",
                read,
                f" {share}.",
            ),
            5: say(
                "Each input now has a ",
                key("key"),
                " to be found by and a ",
                value("value"),
                " to be read. ",
                word,
                " gives ",
                read,
                f" {share} (before: {before}), and the context has 2 numbers, not 3. Keys and values are made of "
                "X here: their maps can be dragged farther down.",
            ),
        }[state.step]

    def code(self, state) -> str:
        score = {1: "Additive", 2: "dot"}.get(state.step, "scaled_dot")
        queries = state.query if state.step >= 4 else state.query[:1]
        lines = [
            "import torch",
            f"from attnlab import {score}, attend",
            "",
            f"query = torch.tensor({queries})",
            f"X = torch.tensor({state.inputs})",
        ]
        if state.step == 1:
            lines += [
                "with torch.random.fork_rng(devices=[]):",
                f"    torch.manual_seed({SEED})",
                "    network = Additive(3, 3, 4)  # v . tanh(W_q q + W_k x + b)",
            ]
        if state.step == 5:
            lines += [f"W_k = torch.tensor({W_k})", f"W_v = torch.tensor({W_v})"]
        both = "X @ W_k, X @ W_v" if state.step == 5 else "X, X"
        name = "network" if state.step == 1 else score
        return "\n".join([*lines, f"context, weights, scores = attend(query, {both}, score={name})"])
