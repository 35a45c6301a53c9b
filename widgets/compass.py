"""One query, five keys, two dimensions, eight scores: which key does each of them call the best match?"""

import math

import torch
from ipywidgets import HBox

from attnlab.alignment import SCORES
from attnlab.attention import attend

from .controls import select, slider
from .explorer import Explorer
from .matrix import Matrix
from .plane import Plane
from .words import key, percent, query, quote, say

KEYS = {"a": (3.0, 0.6), "b": (0.6, 0.8), "c": (-1.0, 2.4), "d": (-1.8, -0.9), "e": (0.7, -1.6)}
NAMES = ["dot", "scaled_dot", "content", "general", "additive", "perceptron", "concat", "location"]
GROUPS = [[0, 3, "ready made"], [3, 6, "learned"], [6, 8, "half blind"]]
SEES = {
    "dot": "goes by direction and by length: a long key can beat a better aligned one",
    "scaled_dot": "is the dot product divided by √2: the same order, softer",
    "content": "goes by direction alone: no length matters",
    "general": "turns the keys by its W before it compares, here by a quarter: a match is what you make it",
    "additive": "can measure how near the tips are, which no product can",
    "perceptron": "is the additive score in another writing, number for number",
    "concat": "asks nothing: the query's part of the score is the same for all keys and cancels",
    "location": "goes by the query and the place: what the keys are does not matter",
}


def by_hand() -> dict:
    """The eight scores for two dimensions; those that would be learned have numbers that one can follow."""
    scores = {name: make(2, 2, 4) for name, make in SCORES.items()}
    sides = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    around = torch.arange(len(KEYS)) * 2 * math.pi / len(KEYS)
    with torch.no_grad():
        scores["general"].key.weight.copy_(torch.tensor([[0.0, -1.0], [1.0, 0.0]]))  # a quarter turn
        scores["additive"].query.weight.copy_(sides)
        scores["additive"].query.bias.fill_(-1.0)
        scores["additive"].key.weight.copy_(-sides)
        scores["additive"].combine.weight.fill_(-2.0)  # small where query and key differ
        scores["concat"].pair.weight.copy_(torch.tensor([[1.0, -0.5, 0.5, 0.5]]))
        scores["location"].place.weight.zero_()
        scores["location"].place.weight[: len(KEYS)] = torch.stack([around.cos(), around.sin()], dim=1)
    scores["perceptron"] = type(scores["perceptron"]).from_additive(scores["additive"])
    return {name: scores[name] for name in NAMES}


class CompassExplorer(Explorer):
    """Turn and stretch the query, stretch a key, and see whose weights follow."""

    angle = slider(40, 0, 355, step=5, label="turn the query", help="its direction in degrees")
    length = slider(2.0, 0.0, 4.0, step=0.1, label="stretch it", help="the query's length")
    b = slider(1.0, 0.2, 4.0, step=0.1, label="stretch key b", help="the length of key b")
    score = select(NAMES, label="arrows show", help="the score whose weights the arrows show")
    show = select(["weights", "scores"], label="numbers", help="after the softmax, or before")

    shows = {"numbers": ("matrix", "values")}
    follows = {"angle": ("plane", "angle"), "length": ("plane", "length")}

    def __init__(self, **state):
        self.scores = by_hand()
        super().__init__(**state)
        controls, plane, matrix, caption = self.children
        side_by_side = HBox([plane, matrix], layout={"align_items": "center", "flex_flow": "row wrap"})
        self.children = [controls, side_by_side, caption]

    @property
    def weights(self) -> torch.Tensor:
        """[scores, keys], the rows in the order of `NAMES`."""
        return self.result.weights.squeeze(1)

    def views(self):
        labels = list(KEYS)
        return {
            "plane": Plane(vectors=[[0.0, 0.0]] * len(KEYS), labels=labels, turn=5.0,
                           layout={"flex": "0 1 300px", "min_width": "200px"}),
            "matrix": Matrix(torch.zeros(len(NAMES), len(KEYS)), query_labels=NAMES, key_labels=labels,
                             query_title="scores", query_groups=GROUPS, layout={"flex": "1 1 360px", "min_width": "0"}),
        }

    def compute(self, state):
        vector, keys = _vectors(state)
        seen = [attend(vector, keys, keys, score) for score in self.scores.values()]
        return type(seen[0])(*(torch.stack(part).detach() for part in zip(*seen, strict=True)))

    def picture(self, state, result):
        weights, scores, row = result.weights[:, 0], result.scores[:, 0], NAMES.index(state.score)
        _, keys = _vectors(state)
        numbers = {"values": weights, "scores": scores, "scale": "weights"} if state.show == "weights" else {
            "values": scores, "scores": None, "scale": "scores"}
        return {
            "plane": {"angle": state.angle, "length": state.length, "vectors": keys, "weights": weights[row]},
            "matrix": {**numbers, "current": row},
        }

    def sentence(self, state, result):
        weights = result.weights[NAMES.index(state.score), 0]
        best = int(weights.argmax())
        return say(query(state.score), f" puts {percent(float(weights[best]))} on ", key(quote(list(KEYS)[best])),
                   f". It {SEES[state.score]}.")

    def code(self, state):
        vector, keys = _vectors(state)
        return "\n".join([
            "import torch",
            "from attnlab import attend",
            "from widgets.compass import by_hand  # the eight scores, with numbers that one can follow",
            "",
            f"query = torch.tensor({_rounded(vector)})",
            f"key = torch.tensor({_rounded(keys)})",
            "seen = [attend(query, key, key, score) for score in by_hand().values()]",
            f"numbers = torch.cat([found.{state.show} for found in seen])  # a row for each score",
        ])


def _vectors(state) -> tuple[torch.Tensor, torch.Tensor]:
    at = math.radians(state.angle)
    vector = state.length * torch.tensor([[math.cos(at), math.sin(at)]])
    keys = torch.tensor(list(KEYS.values()))
    b = list(KEYS).index("b")
    keys[b] *= state.b / keys[b].norm()
    return vector, keys


def _rounded(vectors) -> list:
    return [[round(x, 6) for x in row] for row in vectors.tolist()]
