"""Where queries, keys and values come from: three maps of the same words, each number of them to be dragged."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from traitlets import observe

from attnlab.analysis import project, projection_graph
from attnlab.tasks.word_vectors import word_vectors
from widgets.base.controls import choice, held
from widgets.base.explorer import Explorer
from widgets.base.words import all_of, context, enumerated, key, number, percent, query, quote, say, value, visible
from widgets.instruments.machine.machine import Machine, pack

NEAR = 0.2  # of the distance of the two farthest values: less is near

WORDS = ["cats", "watch", "one", "fish"]
NAMED = {
    "width": ["noun", "verb", "animal", "plural"],
    "q": ["thing?", "count?"],
    "k": ["thing", "count"],
    "v": ["animal", "plural"],
}
X = [[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, -1.0], [1.0, 0.3, 1.0, 0.0]]
MAPS = {
    "W_q": [[0.0, 2.0], [2.0, 0.0], [0.0, 0.0], [0.0, -2.0]],
    "W_k": [[2.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, -2.0]],
    "W_v": [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
}
MOST = 6  # words: more have no room for a number in each cell
ROLES = {"asker (row)": ["q", "query"], "offer (column)": ["k", "key"], "gift (value)": ["v", "value"]}


class HeadResult(NamedTuple):
    """nodes: the parts of the picture. tensors: all its numbers by name; "context/was" [words, 2] is the context before
    any number was dragged."""

    nodes: list[dict]
    tensors: dict[str, Tensor]


class ProjectionsExplorer(Explorer):
    """Follow one word as the one that asks, as what is offered and as what is given; drag any number of the maps.

        ProjectionsExplorer()                         # four words whose numbers mean something, maps set by hand
        ProjectionsExplorer(["the", "dog", "bites"])  # any words: their vectors and the maps are random

    Raises ValueError for fewer than two words and for more than six.
    """

    word = choice(range(1, MOST + 1), 4, label="follow", help="which of the words is followed")
    role = choice(
        ROLES,
        label="as",
        roles=[role for _, role in ROLES.values()],
        help="as the one that asks, as what is offered, as what is given",
    )
    chosen = held(["q 3", "query"], "the row that is followed", ("machine", "chosen"))
    edits = held([], "dragged numbers: [map, row, column, number] each", ("machine", "edits"))

    shows = {
        "weights": lambda parts: parts["machine"].tensor("weights"),
        "context": lambda parts: parts["machine"].tensor("context"),
    }

    def __init__(self, words: Sequence[str] | None = None, **state) -> None:
        self.words = WORDS if words is None else list(words)
        if not 2 <= len(self.words) <= MOST:
            raise ValueError(f"expected 2 to {MOST} words, got {len(self.words)}")
        self.labels, self.x, self.maps = NAMED, torch.tensor(X), MAPS
        if words is not None:
            draws = torch.randn(3, 4, 2, generator=torch.Generator().manual_seed(4)) / 2
            self.labels, self.x = {}, word_vectors(self.words, 4).mul(10).round().div(10)
            self.maps = {name: rows.mul(10).round().div(10).tolist() for name, rows in zip(MAPS, draws, strict=True)}
        super().__init__(**{"word": min(4, len(self.words)), **state})

    @property
    def context(self) -> Tensor:
        """[words, 2] as shown."""
        return self.result.tensors["context"]

    @property
    def weights(self) -> Tensor:
        """[words, words] as shown."""
        return self.result.tensors["weights"]

    def views(self) -> dict:
        return {"machine": Machine("product")}

    @observe("chosen")
    def _follow_row(self, change) -> None:
        lane, _, at = (change.new[0] if change.new else "").partition(" ")
        for role, (other, _) in ROLES.items():
            if other == lane and at.isdecimal():
                self.set_state({"word": int(at) + 1, "role": role})

    @observe("word", "role")
    def _choose_row(self, change) -> None:
        self.set_state({"chosen": row_of(self)})

    def maps_of(self, state) -> dict[str, list]:
        """The three maps with what was dragged."""
        maps = {name: [list(row) for row in rows] for name, rows in self.maps.items()}
        for name, row, column, dragged in state.edits:
            if not (name in maps and row in range(4) and column in range(2)):
                raise ValueError(f"expected a number of W_q, W_k or W_v, 4 × 2 each, got {[name, row, column]}")
            maps[name][row][column] = dragged
        return maps

    def compute(self, state) -> HeadResult:
        if state.word > len(self.words):
            raise ValueError(f"expected a word from 1 to {len(self.words)}, got {state.word}")
        first, dragged = ([torch.tensor(rows) for rows in maps.values()] for maps in (self.maps, self.maps_of(state)))
        nodes, tensors = projection_graph(self.x, *dragged)
        return HeadResult(nodes, {**tensors, "context/was": project(self.x, *first).context})

    def picture(self, state, result) -> dict:
        tensors = result.tensors
        spec = {
            "title": "words times three maps give queries, keys and values; scores, weights and context follow",
            "nodes": result.nodes,
            "labels": {"token": self.words, **self.labels},
            "range": [-4, 4],
        }
        cells = torch.cat([tensors[name].flatten() for name in ("x", *MAPS, "q", "k", "v")])
        plane = steady(torch.cat([tensors[name].flatten() for name in ("v", "context/was")]), 1.5)
        limits = dict.fromkeys(tensors, steady(cells, 3.0))
        limits |= {"scores": steady(tensors["scores"], 4.0), "hull": plane, "context": plane}
        return {
            "machine": {**pack(spec, tensors, limits), "chosen": row_of(state), "edits": state.edits},
            "controls": {"word": {"labels": [visible(word) for word in self.words]}},
        }

    def sentence(self, state, result) -> list:
        at = state.word - 1
        words, weights = [quote(word) for word in self.words], result.tensors["weights"]
        lane, _ = ROLES[state.role]
        most = int(weights[:, at].argmax())
        share = percent(weights[most, at].item())
        if lane == "k":
            return say(
                f"As an offer {words[at]} is one column: ",
                *(
                    [f"all words give it the same weight, {share}. "]
                    if is_even(weights[:, at])
                    else ["of all words ", query(words[most]), f" gives it most weight, {share}. "]
                ),
                key("The key"),
                " is compared and then left behind: it settles shares, and no number of it goes into a context.",
            )
        if lane == "v":
            return say(
                f"As a gift {words[at]} goes into {all_of(len(words))} contexts, as much as its weight there: ",
                value("its value"),
                f" makes up {share} of the ",
                context(f"context of {words[most]}"),
                ". Change W",
                value("v"),
                ", and no weight moves.",
            )
        return self._asking(at, words, result.tensors)

    def _asking(self, at: int, words: list[str], tensors: dict[str, Tensor]) -> list:
        weights, asked = tensors["weights"][at], tensors["q"][at].tolist()
        best, lands = int(weights.argmax()), listed(tensors["context"][at].tolist(), 2)
        names = self.labels.get("k")
        asks = (
            " and ".join(f"{number(x, 1)} {n}" for x, n in zip(asked, names, strict=True)) if names else listed(asked)
        )
        if is_even(weights):
            return say(
                query(words[at]),
                f" asks {asks}, and no key stands out: its weights are even, so its ",
                context("context"),
                f" {lands} is the middle of {all_of(len(words))} values.",
            )
        values, context_of_it = tensors["v"], tensors["context"][at]
        is_near = torch.dist(context_of_it, values[best]) < NEAR * torch.cdist(values, values).max()
        near = f", near the value of {words[best]}" if is_near else ", between the values"
        ties = [word for word, weight in zip(words, weights, strict=True) if weight > weights[best] - 0.005]
        several = len(ties) > 1
        return say(
            query(words[at]),
            f" asks {asks}; ",
            *enumerated([key(word) for word in ties]),
            f" {'fit' if several else 'fits'} best and {'get' if several else 'gets'} "
            f"{percent(weights[best].item())} of the weight{' each' * several}. So the ",
            context(f"context of {words[at]}"),
            f" lands at {lands}{near}.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab import attend",
            "",
            f"x = torch.tensor({rounded(self.x.tolist())})  # {', '.join(visible(word) for word in self.words)}",
            *(f"{name} = torch.tensor({rounded(rows)})" for name, rows in self.maps_of(state).items()),
            "query, key, value = x @ W_q, x @ W_k, x @ W_v",
            "context, weights, scores = attend(query, key, value)",
        ])


def is_even(weights: Tensor) -> bool:
    """Whether no one stands out."""
    return float(weights.max() - weights.min()) < 0.02


def row_of(state) -> list[str]:
    """What the machine follows: the row of the word in the role that it has."""
    lane, role = ROLES[state.role]
    return [f"{lane} {state.word - 1}", role]


def steady(numbers: Tensor, least: float) -> float:
    """The limit of a scale that seldom moves: `least`, doubled until it holds all numbers."""
    limit = least
    while limit < numbers.abs().max():
        limit *= 2
    return limit


def rounded(rows: list) -> list:
    """Numbers as they are dragged, to one decimal."""
    return [[round(x, 1) for x in row] for row in rows]


def listed(numbers: list[float], decimals: int = 1) -> str:
    """(0.12, −0.82)."""
    return f"({', '.join(number(x, decimals) for x in numbers)})"
