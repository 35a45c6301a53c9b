"""CollapseExplorer: what becomes of the words of a sentence in a stack of blocks, with and without what is around."""

import math
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

import torch
from ipywidgets import HBox
from torch import nn
from torch.nn.functional import normalize

from attnlab.blocks import NORMS, RESIDUALS, AttentionBlock, EncoderBlock, FeedForward
from attnlab.multihead import MultiHeadAttention

from .chart import Chart, curve, figure, points
from .controls import held, select, slider, switch, text
from .explorer import Explorer
from .matrix import Matrix
from .words import context, key, number, query, quote, say

DIM, DEEPEST = 32, 16
AROUND = {"no residual": "bare", "pre-norm": "pre_norm", "post-norm": "post_norm"}
MOST_WORDS = 12


class Stream(NamedTuple):
    """after: [0 to DEEPEST blocks, words, dim], cosines: [words, words] at the depth that is shown."""

    after: torch.Tensor
    cosines: torch.Tensor


def vector(word: str) -> torch.Tensor:
    """[dim]: the same for the same word."""
    return torch.randn(DIM, generator=torch.Generator().manual_seed(crc32(word.encode())))


def block(around: str, norm: str, feed_forward: bool, weights: float) -> nn.Module:
    """A fresh block as torch draws it, its attention's matrices `weights` times as large and without biases."""
    attention = MultiHeadAttention(DIM, heads=1)
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.mul_(weights if parameter.ndim == 2 else 0)
    if not feed_forward:
        return AttentionBlock(attention, NORMS[norm], RESIDUALS[around])
    return EncoderBlock(attention, FeedForward(DIM, 4 * DIM), NORMS[norm], RESIDUALS[around])


@lru_cache(maxsize=32)  # the slider of the depth moves along one stream
def stream(words: tuple, *parts) -> torch.Tensor:
    """[0 to DEEPEST blocks, words, dim]: the vectors before the first block and after each. parts: as for `block`."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        x = torch.stack([vector(word) for word in words]).unsqueeze(0)
        after = [x[0]]
        for _ in range(DEEPEST):
            x = block(*parts)(x)
            after.append(x[0])
    return torch.stack(after)


def alike(x: torch.Tensor) -> torch.Tensor:
    """[..., words, dim] -> [..., words, words], the cosine of any two."""
    return normalize(x, dim=-1, eps=1e-30) @ normalize(x, dim=-1, eps=1e-30).mT


def mean_of_pairs(cosines: torch.Tensor) -> torch.Tensor:
    """[..., words, words] -> [...], the mean over all pairs of two places."""
    count = cosines.shape[-1]
    return (cosines.sum((-2, -1)) - count) / (count * (count - 1))


def through_depth(numbers: torch.Tensor, at: int) -> dict:
    """The traces of a chart: a curve and the place on it that is shown."""
    return {"0": {"y": numbers}, "1": {"x": [at], "y": [float(numbers[at])]}}


def decades(numbers: torch.Tensor, least: int = 3) -> dict:
    """A logarithmic axis for positive numbers: whole powers of ten, at least so many, so that flat looks flat."""
    logs = numbers[numbers.isfinite() & (numbers > 0)].log10()
    if not len(logs):
        return {"range": [-1, least - 1], "dtick": 1}
    low, high = math.floor(float(logs.min())), math.ceil(float(logs.max()))
    short = max(0, least - (high - low))
    low, high = low - (short + 1) // 2, high + short // 2
    return {"range": [low, high + 0.1], "dtick": math.ceil((high - low) / 6)}


class CollapseExplorer(Explorer):
    """How alike the words' vectors are after some blocks of a network that has learned nothing."""

    depth = slider(0, 0, DEEPEST, help="how many blocks the words have gone through")
    around = select(AROUND, label="around", help="how each part is put into the stream")
    norm = select([name for name in NORMS if name != "unit_rms"], help="what normalises the vectors")
    feed_forward = switch(False, label="feed-forward", help="a feed-forward network in each block, after attention")
    weights = slider(1.0, 0.5, 3.0, step=0.25, help="times torch's fresh weights of the attention")
    words = text("the cat sat on a mat", label="sentence", width=26, help="a vector of its own for every word")
    cell = held([0, 0, 1], help="panel and two words that are selected")

    shows = {"cosines": ("matrix", "values")}
    follows = {"cell": ("matrix", "selected")}

    def __init__(self, lock=None, **state):
        super().__init__(lock=lock, **state)
        controls, matrix, alike, size, caption = self.children
        side_by_side = HBox([alike, size], layout={"flex_flow": "row wrap"})
        self.children = [controls, matrix, side_by_side, caption]

    @property
    def cosines(self) -> torch.Tensor:
        """[words, words], as shown."""
        return self.result.cosines

    @property
    def stream(self) -> torch.Tensor:
        """[0 to 16 blocks, words, dim]."""
        return self.result.after

    def views(self):
        matrix = Matrix(torch.zeros(1, 1), scale="scores", limit=1.0, measure="cosine",
                        query_title="word", key_title="word")
        return {"matrix": matrix,
                "alike": self._curve("alike", "context", y="cosine, mean of all pairs", y_range=[-0.3, 1.08]),
                "size": self._curve("size", "query", y="size of a vector", yaxis_type="log",
                                    yaxis_exponentformat="power")}

    @staticmethod
    def _curve(name, role, **style):
        flat = [1.0] * (DEEPEST + 1)
        return Chart(figure(
            curve(flat, range(DEEPEST + 1), name, role, line_width=3, showlegend=False),
            points([0], [1.0], name="here", role=role, marker_size=12, showlegend=False),
            x="blocks", x_range=[-0.4, DEEPEST + 0.4], xaxis_dtick=4, height=240, **style,
        ), layout={"flex": "1 1 300px"})

    def compute(self, state):
        words = state.words.split()
        if not 2 <= len(words) <= MOST_WORDS:
            raise ValueError(f"expected 2 to {MOST_WORDS} words, got {len(words)}")
        after = stream(tuple(words), AROUND[state.around], state.norm, state.feed_forward, state.weights)
        return Stream(after, alike(after[state.depth]))

    def picture(self, state, result):
        words = state.words.split()
        means = mean_of_pairs(alike(result.after))
        sizes = result.after.norm(dim=-1).mean(dim=-1)
        return {"matrix": {"values": result.cosines, "query_labels": words, "key_labels": words},
                "alike": {"traces": through_depth(means, state.depth)},
                "size": {"traces": through_depth(sizes, state.depth), "figure_layout": {"yaxis": decades(sizes)}}}

    def sentence(self, state, result):
        words = state.words.split()
        mean, size = (float(x) for x in (mean_of_pairs(result.cosines), result.after[state.depth].norm(dim=-1).mean()))
        _, one, other = state.cell or (0, 0, 1)
        one, other = (i if 0 <= i < len(words) else 0 for i in (one, other))
        blocks = "Before the first block" if state.depth == 0 else (
            f"After {state.depth} block{'s' if state.depth > 1 else ''}")
        told = [f"{blocks} ", query(quote(words[one])), " and ", key(quote(words[other])), " have the cosine ",
                f"{number(float(result.cosines[one, other]))}; all pairs on average ", context(number(mean)), ". "]
        if size < 1e-3:
            told.append("And the vectors are nearly gone. ")
        if size > 1e4:
            told.append("And the vectors have grown beyond all measure. ")
        if mean > 0.995:
            return say(*told, "All words have become one vector: whatever reads it cannot tell them apart.")
        if mean > 0.5:
            return say(*told, "The words are melting into each other.")
        return say(*told, "Each word is still itself.")

    def code(self, state):
        part = "attention, FeedForward(32, 128), " if state.feed_forward else "attention, "
        kind = "EncoderBlock" if state.feed_forward else "AttentionBlock"
        feed = ", FeedForward" if state.feed_forward else ""
        return "\n".join([
            "from zlib import crc32",
            "import torch",
            "from torch.nn.functional import normalize",
            "from attnlab import MultiHeadAttention",
            f"from attnlab.blocks import NORMS, RESIDUALS, {kind}{feed}",
            "",
            f"words = {state.words.split()!r}",
            "generators = [torch.Generator().manual_seed(crc32(word.encode())) for word in words]",
            "x = torch.stack([torch.randn(32, generator=g) for g in generators]).unsqueeze(0)",
            "torch.manual_seed(0)",
            "with torch.no_grad():",
            f"    for _ in range({state.depth}):",
            "        attention = MultiHeadAttention(32, heads=1)",
            "        for parameter in attention.parameters():",
            f"            parameter.mul_({state.weights} if parameter.ndim == 2 else 0)",
            f"        block = {kind}({part}NORMS[{state.norm!r}], RESIDUALS[{AROUND[state.around]!r}])",
            "        x = block(x)",
            "cosines = normalize(x[0], dim=-1, eps=1e-30) @ normalize(x[0], dim=-1, eps=1e-30).mT",
        ])
