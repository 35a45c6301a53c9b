"""A head whose maps are set by hand: who shall read whom?"""

import torch

from attnlab import Attention, attend
from widgets.base.controls import selected_cell, text
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, query, say, visible
from widgets.instruments.product.product import Product, table

PLACES = 4
NOTHING = [[0.0] * PLACES for _ in range(PLACES)]
OWN = [[3.0 * (row == column) for column in range(PLACES)] for row in range(PLACES)]
MOST = 0.9  # of its weight: from here on a place reads another


class HeadByHandExplorer(Explorer):
    """The letters of a word, each with its place as a single 1: so row 2 of W_q is the query of place 2. Drag the
    numbers of W_q and W_k, or click one and type."""

    word = text("noon", width=6, help="a word of four letters")
    query = table(NOTHING, help="W_q: a row is what the token at that place asks for", follows=("product", "query"))
    key = table(OWN, help="W_k: a row is what the token at that place is found by", follows=("product", "key"))
    cell = selected_cell([1, 0], view="product", help="query and key that are selected")

    shows = {"weights": ("product", "weights"), "context": ("product", "context")}

    @property
    def weights(self) -> torch.Tensor:
        """[queries, keys], as shown."""
        return self.result.weights

    def views(self) -> dict:
        titles = {
            "query": ["W_q", "row 2: what place 2 asks for"],
            "key": ["W_kᵀ", "column 1: what place 1 is found by"],
            "value": ["letters", ""],
        }
        return {"product": Product(editable=["query", "key"], titles=titles, divisor_name="√4")}

    def compute(self, state) -> Attention:
        if len(state.word) != PLACES:
            raise ValueError(f"expected a word of {PLACES} letters, got {len(state.word)}")
        W_q, W_k, letters = (torch.tensor(rows) for rows in (state.query, state.key, letters_of(state.word)))
        return attend(W_q, W_k, letters)

    def picture(self, state, result) -> dict:
        names = names_of(state.word)
        return {
            "product": {
                "query": state.query,
                "key": state.key,
                "value": letters_of(state.word),
                "query_labels": names,
                "key_labels": names,
                "mask": torch.ones_like(result.weights),
                "scores": result.scores,
                "weights": result.weights,
                "context": result.context,
                "divisor": PLACES**0.5,
            }
        }

    def sentence(self, state, result) -> list:
        asking = state.cell[0]
        share, most = result.weights[asking].max(-1)
        names = names_of(state.word)
        name, read = query(names[asking]), key(names[int(most)])
        spread = float(share - result.weights[asking].min())
        if spread < 0.01:
            found = say("Place ", name, ": no key stands out, its weights are even. ")
        else:
            found = say("Place ", name, " gives ", percent(float(share)), " of its weight to place ", read, ". ")
        before = int((result.weights.diagonal(-1) > MOST).sum())
        count = context(f"{before} of {PLACES - 1}")
        return say(*found, count, f" places read the one before with more than {percent(MOST)} of their weight.")

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab import attend",
            "",
            f"x = torch.eye({PLACES})  # each place a single 1",
            f"W_q = torch.tensor({state.query})",
            f"W_k = torch.tensor({state.key})",
            f"letters = torch.tensor({letters_of(state.word)})",
            "context, weights, scores = attend(x @ W_q, x @ W_k, letters)",
        ])


def letters_of(word: str) -> list[list[float]]:
    """[places, kinds of letters]: a single 1 in each row."""
    return [[float(letter == kind) for kind in dict.fromkeys(word)] for letter in word]


def names_of(word: str) -> list[str]:
    return [f"{place} {visible(letter)}" for place, letter in enumerate(word, start=1)]
