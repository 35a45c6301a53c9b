"""A model translates a text, step by step: what it writes, what it reads, and what it writes with other weights."""

from typing import NamedTuple

import torch
from traitlets import observe

from attnlab.decoding import greedy
from attnlab.tasks import BOS, EOS
from widgets.base.controls import held, stepper, text
from widgets.base.explorer import Explorer
from widgets.base.words import key, percent, query, quote, say
from widgets.instruments.matrix.matrix import Matrix


class Translation(NamedTuple):
    """source, written: tokens. weights, scores: [queries, keys]. probabilities: [queries, vocabulary]."""

    source: list[str]
    written: list[str]
    weights: torch.Tensor
    scores: torch.Tensor
    probabilities: torch.Tensor

    def row(self, step: int) -> int:
        """The row of a step, counted from 1; of the last one where the step lies beyond."""
        return min(step, len(self.written)) - 1

    def top(self, row: int) -> int:
        """The key that a row reads most."""
        return int(self.weights[row].argmax())


class TranslationExplorer(Explorer):
    """Type a text, step through its translation, drag a weight of the selected row, and decode again from there.

    model: a trained `AttentionSeq2Seq`. task: the task it was trained on; reads what is typed, names the tokens.
    `given` holds the rows that were set by hand, `{row: [weights]}`; `weights` is what the picture shows.
    """

    text = text("", label="translate", width=26, help="what the model reads")
    step = stepper(1, 1, None, label="word", help="the step of writing that is shown")
    edits = held({}, help="rows that a hand is changing: {row: [weights]}", follows=("matrix", "edits"))
    given = held({}, help="rows that a hand has set, and the model went on from there")

    shows = {"weights": ("matrix", "values")}
    unstable = True

    def __init__(self, model, task, text, lock=None, **state) -> None:
        self.model, self.task = model, task
        super().__init__(lock=lock, text=text, **state)

    @property
    def weights(self) -> torch.Tensor:
        """The weights of the picture, [queries, keys]."""
        return self.result.weights

    def views(self) -> dict:
        matrix = Matrix(editing="weights", row_bars=True, action="decode again from here")
        matrix.on_action(self._decode_again)
        return {"matrix": matrix}

    @observe("text")
    def _forget_edits(self, change) -> None:
        self.set_state({"edits": {}, "given": {}})

    def _decode_again(self, *_) -> None:
        edits = {int(row): weights for row, weights in self.edits.items()}
        if edits:
            self.change(given={**self.given, **edits}, edits={}, step=min(edits) + 1)

    def compute(self, state) -> Translation:
        source = self.task.read(state.text)
        given = {row: torch.tensor(weights) for row, weights in state.given.items()}
        steps = [step for step in greedy(self.model, source, BOS, EOS, weights=given) if step.token != EOS]
        if not steps:
            raise ValueError("the model ends before it has written anything: train it first")
        return Translation(
            self.task.tokens(state.text),
            [self.task.target_vocabulary[step.token] for step in steps],
            *(
                torch.stack(rows).cpu()
                for rows in zip(*((s.weights, s.scores, s.probabilities) for s in steps), strict=True)
            ),
        )

    def picture(self, state, result) -> dict:
        row = result.row(state.step)
        labels, ids = self.choices(result)
        token, so_far = result.written[row], self.task.joint.join(result.written[:row]) or "(start)"
        return {
            "controls": {"step": {"max": len(result.written)}},
            "matrix": {
                "values": result.weights,
                "scores": result.scores,
                "query_labels": result.written,
                "key_labels": result.source,
                "current": row,
                "produced": row,
                "query_groups": self.groups(result),
                "distribution_title": say("next after ", query(so_far)),
                "distribution_labels": labels,
                "distribution": result.probabilities[row, ids][None],
                "distribution_chosen": labels.index(token) if token in labels else -1,
            },
        }

    def choices(self, result) -> tuple[list[str], list[int]]:
        """The tokens whose probabilities stand beside the matrix, in an order that no step changes."""
        labels = list(dict.fromkeys(result.written))[:12]
        return labels, [self.task.target_vocabulary.index(label) for label in labels]

    def groups(self, result) -> list[list]:
        """[start, stop, name] of rows that belong together."""
        return []

    def sentence(self, state, result) -> list:
        row = result.row(state.step)
        order = [i for i in result.weights[row].argsort(descending=True)[:2].tolist() if result.weights[row, i] > 0]
        first, *second = [(result.source[i], percent(float(result.weights[row, i]))) for i in order]
        also = ["; then ", key(quote(second[0][0])), f" with {second[0][1]}"] if second else []
        by_hand = " (a row set by hand)" if row in state.given else ""
        return say(
            "The model writes ",
            query(quote(result.written[row])),
            by_hand,
            ": it reads ",
            key(quote(first[0])),
            f" with {first[1]} of the weight",
            *also,
            ".",
        )

    def code(self, state) -> str:
        lines = [
            "import torch",
            "from attnlab import greedy",
            "from attnlab.tasks import BOS, EOS",
            "",
            f"source = task.read({state.text!r})",
        ]
        extra = ""
        if state.given:
            rows = ", ".join(
                f"{row}: torch.tensor({[round(w, 6) for w in weights]})" for row, weights in state.given.items()
            )
            lines.append(f"given = {{{rows}}}  # rows set by hand, counted from 0")
            extra = ", weights=given"
        lines += [
            f"steps = [step for step in greedy(model, source, BOS, EOS{extra}) if step.token != EOS]",
            "weights = torch.stack([step.weights for step in steps])  # queries x keys",
        ]
        return "\n".join(lines)
