"""Attention by hand: four words of one language read five of another, and every number can be changed."""

import torch
from traitlets import observe

from attnlab import Attention, attend, dot, scaled_dot
from widgets.base.controls import button, selected_cell, slider, switch
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, query, quote, say, value
from widgets.instruments.product.product import Product, table

QUERY_WORDS = ["the", "cat", "is", "black"]
KEY_WORDS = ["le", "chat", "est", "noir", "pad"]
QUERY = [[-0.5, 1.2, -0.4], [0.8, -0.3, 1.1], [0.2, -1.3, -0.4], [-1.2, 0.1, 0.9]]
KEY = [[-0.4, 0.6, 0.2], [1.2, 0.5, 0.3], [0.1, -0.9, -0.2], [-0.7, 0.4, 0.3], [0.2, 0.1, -0.1]]
VALUE = [[0.2, -0.1], [1.0, 0.4], [-0.3, 0.9], [0.5, -0.8], [0.4, 0.7]]


class QueryKeyValueExplorer(Explorer):
    """The whole of softmax(Q Kᵀ / √d) V in one picture. Drag a number of Q, K or V, or click it and type."""

    divide = switch(True, label="divide by √3", help="the scores are divided by the square root of the size")
    masked = switch(True, label="mask the padding", help="“pad” fills up the sentence and must not be read")
    temperature = slider(1.0, 0.2, 3.0, step=0.1, help="the scores are divided by it before the softmax")
    double = button(label="double every key", help="each number of K times two")
    query = table(QUERY, help="[queries, dim]: what each word asks for", follows=("product", "query"))
    key = table(KEY, help="[keys, dim]: what each word is found by", follows=("product", "key"))
    value = table(VALUE, help="[keys, value dim]: what each word gives", follows=("product", "value"))
    cell = selected_cell([1, 1], view="product", help="query and key that are selected")

    shows = {"weights": ("product", "weights"), "scores": ("product", "scores"), "context": ("product", "context")}

    @property
    def weights(self) -> torch.Tensor:
        """[queries, keys], as shown."""
        return self.result[0].weights

    @property
    def context(self) -> torch.Tensor:
        """[queries, value dim], as shown."""
        return self.result[0].context

    def views(self) -> dict:
        return {"product": Product(query_labels=QUERY_WORDS, key_labels=KEY_WORDS, editable=["query", "key", "value"])}

    @observe("double")
    def _double_keys(self, change) -> None:
        if change.new > change.old:  # and not when a reset takes the presses back
            self.set_state({"key": [[2 * x for x in row] for row in self.key]})

    def compute(self, state) -> tuple[Attention, ...]:
        """As it is shown, and with the other division."""
        Q, K, V = (torch.tensor(rows) for rows in (state.query, state.key, state.value))
        mask = torch.tensor([word != "pad" or not state.masked for word in KEY_WORDS])
        scores = (scaled_dot, dot) if state.divide else (dot, scaled_dot)
        return tuple(attend(Q, K, V, score=score, mask=mask, temperature=state.temperature) for score in scores)

    def picture(self, state, result) -> dict:
        found, other = result
        scale = " / √3" if state.divide else ""
        hot = f" at {state.temperature:.1f}" if state.temperature != 1 else ""
        mask = torch.tensor([[word != "pad" or not state.masked for word in KEY_WORDS]]).expand_as(found.weights)
        return {
            "product": {
                "query": state.query,
                "key": state.key,
                "value": state.value,
                "mask": mask,
                "scores": found.scores,
                "weights": found.weights,
                "context": found.context,
                "other": other.weights,
                "other_name": "not divided" if state.divide else "divided",
                "divisor": 3**0.5 if state.divide else 1.0,
                "divisor_name": "√3",
                "temperature": state.temperature,
                "titles": {"scores": ["scores", f"Q Kᵀ{scale}"], "weights": ["weights", f"softmax of each row{hot}"]},
                "formula": [
                    say(context("context"), " ="),
                    say("softmax(", query("Q"), " ", key("Kᵀ"), f"{scale}) ", value("V")),
                ],
            }
        }

    def sentence(self, state, result) -> list:
        row, column = state.cell
        weights = result[0].weights
        reader, word = query(quote(QUERY_WORDS[row])), key(quote(KEY_WORDS[column]))
        if state.masked and KEY_WORDS[column] == "pad":
            return say(
                "The padding is masked: ", reader, " cannot read it, and the other weights of the row still sum to 1."
            )
        padding = float(weights[row, -1])
        most = int(weights[row].argmax())
        is_most = bool(weights[row, most] - weights[row, column] < 0.005)
        more: list = []
        if not is_most:
            more = [", and most, ", percent(float(weights[row, most])), ", from ", key(quote(KEY_WORDS[most]))]
        rest = "; the padding gets none." if state.masked else f"; the padding takes {percent(padding)}."
        if "pad" in (KEY_WORDS[column], "" if is_most else KEY_WORDS[most]):
            rest = "."
        return say(
            "The query of ",
            reader,
            " takes ",
            percent(float(weights[row, column])),
            " of its ",
            context("context"),
            " from ",
            word,
            *more,
            rest,
        )

    def code(self, state) -> str:
        score, mask = "scaled_dot" if state.divide else "dot", ", mask=mask" if state.masked else ""
        hot = f", temperature={state.temperature}" if state.temperature != 1 else ""
        return "\n".join([
            "import torch",
            f"from attnlab import attend, {score}",
            "",
            *(f"{name} = torch.tensor({getattr(state, name)})" for name in ("query", "key", "value")),
            *["mask = torch.tensor([True, True, True, True, False])  # True = may attend"] * state.masked,
            f"context, weights, scores = attend(query, key, value, score={score}{mask}{hot})",
        ])
