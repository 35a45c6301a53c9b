"""What becomes of the words of a sentence in a stack of blocks, with and without what is around attention."""

from functools import lru_cache
from typing import NamedTuple

import torch

from attnlab.analysis import cosine_similarities, hidden_states, mean_cosine, scale_weights
from attnlab.blocks import NORMS
from attnlab.tasks import word_vectors
from widgets.base.controls import select, selected_cell, slider, switch, text
from widgets.base.explorer import Explorer
from widgets.base.typed import words_in
from widgets.base.words import context, counted, key, number, query, quote, say
from widgets.explorers.l09_block.fresh_blocks import fresh_blocks
from widgets.explorers.l09_block.log_axis import log_axis
from widgets.instruments.chart.chart import Chart, curve, figure, points
from widgets.instruments.matrix.matrix import Matrix

DIM, DEEPEST = 32, 16
AROUND = {"no residual": "bare", "pre-norm": "pre_norm", "post-norm": "post_norm"}
MOST_WORDS = 12


class Stream(NamedTuple):
    """after: [0 to DEEPEST blocks, words, dim], cosines: [words, words] at the depth that is shown."""

    after: torch.Tensor
    cosines: torch.Tensor


@lru_cache(maxsize=32)  # the slider of the depth moves along one stream
def stream(words: tuple[str, ...], weights: float, *parts) -> torch.Tensor:
    """[0 to DEEPEST blocks, words, dim]: the vectors before the first block and after each. weights: times the matrices
    of the attentions, which have no biases. parts: norm, residual and feed_forward as for `fresh_block`."""
    blocks = fresh_blocks(DEEPEST, DIM, 1, *parts)
    for block in blocks:
        scale_weights(block.attention, weights, others=0)
    return hidden_states(blocks, word_vectors(words, DIM))


def curve_and_mark(numbers: torch.Tensor, at: int) -> dict:
    """The traces of a chart: a curve and the place on it that is shown."""
    return {"0": {"y": numbers}, "1": {"x": [at], "y": [float(numbers[at])]}}


class RankCollapseExplorer(Explorer):
    """How alike the words' vectors are after some blocks of a network that has learned nothing."""

    depth = slider(0, 0, DEEPEST, help="how many blocks the words have gone through")
    around = select(AROUND, label="around", help="how each part is put into the stream")
    norm = select([name for name in NORMS if name != "unit_rms"], help="what normalises the vectors")
    feed_forward = switch(False, label="feed-forward", help="a feed-forward network in each block, after attention")
    weights = slider(1.0, 0.5, 3.0, step=0.25, help="times the weights of a fresh nn.Linear, in the attention")
    words = text("the cat sat on a mat", label="sentence", width=26, help="a vector of its own for every word")
    cell = selected_cell([0, 0, 1], help="panel and two words that are selected")

    shows = {"cosines": ("matrix", "values")}
    row = ("alike", "size")

    @property
    def cosines(self) -> torch.Tensor:
        """[words, words], as shown."""
        return self.result.cosines

    @property
    def stream(self) -> torch.Tensor:
        """[0 to 16 blocks, words, dim]."""
        return self.result.after

    def views(self) -> dict:
        matrix = Matrix(
            torch.zeros(1, 1), scale="scores", limit=1.0, measure="cosine", query_title="word", key_title="word"
        )
        return {
            "matrix": matrix,
            "alike": self._chart("alike", "context", y="cosine, mean of all pairs", y_range=[-0.3, 1.08]),
            "size": self._chart("size", "query", y="size of a vector", yaxis_type="log", yaxis_exponentformat="power"),
        }

    @staticmethod
    def _chart(name: str, role: str, **style) -> Chart:
        flat = [1.0] * (DEEPEST + 1)
        return Chart(
            figure(
                curve(flat, range(DEEPEST + 1), name, role, line_width=3, showlegend=False),
                points([0], [1.0], name="here", role=role, marker_size=12, showlegend=False),
                x="blocks",
                x_range=[-0.4, DEEPEST + 0.4],
                xaxis_dtick=4,
                height=240,
                **style,
            ),
            layout={"flex": "1 1 300px"},
        )

    def compute(self, state) -> Stream:
        words = tuple(words_in(state.words, MOST_WORDS))
        after = stream(words, state.weights, state.norm, AROUND[state.around], state.feed_forward)
        return Stream(after, cosine_similarities(after[state.depth]))

    def picture(self, state, result) -> dict:
        words, sizes = state.words.split(), result.after.double().norm(dim=-1).mean(dim=-1)
        return {
            "matrix": {"values": result.cosines, "query_labels": words, "key_labels": words},
            "alike": {"traces": curve_and_mark(mean_cosine(result.after), state.depth)},
            "size": {"traces": curve_and_mark(sizes, state.depth), "figure_layout": {"yaxis": log_axis(sizes)}},
        }

    def sentence(self, state, result) -> list:
        words, shown = state.words.split(), result.after[state.depth]
        mean, size = float(mean_cosine(shown)), float(shown.double().norm(dim=-1).mean())
        _, one, other = state.cell or (0, 0, 1)
        one, other = (i if 0 <= i < len(words) else 0 for i in (one, other))
        blocks = f"After {counted(state.depth, 'block')}" if state.depth else "Before the first block"
        runs: list = [
            f"{blocks} ",
            query(quote(words[one])),
            " and ",
            key(quote(words[other])),
            " have the cosine ",
            f"{number(float(result.cosines[one, other]))}; all pairs on average ",
            context(number(mean)),
            ". ",
        ]
        if size < 1e-3:
            runs.append("And the vectors are nearly gone. ")
        if size > 1e4:
            runs.append("And the vectors have grown beyond all measure. ")
        return say(*runs, told(result.cosines) if shown.any() else "All vectors are 0: nothing is left to compare.")

    def code(self, state) -> str:
        kind, feed, part = (
            ("EncoderBlock", ", FeedForward", f", FeedForward({DIM}, {4 * DIM})")
            if (state.feed_forward)
            else ("AttentionBlock", "", "")
        )
        return "\n".join([
            "import torch",
            "from attnlab import MultiHeadAttention",
            "from attnlab.analysis import cosine_similarities, hidden_states, scale_weights",
            f"from attnlab.blocks import NORMS, RESIDUALS, {kind}{feed}",
            "from attnlab.tasks import word_vectors",
            "",
            "torch.manual_seed(0)",
            "blocks = []",
            f"for _ in range({state.depth}):",
            f"    attention = scale_weights(MultiHeadAttention({DIM}, heads=1), {state.weights}, others=0)",
            f"    blocks.append({kind}(attention{part}, NORMS[{state.norm!r}], RESIDUALS[{AROUND[state.around]!r}]))",
            f"cosines = cosine_similarities(hidden_states(blocks, word_vectors({state.words.split()}, {DIM}))[-1])",
        ])


def told(cosines: torch.Tensor) -> str:
    """What has become of the words."""
    pairs = cosines[~torch.eye(len(cosines), dtype=torch.bool)]
    if pairs.min() > 0.9995:
        return "All words have become one vector: whatever reads it cannot tell them apart."
    if pairs.mean() > 0.995:
        return "All words are nearly one vector."
    if pairs.mean() > 0.5:
        return "The words are melting into each other."
    if pairs.max() > 0.9995:
        return "Some words point the same way."
    return "Each word is still itself."
