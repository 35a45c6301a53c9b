"""Three tokens of one number each ask each other: the example by hand of lesson 05, alive."""

import torch
from traitlets import observe

from attnlab import Attention, attend, dot
from widgets.base.controls import selected_cell, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, enumerated, key, number, percent, query, say, value
from widgets.instruments.product.product import Product, table

NAMES = ["a¹", "a²", "a³"]
START = [[0.0], [1.0], [2.0]]


class ThreeScalarsExplorer(Explorer):
    """Query, key and value are all the token itself. Change a number in one table and it changes in all three."""

    copies = slider(1, 1, 3, label="copies of a³", help="how often the third token stands in the sequence")
    x = table(START, help="[3, 1]: the number of each token")
    asking = table(START, help="the queries of all tokens, copies too: always x", follows=("product", "query"))
    answering = table(START, help="the keys: always x", follows=("product", "key"))
    giving = table(START, help="the values: always x", follows=("product", "value"))
    cell = selected_cell([1, 2], help="query and key that are selected", view="product")

    shows = {"weights": ("product", "weights"), "scores": ("product", "scores"), "context": ("product", "context")}

    @property
    def context(self) -> torch.Tensor:
        """[tokens, 1]: the outputs."""
        return self.result.context

    def views(self) -> dict:
        return {"product": Product(editable=["query", "key", "value"], divisor=1.0, room=5)}

    @staticmethod
    def sequence(state) -> list[list[float]]:
        """The tokens with the copies of the third."""
        return [*state.x, *[state.x[2]] * (state.copies - 1)]

    @observe("x", "copies")
    def _put_into_all_tables(self, change) -> None:
        self.set_state(dict.fromkeys(("asking", "answering", "giving"), tuple(map(tuple, self.sequence(self)))))

    @observe("asking", "answering", "giving")
    def _take_over(self, change) -> None:
        now, tokens = list(self.x), self.sequence(self)
        if len(change.new) != len(tokens):
            return
        for at, (new, old) in enumerate(zip(change.new, tokens, strict=True)):
            if new != old:
                now[min(at, 2)] = new
        self.set_state({"x": now})

    def compute(self, state) -> Attention:
        x = torch.tensor(self.sequence(state))
        return attend(x, x, x, score=dot)

    def picture(self, state, result) -> dict:
        tokens = self.sequence(state)
        names = [*NAMES, *[NAMES[2]] * (state.copies - 1)]
        at = [min(place, len(tokens) - 1) for place in state.cell]
        return {
            "product": {
                "query": tokens,
                "key": tokens,
                "value": tokens,
                "scores": result.scores,
                "weights": result.weights,
                "context": result.context,
                "query_labels": names,
                "key_labels": names,
                "selected": at,
                "titles": {
                    "query": ["Q = X", "asks"],
                    "key": ["Kᵀ = Xᵀ", "offers"],
                    "value": ["V = X", ""],
                    "scores": ["scores", "Q Kᵀ"],
                },
                "formula": [
                    say(context("context"), " ="),
                    say("softmax(", query("X"), " ", key("Xᵀ"), ") ", value("X")),
                ],
            }
        }

    def sentence(self, state, result) -> list:
        tokens = self.sequence(state)
        at = min(state.cell[0], len(tokens) - 1)
        name, row = NAMES[min(at, 2)], result.weights[at]
        gives = context(number(result.context[at].item()))
        if float(row.max() - row.min()) < 1e-6:
            return say(
                query(name),
                f" scores all alike, so each of the {len(tokens)} weights is "
                f"{percent(row[0].item())}, and its output is the mean: ",
                gives,
                ".",
            )
        shares = {name: float(row[[min(i, 2) == j for i in range(len(row))]].sum()) for j, name in enumerate(NAMES)}
        most = max(shares.values())
        alike = [key(name) for name, share in shares.items() if share > most - 0.005]
        return say(
            query(name),
            f" is {number(tokens[at][0])} and becomes ",
            gives,
            ": of all ",
            value("values"),
            " it takes ",
            *enumerated(alike),
            f" most, {percent(most)}{' each' * (len(alike) > 1)}.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "",
            f"x = torch.tensor({self.sequence(state)})  # [tokens, 1]",
            "scores = x @ x.T",
            "weights = scores.softmax(dim=-1)",
            "context = weights @ x",
        ])
