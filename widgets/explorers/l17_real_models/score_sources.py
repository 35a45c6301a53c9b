"""Why does it look there? The score of one weight, split by what made it; a part is cut out, and the weight falls."""

from typing import NamedTuple

import torch
from torch import Tensor

from attnlab import MultiHeadAttention, override
from attnlab.analysis import ScoreSources, over_mean_key, score_sources, weights_without
from widgets.base.controls import choice, selected_cell, switch, text
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, percent, query, quote, say, value, visible
from widgets.instruments.matrix.matrix import Matrix

SHOWN = 5  # letters whose chances are seen


class Split(NamedTuple):
    """split: of the layer's scores. weights: without what is cut. head, query, key: of the weight that is asked about.
    cut: the chosen sources of query and key, [sources, sources]. parts: of this one score, over the mean key's.
    chances: of the letters after the query, [whole or without what is cut, letters]."""

    split: ScoreSources
    weights: Tensor
    head: int
    query: int
    key: int
    cut: Tensor
    parts: Tensor
    chances: Tensor


class ScoreSourcesExplorer(Explorer):
    """Weights over a typed text; beside them one weight's score in parts, sources of the query by sources of the key.

    model: layers of attention alone over `letters`, such as `attnlab.trained.induction()`.
    """

    text = text("mozart plays mozart pl", width=32, help="small letters and blanks")
    layer = choice(["1", "2"], "2", help="whose scores are split; a part may come from any layer before it")
    cut = switch(False, label="cut the chosen part", help="what is selected on the right is left out of all scores")
    cell = selected_cell([], view="weights", help="head, query and key; nothing: the last query's largest weight")
    part = selected_cell([0, 0, 2], view="parts", help="the sources of query and key; -1 for all of them")

    shows = {"weights": ("weights", "values"), "parts": ("parts", "values")}
    row = ("weights", "parts")

    def __init__(self, model, letters: str, lock=None, **state) -> None:
        self.model, self.letters = model, letters
        self.layers = [name for name, module in model.named_modules() if isinstance(module, MultiHeadAttention)]
        super().__init__(lock=lock, **state)

    def views(self) -> dict:
        return {
            "weights": Matrix(
                torch.zeros(2, 2),
                query_title="asks",
                key_title="is asked",
                layout={"flex": "1 1 560px", "min_width": "0"},
            ),
            "parts": Matrix(
                torch.zeros(2, 2),
                scale="scores",
                measure="part",
                query_title="query",
                key_title="key",
                layout={"flex": "1 1 360px", "min_width": "0"},
            ),
        }

    def ids(self, text: str) -> Tensor:
        """[1, letters]. Raises ValueError for other letters, and for a text that is too short or too long."""
        read = text.lower()
        if strange := [letter for letter in read if letter not in self.letters]:
            raise ValueError(f"expected letters from a to z and blanks, as in training, got {quote(strange[0])}")
        if not 2 <= len(read) <= self.model.longest:
            raise ValueError(f"expected 2 to {self.model.longest} letters, as in training, got {len(read)}")
        return torch.tensor([[self.letters.index(letter) for letter in read]])

    def compute(self, state) -> Split:
        ids, layer = self.ids(state.text), int(state.layer) - 1
        split = score_sources(self.model, ids, layer)
        head, asks, asked = chosen(split, state.cell)
        cut = torch.zeros(len(split.names), len(split.names), dtype=torch.bool)
        if part := sides(state.part, split):
            cut[part] = True
        weights = weights_without(split, cut) if state.cut else split.weights
        with torch.no_grad():
            whole = self.model(ids)[0, asks].softmax(-1)
            with override(self.model, {self.layers[layer]: weights[None]}):
                left = self.model(ids)[0, asks].softmax(-1)
        parts = over_mean_key(split)[head, :, :, asks, asked]
        return Split(split, weights, head, asks, asked, cut, parts, torch.stack([whole, left]))

    def picture(self, state, result) -> dict:
        letters, split = [visible(letter) for letter in state.text.lower()], result.split
        whole, left = result.chances
        seen = sorted(whole.topk(SHOWN).indices.tolist())
        return {
            "weights": {
                "values": result.weights,
                "scores": split.scores,
                "mask": split.allowed,
                "query_labels": letters,
                "key_labels": letters,
                "panel_names": [f"head {state.layer}.{head}" for head in range(1, 1 + len(split.weights))],
                "current": result.query,
            },
            "parts": {
                "values": result.parts,
                "mask": ~(result.cut & state.cut),
                "query_labels": split.names,
                "key_labels": split.names,
                "distribution_title": say("next after ", query(quote(letters[result.query]))),
                "distribution_labels": [visible(self.letters[id]) for id in seen],
                "distribution": left[seen],
                "distribution_chosen": seen.index(int(whole.argmax())),
            },
        }

    def sentence(self, state, result) -> list:
        letters, split = state.text.lower(), result.split
        asks = query(f"{quote(letters[result.query])} (letter {result.query + 1})")
        asked = key(f"{quote(letters[result.key])} (letter {result.key + 1})")
        own = percent(float(split.weights[result.head, result.query, result.key]))
        if state.cut and result.cut.any():
            answer = int(result.chances[0].argmax())
            before, now = (percent(float(chances[answer])) for chances in result.chances)
            left = percent(float(result.weights[result.head, result.query, result.key]))
            return say(
                "Without ",
                *self._named(state.part, split.names),
                ", ",
                asks,
                f" puts {left} of its weight on ",
                asked,
                f"{instead_of(left, own)}; and the model expects ",
                context(quote(self.letters[answer])),
                f" next with {now}{instead_of(now, before)}.",
            )
        if result.query == 0:
            return say(asks, " is the first: it can look at itself alone, whatever the score.")
        total = float(result.parts.sum())
        strongest = int((result.parts if total > 0 else -result.parts).argmax())
        asking, part = divmod(strongest, len(split.names))
        return say(
            asks,
            f" puts {own} of its weight on ",
            asked,
            f". That key's score is {number(abs(total), 1)} {'above' if total > 0 else 'below'} the mean of the keys "
            f"that it may look at; the largest part, {number(float(result.parts[asking, part]), 1)}, is made by ",
            *self._named([0, asking, part], split.names),
            ".",
            *self._brought(split.names[part], result.key, letters, state),
        )

    def _named(self, part, names) -> list:
        """Which part, as a phrase."""
        _, asks, asked = part
        sides = [("the query's", query, asks), ("the key's", key, asked)]
        told = [role(f"{side} {names[at]}") for side, role, at in sides if at >= 0]
        return [*told[:1], *(item for one in told[1:] for item in (" with ", one))]

    def _brought(self, name: str, at: int, letters: str, state) -> list:
        """Where an earlier head has looked from a key."""
        if not name.startswith("head "):
            return []
        layer, head = (int(i) - 1 for i in name.removeprefix("head ").split("."))
        row = score_sources(self.model, self.ids(state.text), layer).weights[head, at]
        read = int(row.argmax())
        return [
            f" There {name} reads ",
            value(f"{quote(letters[read])} (letter {read + 1})"),
            f" with {percent(float(row[read]))} of its weight.",
        ]

    def code(self, state) -> str:
        layer, ids = int(state.layer) - 1, self.ids(state.text)
        split = score_sources(self.model, ids, layer)
        head, asks, asked = chosen(split, state.cell)
        part = ", ".join(":" if isinstance(at, slice) else str(at) for at in sides(state.part, split))
        return "\n".join([
            "import torch",
            "from attnlab import override",
            "from attnlab.analysis import over_mean_key, score_sources, weights_without",
            "",
            f"ids = torch.tensor([[letters.index(letter) for letter in {state.text.lower()!r}]])",
            f"split = score_sources(model, ids, layer={layer})",
            f"parts = over_mean_key(split)[{head}, :, :, {asks}, {asked}]",
            f"cut = torch.zeros({len(split.names)}, {len(split.names)}, dtype=torch.bool)",
            f"cut[{part}] = True" if part and state.cut else "# nothing is cut",
            "weights = weights_without(split, cut)",
            f'with override(model, {{"{self.layers[layer]}": weights[None]}}):',
            f"    chances = model(ids)[0, {asks}].softmax(-1)",
        ])


def chosen(split: ScoreSources, cell: list) -> tuple[int, int, int]:
    """Head, query and key that are asked about: of a query alone its largest weight, of nothing the last query's."""
    heads, tokens, _ = split.weights.shape
    head, asks, asked = cell or (0, -1, -1)
    head, asks = (head if head < heads else 0), (asks if 0 <= asks < tokens else tokens - 1)
    if not 0 <= asked < tokens or not split.allowed[asks, asked]:
        asked = int(split.weights[head, asks].argmax())
    return head, asks, asked


def sides(part: list, split: ScoreSources) -> tuple:
    """The chosen sources of query and key as an index, () for none."""
    if not part or max(part) >= len(split.names):
        return ()
    return tuple(slice(None) if at < 0 else at for at in part[1:])


def instead_of(now: str, before: str) -> str:
    return ", as before" if now == before else f", not {before}"
