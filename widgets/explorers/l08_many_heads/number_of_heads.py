"""The same four maps, cut into one head or into eight: what each head then reads."""

import torch

from attnlab import Attention, MultiHeadAttention, record
from attnlab.costs import self_attention
from attnlab.tasks.word_vectors import word_vectors
from attnlab.training import seeded
from widgets.base.controls import select, selected_cell, text
from widgets.base.explorer import Explorer
from widgets.base.typed import words_in
from widgets.base.words import context, key, percent, query, quote, say
from widgets.instruments.matrix.matrix import Matrix

DIM = 16
MOST = 8
SHARP = 4  # fresh maps give weights that are almost even: with larger queries one sees more


def random_attention(heads: int) -> MultiHeadAttention:
    """Random maps, the same ones whatever the number of heads."""
    with seeded(0):
        attention = MultiHeadAttention(DIM, heads)
    attention.query.weight.data *= SHARP
    return attention


class NumberOfHeadsExplorer(Explorer):
    """Words, and one matrix of weights for each head. Nothing is trained."""

    heads = select(["1", "2", "4", "8"], default="1", help="into how many heads the width of 16 is cut")
    words = text("the cat sat on the mat", width=26, help="two to eight words")
    cell = selected_cell([], help="head, query and key that are selected")

    shows = {"weights": ("matrix", "values")}

    @property
    def weights(self) -> torch.Tensor:
        """[heads, words, words]."""
        return self.result.weights[0]

    def views(self) -> dict:
        return {"matrix": Matrix(torch.zeros(1, 6, 6), query_title="reads", key_title="is read")}

    def compute(self, state) -> Attention:
        x, attention = word_vectors(words_in(state.words, MOST), DIM), random_attention(int(state.heads))
        with torch.no_grad(), record(attention) as trace:
            attention(x[None])
        return trace[""][0]

    def picture(self, state, result) -> dict:
        words, heads = state.words.split(), int(state.heads)
        names = [f"head {head}" for head in range(1, heads + 1)] if heads > 1 else []
        return {
            "matrix": {
                "values": result.weights[0],
                "scores": result.scores[0],
                "query_labels": words,
                "key_labels": words,
                "panel_names": names,
            }
        }

    def sentence(self, state, result) -> list:
        words, heads = state.words.split(), int(state.heads)
        cost = self_attention(len(words), DIM)
        size = [context(f"{cost.parameters:,} parameters"), f" without biases and {cost.operations:,} multiply-adds, "]
        row = result.weights[0, 0, -1]
        last = int(row.argmax())
        reads = (
            ["The last word reads all alike. "]
            if float(row.max() - row.min()) < 1e-4
            else [
                "The last word reads ",
                key(quote(words[last])),
                " most, with ",
                percent(float(result.weights[0, 0, -1, last])),
                ". ",
            ]
        )
        if heads == 1:
            return say(query("One head of width 16"), ": ", *size, f"and one matrix of {cost.matrix} weights. ", *reads)
        choices = len(set(result.weights[0, :, -1].argmax(-1).tolist()))
        return say(
            query(f"{heads} heads of width {DIM // heads}"),
            ": ",
            *size,
            "the same as for one; ",
            f"{heads} matrices of {cost.matrix} weights. Asked by the last word, they point at ",
            key("one word." if choices == 1 else f"{choices} different words."),
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab import MultiHeadAttention, record",
            "from attnlab.tasks.word_vectors import word_vectors",
            "",
            f"x = word_vectors({state.words.split()}, {DIM})[None]",
            "torch.manual_seed(0)",
            f"attention = MultiHeadAttention({DIM}, heads={state.heads})",
            f"attention.query.weight.data *= {SHARP}  # fresh weights are almost even",
            "with torch.no_grad(), record(attention) as trace:",
            "    attention(x)",
            'weights = trace[""][0].weights[0]  # [heads, words, words]',
        ])
