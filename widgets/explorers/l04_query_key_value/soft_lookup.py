"""A dictionary that answers in between: three colours to look up, and any mixture of their names to ask for."""

import torch

from attnlab import Attention, attend, dot
from widgets.base.controls import selected_cell, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, percent, query, quote, say, value
from widgets.instruments.product.product import Product

COLOURS = ["red", "green", "blue"]
TABLE = torch.eye(3)  # the key of a colour is its name; its value is its light


class SoftLookupExplorer(Explorer):
    """How much red, green and blue is asked for; the answer is the values mixed as the keys match."""

    red = slider(2.0, 0.0, 8.0, step=0.5, help="how much red is asked for")
    green = slider(2.0, 0.0, 8.0, step=0.5, help="how much green is asked for")
    blue = slider(0.0, 0.0, 8.0, step=0.5, help="how much blue is asked for")
    cell = selected_cell([0, 0], view="product", help="query and key that are selected")

    shows = {"weights": ("product", "weights"), "context": ("product", "context")}

    @property
    def context(self) -> torch.Tensor:
        """[3]: the red, green and blue of the answer."""
        return self.result.context[0]

    def views(self) -> dict:
        return {
            "product": Product(
                query_labels=["asked"],
                key_labels=COLOURS,
                limit=12.0,
                key=TABLE,
                value=TABLE,
                titles={
                    "query": ["the query", "set by the sliders"],
                    "key": ["keys", "one column a name"],
                    "value": ["values", "red, green, blue light"],
                    "scores": ["scores", "query · key"],
                    "context": ["the answer", "weights · values"],
                },
                formula=[
                    say(context("answer"), " ="),
                    say("softmax(", query("query"), " · ", key("keys"), ") ", value("values")),
                ],
            )
        }

    def compute(self, state) -> Attention:
        return attend(torch.tensor([[getattr(state, colour) for colour in COLOURS]]), TABLE, TABLE, score=dot)

    def picture(self, state, result) -> dict:
        asked = [[getattr(state, colour) for colour in COLOURS]]
        return {"product": {"query": asked, **result._asdict()}}

    def sentence(self, state, result) -> list:
        weights = result.weights[0]
        most = int(weights.argmax())
        mixed = "(" + ", ".join(number(x) for x in result.context[0].tolist()) + ")"
        if float(weights[most]) > 0.99:
            return say(
                "Asked this clearly for ",
                key(quote(COLOURS[most])),
                ", it is a dictionary, almost: the ",
                "answer ",
                context(mixed),
                " is its ",
                value("value"),
                f" with {percent(float(weights[most]))}.",
            )
        shares = [percent(x) for x in weights.tolist()]
        return say(
            "The answer is ",
            context(mixed),
            f": {shares[0]} of ",
            key(quote("red")),
            f", {shares[1]} of ",
            key(quote("green")),
            f" and {shares[2]} of ",
            key(quote("blue")),
            ".",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab import attend, dot",
            "",
            "names = torch.eye(3)   # the keys: red, green, blue",
            "lights = torch.eye(3)  # the values",
            f"query = torch.tensor([[{state.red}, {state.green}, {state.blue}]])",
            "context, weights, scores = attend(query, names, lights, score=dot)",
        ])
