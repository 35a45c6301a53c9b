"""Reach: models trained on short sequences read longer ones; where they look, and what they answer."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnlab import POSITIONS, record

from .controls import button, held, select, slider
from .explorer import Explorer
from .lines import Lines
from .matrix import Matrix
from .words import context, key, percent, query, say

QUESTIONS = {"two to the left": "back", "mirrored": "mirrored"}
TESTED = 200  # sequences of each length


class Reached(NamedTuple):
    """letters, wanted, given: of the sequence that is shown; wanted "" where nothing is asked. weights, scores:
    [tokens, keys] of the head that looks where it should most, in layer `layer`; share: of its weight that lies there.
    right: the share of right answers over all sequences of this length."""

    letters: list[str]
    wanted: list[str]
    given: list[str]
    weights: Tensor
    scores: Tensor
    layer: int
    share: float
    right: float


class ReachExplorer(Explorer):
    """Make the sequence longer than any that the model has seen, and watch where its best head looks.

    models: {question: {scheme: model}}. A model maps letters [batch, tokens] to logits [batch, tokens, letters], and
        asks one attention a layer; what it adds behind the letters is one end mark.
    tasks: {question: task}, see `attnlab.tasks.tagging`. longest: the greatest length in training.
    """

    question = select(QUESTIONS, help="which letter is to be named at each place")
    scheme = select(POSITIONS, label="positions", help="how the places are told")
    length = slider(8, 4, 16, help="how many letters; the models were trained on 4 to 8")
    again = button(label="other letters", help="another sequence, never seen in training")
    cell = held([], help="panel, query and key that are selected")

    shows = {"weights": ("matrix", "values")}
    follows = {"cell": ("matrix", "selected")}

    def __init__(self, models: Mapping[str, Mapping[str, nn.Module]], tasks, longest, lock=None, **state):
        self.models, self.tasks, self.longest = models, tasks, longest
        super().__init__(lock=lock, **state)

    @property
    def weights(self) -> Tensor:
        """[tokens, keys] as shown; the last key is the end mark."""
        return self.result.weights

    def __repr__(self):
        # Without answers and shares: they differ a little from one machine's training to the next.
        if not hasattr(self, "parts"):
            return super().__repr__()
        return f"ReachExplorer({self.question}, {self.scheme}, {self.length} letters, trained on up to {self.longest})"

    def views(self):
        return {"lines": Lines(names=["letters", "wanted", "answered"], title="what the model answers"),
                "matrix": Matrix(torch.zeros(2, 2), row_bars=True)}

    def compute(self, state):
        model, task = self.models[QUESTIONS[state.question]][state.scheme], self.tasks[QUESTIONS[state.question]]
        batch = task.batch(TESTED, state.length, torch.Generator().manual_seed(1000 + state.length))
        at, asked = state.again % TESTED, task.places(state.length) >= 0
        with torch.no_grad(), record(model) as trace:
            given = model(batch.inputs).argmax(-1)
        weights = torch.stack([trace[name][0].weights[at] for name in trace.names])  # [layers, heads, tokens, keys]
        scores = torch.stack([trace[name][0].scores[at] for name in trace.names])
        rows, columns = asked.nonzero()[:, 0], task.places(state.length)[asked]
        shares = weights[:, :, rows, columns].mean(-1)
        layer, head = divmod(int(shares.argmax()), shares.shape[1])
        named = task.vocabulary
        letters = [named[i] for i in batch.inputs[at]]
        return Reached(
            letters, [named[i] if yes else "" for i, yes in zip(batch.targets[at], asked, strict=True)],
            [named[i] if yes else "" for i, yes in zip(given[at], asked, strict=True)],
            weights[layer, head, : state.length], scores[layer, head, : state.length], layer,
            shares.max().item(), (given == batch.targets)[:, asked].float().mean().item(),
        )

    def picture(self, state, result):
        nothing = [float("nan")] * state.length
        right = [float(one == other) if one else float("nan")
                 for one, other in zip(result.wanted, result.given, strict=True)]
        marks = [*result.letters, "."]
        new = [[self.longest, state.length, "never so far"]] if state.length > self.longest else []
        fits = state.cell and state.cell[1] < state.length and state.cell[2] <= state.length
        return {
            "lines": {"tokens": [result.letters, result.wanted, result.given],
                      "right": torch.tensor([nothing, nothing, right])},
            "matrix": {"values": result.weights, "scores": result.scores, "query_labels": result.letters,
                       "key_labels": marks, "query_groups": new, "key_groups": new,
                       "selected": state.cell if fits else []},
        }

    def sentence(self, state, result):
        inside = state.length <= self.longest
        where = "as in training" if inside else f"{state.length - self.longest} more than ever in training"
        told = [query(state.scheme), f", {state.length} letters, {where}: ", context(percent(result.right)),
                f" of the answers to {TESTED} such sequences are right. "]
        if result.share < 0.5:
            return say(*told, "No head knows the place: the one that comes nearest has ",
                       key(percent(result.share)), " of its weight where the wanted letter stands.")
        return say(*told, f"A head of layer {result.layer + 1} has ", key(percent(result.share)),
                   " of its weight where the wanted letter stands.")

    def code(self, state):
        question = QUESTIONS[state.question]
        return "\n".join([
            "import torch",
            "from attnlab import record",
            "",
            f"model, task = models[{question!r}][{state.scheme!r}], tasks[{question!r}]",
            f"batch = task.batch({TESTED}, {state.length}, torch.Generator().manual_seed({1000 + state.length}))",
            "with torch.no_grad(), record(model) as trace:",
            "    answers = model(batch.inputs).argmax(-1)",
            f"at, places = {state.again % TESTED}, task.places({state.length})",
            "asked = (places >= 0).nonzero()[:, 0]",
            "right = (answers == batch.targets)[:, asked].float().mean()",
            "weights = torch.cat([trace[name][0].weights[at] for name in trace.names])  # all heads of all layers",
            "best = weights[:, asked, places[asked]].mean(1).argmax()",
            f"weights = weights[best, :{state.length}]",
        ])
