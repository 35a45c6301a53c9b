"""Models trained on short sequences read longer ones: where they look, and what they answer."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnlab import POSITIONS, record
from attnlab.analysis import share_at
from attnlab.tasks.tagging import accuracy
from widgets.base.controls import button, select, selected_cell, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, query, say
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.token_grid.token_grid import TokenGrid

QUESTIONS = {"two to the left": "back", "mirrored": "mirrored"}
TESTED = 200  # sequences of each length


class Answered(NamedTuple):
    """letters, wanted, given: of the sequence that is shown; wanted "" where nothing is asked. weights, scores:
    [tokens, keys] of the head that looks where it should most, in layer `layer`; share: of its weight that lies there;
    within, beyond: the same of the letters up to the trained length, and of those after it, NaN where there are none.
    right: the share of right answers over all sequences of this length."""

    letters: list[str]
    wanted: list[str]
    given: list[str]
    weights: Tensor
    scores: Tensor
    layer: int
    share: float
    within: float
    beyond: float
    right: float


class LengthGeneralisationExplorer(Explorer):
    """Make the sequence longer than any that the model has seen, and watch where its best head looks.

    models: {question: {scheme: model}}. A model maps letters [batch, tokens] to logits [batch, tokens, letters], and
        asks one attention a layer; what it adds behind the letters is one end mark.
    tasks: {question: task}, see `attnlab.tasks.tagging`. longest: the greatest length in training.
    """

    question = select(QUESTIONS, help="which letter is to be named at each place")
    scheme = select(POSITIONS, label="positions", help="how the places are told")
    length = slider(8, 4, 16, help="how many letters; the models were trained on 4 to 8")
    again = button(label="other letters", help="another sequence, never seen in training")
    cell = selected_cell([])

    shows = {"weights": ("matrix", "values")}
    unstable = True

    def __init__(self, models: Mapping[str, Mapping[str, nn.Module]], tasks, longest, lock=None, **state) -> None:
        self.models, self.tasks, self.longest = models, tasks, longest
        super().__init__(lock=lock, **state)

    @property
    def weights(self) -> Tensor:
        """[tokens, keys] as shown; the last key is the end mark."""
        return self.result.weights

    def views(self) -> dict:
        return {
            "lines": TokenGrid(names=["letters", "wanted", "answered"], title="what the model answers"),
            "matrix": Matrix(torch.zeros(2, 2), row_bars=True),
        }

    def compute(self, state) -> Answered:
        model, task = self.models[QUESTIONS[state.question]][state.scheme], self.tasks[QUESTIONS[state.question]]
        batch = task.batch(TESTED, state.length, torch.Generator().manual_seed(1000 + state.length))
        at, asked = state.again % TESTED, task.places(state.length) >= 0
        with torch.no_grad(), record(model) as trace:
            logits = model(batch.inputs)
        seen = [trace[name][0] for name in trace.names]
        weights = torch.stack([one.weights[at, :, : state.length] for one in seen])  # [layers, heads, tokens, keys]
        scores = torch.stack([one.scores[at, :, : state.length] for one in seen])
        shares = share_at(weights, task.places(state.length))
        layer, head = divmod(int(shares.argmax()), shares.shape[1])

        def letters(ids: Tensor) -> list[str]:
            return [task.vocabulary[i] if yes else "" for i, yes in zip(ids, asked, strict=True)]

        return Answered(
            [task.vocabulary[i] for i in batch.inputs[at]],
            letters(batch.targets[at]),
            letters(logits[at].argmax(-1)),
            weights[layer, head],
            scores[layer, head],
            layer,
            shares.max().item(),
            *self._on_both_sides(weights[layer, head], task.places(state.length)),
            accuracy(logits, batch.targets),
        )

    def _on_both_sides(self, weights: Tensor, places: Tensor) -> tuple[float, float]:
        """The share of a head's weight on what it should read: up to the trained length, and from there on."""
        if len(places) <= self.longest:
            return math.nan, math.nan
        within, beyond = slice(self.longest), slice(self.longest, None)
        return float(share_at(weights[None, within], places[within])), float(
            share_at(weights[None, beyond], places[beyond])
        )

    def picture(self, state, result) -> dict:
        nothing = [float("nan")] * state.length
        right = [
            float(one == other) if one else float("nan") for one, other in zip(result.wanted, result.given, strict=True)
        ]
        marks = [*result.letters, "."]
        new = [[self.longest, state.length, "never so far"]] if state.length > self.longest else []
        fits = state.cell and state.cell[1] < state.length and state.cell[2] <= state.length
        return {
            "lines": {
                "tokens": [result.letters, result.wanted, result.given],
                "right": torch.tensor([nothing, nothing, right]),
            },
            "matrix": {
                "values": result.weights,
                "scores": result.scores,
                "query_labels": result.letters,
                "key_labels": marks,
                "query_groups": new,
                "key_groups": new,
                "selected": state.cell if fits else [],
            },
        }

    def sentence(self, state, result) -> list:
        inside = state.length <= self.longest
        where = "as in training" if inside else f"{state.length - self.longest} more than ever in training"
        start = [
            query(state.scheme),
            f", {state.length} letters, {where}: ",
            context(percent(result.right)),
            f" of the answers to {TESTED} such sequences are right. ",
        ]
        if result.share < 0.5 and result.within > 0.9:
            return say(
                *start,
                f"A head of layer {result.layer + 1} has ",
                key(percent(result.within)),
                f" of its weight where the wanted letter stands up to letter {self.longest}, and ",
                key(percent(result.beyond)),
                " after that.",
            )
        if result.share < 0.5:
            return say(
                *start,
                "No head has even half of its weight where the wanted letter stands; the one that comes nearest has ",
                key(percent(result.share)),
                ".",
            )
        return say(
            *start,
            f"A head of layer {result.layer + 1} has ",
            key(percent(result.share)),
            " of its weight where the wanted letter stands.",
        )

    def code(self, state) -> str:
        question = QUESTIONS[state.question]
        return "\n".join([
            "import torch",
            "from attnlab import record",
            "from attnlab.analysis import share_at",
            "from attnlab.tasks.tagging import accuracy",
            "",
            f"model, task = models[{question!r}][{state.scheme!r}], tasks[{question!r}]",
            f"batch = task.batch({TESTED}, {state.length}, torch.Generator().manual_seed({1000 + state.length}))",
            "with torch.no_grad(), record(model) as trace:",
            "    right = accuracy(model(batch.inputs), batch.targets)",
            f"weights = [trace[name][0].weights[{state.again % TESTED}, :, :{state.length}] for name in trace.names]",
            "weights = torch.cat(weights)  # [all heads of all layers, letters, keys]",
            f"weights = weights[share_at(weights, task.places({state.length})).argmax()]",
        ])
