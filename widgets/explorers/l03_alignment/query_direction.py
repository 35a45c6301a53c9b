"""One query, five keys, two dimensions, eight scores: which key does each of them call the best match?"""

import math

import torch

from attnlab.analysis import plane_scores
from attnlab.attention import Attention, attend
from widgets.base.controls import select, slider
from widgets.base.explorer import Explorer
from widgets.base.words import key, percent, query, quote, say
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.vector_plane.vector_plane import VectorPlane

KEYS = {"a": (3.0, 0.6), "b": (0.6, 0.8), "c": (-1.0, 2.4), "d": (-1.8, -0.9), "e": (0.7, -1.6)}
SCORES = plane_scores()
NAMES = list(SCORES)
GROUPS = [[0, 3, "ready made"], [3, 6, "learned"], [6, 8, "half blind"]]
SEES = {
    "dot": "goes by direction and by length: a long key can beat a better aligned one",
    "scaled_dot": "is the dot product divided by √2: the same order, softer",
    "content": "goes by direction alone: no length matters",
    "general": "turns the keys by its W before it compares, here by a quarter: a match is what you make it",
    "additive": "can measure how near the tips are, lengths included",
    "perceptron": "is the additive score written another way, number for number",
    "concat": "asks nothing: the query's part of the score is the same for all keys and cancels",
    "location": "goes by the query and the place: what the keys are does not matter",
}


class QueryDirectionExplorer(Explorer):
    """Turn and stretch the query, stretch a key, and see whose weights follow."""

    angle = slider(
        40, 0, 355, step=5, label="turn the query", help="its direction in degrees", follows=("plane", "angle")
    )
    length = slider(2.0, 0.0, 4.0, step=0.1, label="stretch it", help="the query's length", follows=("plane", "length"))
    b = slider(1.0, 0.2, 4.0, step=0.1, label="stretch key b", help="the length of key b")
    score = select(NAMES, label="arrows show", help="the score whose weights the arrows show")
    show = select(["weights", "scores"], label="numbers", help="after the softmax, or before")

    shows = {"numbers": ("matrix", "values")}
    row = ("plane", "matrix")

    @property
    def weights(self) -> torch.Tensor:
        """[scores, keys], the rows in the order of `NAMES`."""
        return self.result.weights.squeeze(1)

    def views(self) -> dict:
        labels = list(KEYS)
        return {
            "plane": VectorPlane(
                vectors=[[0.0, 0.0]] * len(KEYS),
                labels=labels,
                turn=5.0,
                layout={"flex": "0 1 300px", "min_width": "200px", "align_self": "center"},
            ),
            "matrix": Matrix(
                torch.zeros(len(NAMES), len(KEYS)),
                query_labels=NAMES,
                key_labels=labels,
                query_title="scores",
                query_groups=GROUPS,
                layout={"flex": "1 1 360px", "min_width": "0", "align_self": "center"},
            ),
        }

    def compute(self, state) -> Attention:
        """Of all scores, one after the other: context [scores, 1, 2], weights and scores [scores, 1, keys]."""
        vector, keys = vectors(state)
        found = [attend(vector, keys, keys, score) for score in SCORES.values()]
        return Attention(*(torch.stack(part) for part in zip(*found, strict=True)))

    def picture(self, state, result) -> dict:
        weights, scores, row = result.weights[:, 0], result.scores[:, 0], NAMES.index(state.score)
        _, keys = vectors(state)
        numbers = (
            {"values": weights, "scores": scores, "scale": "weights"}
            if state.show == "weights"
            else {"values": scores, "scores": None, "scale": "scores"}
        )
        return {
            "plane": {"angle": state.angle, "length": state.length, "vectors": keys, "weights": weights[row]},
            "matrix": {**numbers, "current": row},
        }

    def sentence(self, state, result) -> list:
        weights = result.weights[NAMES.index(state.score), 0]
        best = int(weights.argmax())
        if weights.max() - weights.min() < 1e-4:
            even = f" puts {percent(float(weights[best]))} on each key: a query of length 0 has no direction."
            return say(query(state.score), even)
        return say(
            query(state.score),
            f" puts {percent(float(weights[best]))} on ",
            key(quote(list(KEYS)[best])),
            f". It {SEES[state.score]}.",
        )

    def code(self, state) -> str:
        vector, keys = vectors(state)
        return "\n".join([
            "import torch",
            "from attnlab import attend",
            "from attnlab.analysis import plane_scores",
            "",
            f"query = torch.tensor({rounded(vector)})",
            f"key = torch.tensor({rounded(keys)})",
            "found = [attend(query, key, key, score) for score in plane_scores().values()]",
            f"numbers = torch.cat([one.{state.show} for one in found])  # a row for each score",
        ])


def vectors(state) -> tuple[torch.Tensor, torch.Tensor]:
    """Query [1, 2] and keys [keys, 2] of a state."""
    angle = math.radians(state.angle)
    vector = state.length * torch.tensor([[math.cos(angle), math.sin(angle)]])
    keys = torch.tensor(list(KEYS.values()))
    b = list(KEYS).index("b")
    keys[b] *= state.b / keys[b].norm()
    return vector, keys


def rounded(rows: torch.Tensor) -> list[list[float]]:
    """Numbers as short as code wants them."""
    return [[round(x, 6) for x in row] for row in rows.tolist()]
