"""CutExplorer: the same four maps, cut into one head or into eight."""

from zlib import crc32

import torch

from attnlab import MultiHeadAttention, record
from attnlab.costs import self_attention

from .controls import held, select, text
from .explorer import Explorer
from .matrix import Matrix
from .words import context, key, percent, query, quote, say

DIM = 16
MOST = 8
SHARP = 4  # fresh maps give weights that are almost even: with larger queries one sees more


def vectors(words: list[str]) -> torch.Tensor:
    """[1, words, 16]: random numbers, the same for the same word."""
    seeds = [torch.Generator().manual_seed(crc32(word.encode())) for word in words]
    return torch.stack([torch.randn(DIM, generator=seed) for seed in seeds])[None]


def maps(heads: int) -> MultiHeadAttention:
    """Random maps, the same ones whatever the number of heads."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attention = MultiHeadAttention(DIM, heads)
    attention.query.weight.data *= SHARP
    return attention


class CutExplorer(Explorer):
    """Words, and one matrix of weights for each head. Nothing is trained."""

    heads = select(["1", "2", "4", "8"], default="1", help="into how many heads the width of 16 is cut")
    words = text("the cat sat on the mat", width=26, help="two to eight words")
    cell = held([], help="head, query and key that are selected")

    shows = {"weights": ("matrix", "values")}
    follows = {"cell": ("matrix", "selected")}

    @property
    def weights(self) -> torch.Tensor:
        """[heads, words, words]."""
        return self.result.weights[0]

    def views(self):
        return {"matrix": Matrix(torch.zeros(1, 6, 6), query_title="reads", key_title="is read")}

    def compute(self, state):
        words = state.words.split()
        if not 2 <= len(words) <= MOST:
            raise ValueError(f"expected 2 to {MOST} words, got {len(words)}")
        attention = maps(int(state.heads))
        with torch.no_grad(), record(attention) as trace:
            attention(vectors(words))
        return trace[""][0]

    def picture(self, state, result):
        words, heads = state.words.split(), int(state.heads)
        names = [f"head {head}" for head in range(heads)] if heads > 1 else []
        return {"matrix": {"values": result.weights[0], "scores": result.scores[0], "query_labels": words,
                           "key_labels": words, "panel_names": names}}

    def sentence(self, state, result):
        words, heads = state.words.split(), int(state.heads)
        cost = self_attention(len(words), DIM)
        size = [context(f"{cost.parameters:,} parameters"), f" and {cost.operations:,} multiply-adds, "]
        last = int(result.weights[0, 0, -1].argmax())
        reads = ["The last word reads ", key(quote(words[last])), " most, with ",
                 percent(float(result.weights[0, 0, -1, last])), ". "]
        if heads == 1:
            return say(query("One head of width 16"), ": ", *size, f"and one matrix of {cost.matrix} weights. ", *reads)
        choices = len(set(result.weights[0, :, -1].argmax(-1).tolist()))
        return say(query(f"{heads} heads of width {DIM // heads}"), ": ", *size, "the same as for one; ",
                   f"{heads} matrices of {cost.matrix} weights. Asked by the last word, they point at ",
                   key("one word." if choices == 1 else f"{choices} different words."))

    def code(self, state):
        return "\n".join([
            "import torch",
            "from zlib import crc32",
            "from attnlab import MultiHeadAttention, record",
            "",
            f"words = {state.words.split()}",
            "seeds = [torch.Generator().manual_seed(crc32(word.encode())) for word in words]",
            f"x = torch.stack([torch.randn({DIM}, generator=seed) for seed in seeds])[None]",
            "torch.manual_seed(0)",
            f"attention = MultiHeadAttention({DIM}, heads={state.heads})",
            f"attention.query.weight.data *= {SHARP}  # fresh weights are almost even",
            "with torch.no_grad(), record(attention) as trace:",
            "    attention(x)",
            'weights = trace[""][0].weights[0]  # [heads, words, words]',
        ])
