"""A batch of sentences before and after a norm. Who is measured with whom?"""

from typing import NamedTuple

import torch

from attnlab.blocks import NORMS
from widgets.base.controls import select, selected_cell, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, query, quote, say
from widgets.instruments.matrix.matrix import Matrix

SENTENCES = ["cat", "the dog barks", "all birds sing"]
DIM = 6
PAD = "pad"
VECTORS = {  # whole and half numbers, to be checked with a pencil
    "cat": (1.0, 3.0, -1.0, 2.0, 0.0, 1.0),
    "the": (0.0, -1.0, 1.0, 0.5, -0.5, 0.0),
    "dog": (2.0, 2.0, -2.0, 1.0, 0.0, -3.0),
    "barks": (-1.0, 0.0, 3.0, -2.0, 1.0, 2.0),
    "all": (0.5, -1.5, 0.0, 1.0, -0.5, 0.5),
    "birds": (3.0, 1.0, -1.0, 2.0, 1.0, 0.0),
    "sing": (-2.0, 1.0, 2.0, -1.0, 0.0, 3.0),
    PAD: (0.0,) * DIM,
}


class Normed(NamedTuple):
    """before, after: [vectors, dim]. words: the rows. groups: [start, stop, sentence]."""

    before: torch.Tensor
    after: torch.Tensor
    words: list[str]
    groups: list[list]


def padded(sentences: int, padding: int) -> list[list[str]]:
    """The first sentences, all as long as the longest and `padding` longer."""
    words = [sentence.split() for sentence in SENTENCES[:sentences]]
    longest = max(map(len, words)) + padding
    return [[*sentence, *[PAD] * (longest - len(sentence))] for sentence in words]


def normalise(norm: str, batch: list[list[str]], louder: float) -> Normed:
    """All vectors through a fresh norm; that of the first word is multiplied by `louder` before."""
    words = [word for sentence in batch for word in sentence]
    vectors = torch.tensor([VECTORS[word] for word in words])
    vectors[0] *= louder
    count = len(batch[0])
    groups = [[i * count, (i + 1) * count, f"sentence {i + 1}"] for i in range(len(batch))]
    module = NORMS[norm](DIM)  # fresh: gain 1, shift 0; in training
    with torch.no_grad():
        return Normed(vectors, module(vectors.view(len(batch), count, DIM)).flatten(0, 1), words, groups)


class NormsExplorer(Explorer):
    """Up to three sentences, padded to one length, before and after a norm. “cat” is the one to watch."""

    norm = select(["layer", "batch", "rms", "none"], help="what normalises the vectors")
    sentences = slider(3, 1, 3, label="batch size", help="how many sentences there are in the batch")
    padding = slider(0, 0, 3, help="how many vectors of padding more than needed")
    louder = slider(1.0, 0.5, 5.0, step=0.5, label="cat times", help="the vector of “cat” is multiplied by it")
    cell = selected_cell([1, 0, 1], help="panel, vector and coordinate that are selected")

    shows = {"both": ("matrix", "values")}

    @property
    def after(self) -> torch.Tensor:
        """[vectors, dim], as shown on the right."""
        return self.result.after

    def views(self) -> dict:
        return {
            "matrix": Matrix(
                torch.zeros(2, 1, DIM),
                panel_names=["before", "after"],
                scale="scores",
                limit=3.0,
                measure="value",
                query_title="vector",
                key_title="column",
            )
        }

    def compute(self, state) -> Normed:
        return normalise(state.norm, padded(state.sentences, state.padding), state.louder)

    def picture(self, state, result) -> dict:
        return {
            "matrix": {
                "values": torch.stack([result.before, result.after]),
                "query_labels": result.words,
                "query_groups": result.groups if len(result.groups) > 1 else [],
            }
        }

    def sentence(self, state, result) -> list:
        usual = normalise(state.norm, padded(len(SENTENCES), 0), 1.0)
        moved = float((result.after[0] - usual.after[0]).norm())
        _, row, column = state.cell or (0, 0, 0)
        row = row if 0 <= row < len(result.words) else 0
        column = max(column, 0)
        across, down = result.after[row], result.after[:, column]
        runs: list = [
            "After the norm: row ",
            query(quote(result.words[row])),
            f": mean {number(float(across.mean()))}, deviation ",
            f"{number(float(across.std(correction=0)))}. ",
            key(f"Column {column + 1}"),
            f": mean {number(float(down.mean()))}, deviation {number(float(down.std(correction=0)))}. ",
        ]
        if state.sentences == len(SENTENCES) and state.padding == 0 and state.louder == 1:
            return say(*runs, "Change the batch, and watch what becomes of “cat”.")
        return say(
            *runs,
            "Compared with the batch as it was at the start, the result for “cat” has moved by ",
            context(number(moved)),
            "." if moved > 0.005 else ": it does not notice.",
        )

    def code(self, state) -> str:
        result = self.compute(state)
        batch = result.before.view(state.sentences, -1, DIM).tolist()
        rows = [f"    {sentence}," for sentence in batch]
        return "\n".join([
            "import torch",
            "from attnlab.blocks import NORMS",
            "",
            "batch = torch.tensor([  # [sentences, vectors, dim]; the vectors of padding are 0",
            *rows,
            "])",
            f"norm = NORMS[{state.norm!r}]({DIM})  # fresh: gain 1, shift 0",
            "both = torch.stack([batch, norm(batch).detach()]).flatten(1, 2)  # before and after",
        ])
