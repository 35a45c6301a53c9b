"""Heads of a trained model: a matrix for each, what each was measured to do, and a switch to turn it off."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attnlab import MultiHeadAttention, causal, record
from attnlab.heads import describe, without
from attnlab.tasks.tagging import accuracy

from .chart import Chart, bars, curve, figure
from .controls import held, text
from .explorer import Explorer
from .matrix import Matrix
from .switchboard import Switchboard
from .words import context, number, percent, query, quote, say


class Seen(NamedTuple):
    """weights, scores: [heads of all layers, queries, keys] of the text. measured: what the chart shows."""

    tokens: list[str]
    weights: Tensor
    scores: Tensor
    measured: Tensor
    whole: float = 0.0


class Measured(Chart):
    """A chart whose last trace is what is measured now; before it stands the same with all heads on."""

    @property
    def heights(self) -> Tensor:
        return torch.as_tensor(self._today()["data"][-1]["y"])


class HeadsExplorer(Explorer):
    """What the two explorers below share. `off`: the heads that are off, counted on from layer to layer."""

    off = held([], help="heads that are switched off")

    shows = {"weights": ("matrix", "values"), "measured": ("chart", "heights")}
    follows = {"off": ("switches", "off")}
    mask = None  # who may look at whom, [most tokens, most tokens]

    def __init__(self, model, test, patterns, lock=None, **state):
        self.model, self.test = model, test
        attentions = {name: part for name, part in model.named_modules() if isinstance(part, MultiHeadAttention)}
        self.heads = [(name, head) for name, part in attentions.items() for head in range(part.heads)]
        with torch.no_grad(), record(model) as trace:
            model(test[0])
        self.habits = {name: describe(trace[name][0].weights, test[0], patterns, self.mask) for name in attentions}
        super().__init__(lock=lock, **state)

    @property
    def weights(self) -> Tensor:
        """[heads of all layers, queries, keys] for the text."""
        return self.result.weights

    @property
    def measured(self) -> Tensor:
        """The numbers of the chart."""
        return self.result.measured

    def views(self):
        notes = [[str(habit) for habit in habits] for habits in self.habits.values()]
        rows = [f"layer {layer}" for layer in range(len(notes))] if len(notes) > 1 else [""]
        return {"switches": Switchboard(rows=rows, notes=notes), "chart": self.chart(),
                "matrix": Matrix(query_title="reads", key_title="is read")}

    def look(self, off, tokens) -> tuple[Tensor, Tensor, Tensor]:
        """Weights and scores of all heads for one text, and the logits, with some heads off."""
        with torch.no_grad(), without(self.model, [self.heads[head] for head in off]), record(self.model) as trace:
            logits = self.model(tokens[None])[0]
        heard = [trace[name][0] for name in self.habits]
        return torch.cat([one.weights[0] for one in heard]), torch.cat([one.scores[0] for one in heard]), logits

    def panels(self, state, result) -> dict:
        """The matrix: a head that is off is hatched throughout."""
        count = len(result.tokens)
        mask = torch.ones(len(self.heads), count, count)
        if self.mask is not None:
            mask *= self.mask[:count, :count]
        mask[state.off] = 0
        return {"values": result.weights, "scores": result.scores, "mask": mask, "query_labels": result.tokens,
                "key_labels": result.tokens, "panel_names": [self.label(head) for head in range(len(self.heads))]}

    def label(self, head: int) -> str:
        name, of_layer = self.heads[head]
        return f"layer {list(self.habits).index(name)}, head {of_layer}" if len(self.habits) > 1 else f"head {of_layer}"

    def told(self, off) -> list:
        """Which heads are off, in words."""
        if not off:
            return ["All heads work. "]
        names = [self.label(head) for head in off]
        return ["Off: ", query("all heads" if len(names) == len(self.heads) else "; ".join(names)), ". "]

    def code_for(self, state, ids: str) -> list[str]:
        """The lines that both have in common."""
        return [
            "import torch",
            "from attnlab import record",
            "from attnlab.heads import without",
            "",
            f"off = {[self.heads[head] for head in state.off]}",
            f"ids = {ids}",
            "with torch.no_grad(), without(model, off), record(model) as trace:",
            "    logits = model(ids)",
            "weights = torch.cat([trace[name][0].weights[0] for name in trace.names])  # [heads, queries, keys]",
        ]


class LetterHeadsExplorer(HeadsExplorer):
    """A model that names the letters before each place: which answers fall with a head.

    model: letters [batch, tokens] -> logits [batch, tokens, wanted, symbols], with one attention.
    task, test: a `LastLetters` and a batch of it. patterns: see `attnlab.heads.describe`.
    """

    text = text("", label="letters", width=16, help="letters that the model reads, as many as in training")

    def __init__(self, model, task, test, patterns, text, lock=None, **state):
        self.task, self.length = task, len(text)
        self.answers = [f"{steps} before" for steps in range(1, task.count + 1)]
        with torch.no_grad():
            self.right = self.rates(model(test.inputs), test.targets)
        super().__init__(model, test, patterns, lock=lock, text=text, **state)

    def __repr__(self):
        # Without what the heads do: which head learns which answer may differ from machine to machine.
        return f"LetterHeadsExplorer({quote(self.text)}, {len(self.heads)} heads, {len(self.off)} off)"

    def chart(self):
        nothing = [0.0] * len(self.answers)
        return Measured(figure(
            bars(self.right, self.answers, "all heads on", "key", opacity=0.35),
            bars(nothing, self.answers, "now", "context", texttemplate="%{y:.2f}", textposition="outside"),
            x="letter that is named", y="right answers; pale: with all heads on", y_range=[0, 1.18], height=220,
            barmode="overlay", showlegend=False))

    @staticmethod
    def rates(logits, targets) -> Tensor:
        """The share of right answers, for each of the letters that are wanted."""
        return torch.tensor([accuracy(logits[:, :, i], targets[:, :, i]) for i in range(targets.shape[2])])

    def read(self, typed):
        letters = list(typed.strip().lower())
        if strange := [letter for letter in letters if letter not in self.task.vocabulary]:
            raise ValueError(f"expected letters from {self.task.vocabulary[0]} to {self.task.vocabulary[-1]}, "
                             f"got {quote(strange[0])}")
        if len(letters) != self.length:
            raise ValueError(f"expected {self.length} letters, as in training, got {len(letters)}")
        return letters, torch.tensor([self.task.vocabulary.index(letter) for letter in letters])

    def compute(self, state):
        letters, ids = self.read(state.text)
        weights, scores, _ = self.look(state.off, ids)
        with torch.no_grad(), without(self.model, [self.heads[head] for head in state.off]):
            rates = self.rates(self.model(self.test.inputs), self.test.targets)
        return Seen(letters, weights, scores, rates)

    def picture(self, state, result):
        return {"matrix": self.panels(state, result), "chart": {"traces": {"1": {"y": result.measured}}}}

    def sentence(self, state, result):
        fallen = [i for i, (now, before) in enumerate(zip(result.measured, self.right, strict=True))
                  if before - now > 0.1]
        whole = [i for i in range(len(self.answers)) if i not in fallen]
        named = "; ".join(f"{self.answers[i]}, {percent(float(result.measured[i]))}" for i in fallen)
        guess = f" (a guess is right in {percent(self.task.chance)})" if fallen else ""
        least = float(result.measured[whole].min()) if whole else 0.0
        kept = "Right in at least " if not fallen else "The others stay right in at least "
        return say(*self.told(state.off), *(["Lost: the letter ", context(named), guess, ". "] if fallen else []),
                   *([kept, context(percent(least)), "."] if whole else []))

    def code(self, state):
        ids = f"torch.tensor([[task.vocabulary.index(letter) for letter in {state.text.strip().lower()!r}]])"
        return "\n".join([
            *self.code_for(state, ids),
            "",
            "from attnlab.tasks.tagging import accuracy",
            "",
            "with torch.no_grad(), without(model, off):",
            "    logits = model(test.inputs)",
            f"measured = [accuracy(logits[:, :, i], test.targets[:, :, i]) for i in range({len(self.answers)})]",
        ])


class TextHeadsExplorer(HeadsExplorer):
    """A GPT that reads a text: how surprised it is by each letter, with some of its heads off.

    reference: the `Text` that it was trained on. test: inputs and targets [windows, tokens] of the held-out part.
    """

    text = text("", label="text", width=44, help="what the model reads")

    def __init__(self, model, reference, test, patterns, text, lock=None, **state):
        self.reference, self.mask = reference, causal(model.longest)
        self.whole = loss(model, test)
        super().__init__(model, test, patterns, lock=lock, text=text, **state)

    def __repr__(self):
        return f"TextHeadsExplorer({quote(self.text)}, {len(self.heads)} heads, {len(self.off)} off)"

    def chart(self):
        return Measured(figure(curve([0.0], [1], "all heads on", "key", line_width=2),
                               curve([0.0], [1], "now", "context", line_width=2.5),
                               y="surprise (nats)", height=220))

    def read(self, typed):
        if not 3 <= len(typed) <= self.model.longest:
            raise ValueError(f"expected a text of 3 to {self.model.longest} letters, got {len(typed)}")
        return list(typed), self.reference.encode(typed)

    def surprises(self, off, ids) -> tuple[Tensor, Tensor, Tensor]:
        """Weights, scores, and the loss of each letter but the first."""
        weights, scores, logits = self.look(off, ids)
        return weights, scores, cross_entropy(logits[:-1], ids[1:], reduction="none")

    def compute(self, state):
        letters, ids = self.read(state.text)
        weights, scores, losses = self.surprises(state.off, ids)
        with without(self.model, [self.heads[head] for head in state.off]):
            return Seen(letters, weights, scores, losses, loss(self.model, self.test))

    def picture(self, state, result):
        _, ids = self.read(state.text)
        before = self.surprises([], ids)[2] if state.off else result.measured
        x = list(range(1, len(ids)))
        top = max(8.0, float(result.measured.max()) * 1.05)
        names = [{" ": "␣", "\n": "↵"}.get(letter, letter) for letter in result.tokens[1:]]
        return {
            "matrix": self.panels(state, result),
            "chart": {"traces": {"0": {"x": x, "y": before}, "1": {"x": x, "y": result.measured}},
                      "figure_layout": {"xaxis": {"tickvals": x, "ticktext": names, "tickangle": 0,
                                                  "range": [0.5, len(x) + 4]},
                                        "yaxis": {"range": [0, top]}}},
        }

    def sentence(self, state, result):
        losses, letters = result.measured, result.tokens
        most = int(losses.argmax()) + 1
        change = result.whole - self.whole
        held_out = ["On held-out text the loss is ", context(number(result.whole)), " nats a letter"]
        held_out.append(f", {number(abs(change))} {'more' if change >= 0 else 'less'} than with all heads. "
                        if state.off else ". ")
        return say(*self.told(state.off), *held_out, "Here the model is surprised most by ",
                   query(quote(letters[most])), " after ", quote("".join(letters[max(0, most - 8):most])), ".")

    def code(self, state):
        return "\n".join([
            *self.code_for(state, f"text.encode({state.text!r})[None]"),
            "measured = torch.nn.functional.cross_entropy(logits[0, :-1], ids[0, 1:], reduction=\"none\")",
        ])


@torch.no_grad()
def loss(model, test) -> float:
    """The mean loss on inputs and targets, in nats a token."""
    return cross_entropy(model(test[0]).flatten(0, 1), test[1].flatten()).item()
