"""Any model on any text: all heads at a glance, one from near, heads off, weights by hand, and what the model says."""

from collections import Counter
from typing import Any, NamedTuple

import torch
from torch import Tensor
from traitlets import observe

from attnlab import look_inside, override
from attnlab.inside import Inside, given_heads
from widgets.base.controls import held, selected_cell, text
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, query, quote, say, token_label
from widgets.explorers.any_model.machine import ModelMachineExplorer
from widgets.instruments.head_map.head_map import HeadMap, thumbnails
from widgets.instruments.matrix.matrix import Matrix

SHOWN = 8  # answers with a bar
MOST = 2000  # letters of a text: weights grow with the square of its tokens, in every head
KEPT = 3  # runs that are remembered: the model as it is, as it is now, and without the rows of the shown head


class Run(NamedTuple):
    """One run of the model. seen: what was found inside. small: its heads for the map."""

    seen: Inside
    small: dict[str, Any]


class Heads(NamedTuple):
    """whole: the model as it is. now: with what was switched off and changed. weights: [queries, keys], of the chosen
    head, without its rows that were changed by hand."""

    whole: Run
    now: Run
    weights: Tensor


class HeadsExplorer(Explorer):
    """Every head of a model on a text of yours; switch heads off, drag weights, and see what the model says then.

        HeadsExplorer(model, tokenizer, "The cat sat on the mat.")

    model, tokenizer, text: as for `attnlab.look_inside`. written: what an encoder-decoder has written so far.
    `machine()`: the whole model, with the stream that its heads add to.
    `weights`: [queries, keys] of the chosen head, as they are used. `chances`: of what the model says at the selected
    row, [vocabulary], None for a model without an output map.
    """

    text = text("", label="text", width=60, help="what the model reads")
    chosen = held([0, 0], "[layer, head] that is shown, from 0", ("map", "chosen"))
    off = held([], "[layer, head], from 0, of each head that is switched off", ("map", "off"))
    cell = selected_cell([])
    edits = held({}, "{query: weights} of the shown head, changed by hand", ("matrix", "edits"))
    kept = held({}, "{layer:head: {query: weights}} of the other heads that were changed by hand")

    shows = {"weights": lambda parts: parts["matrix"].shown}
    unstable = True

    def __init__(self, model, tokenizer, text="", written="", lock=None, **state) -> None:
        self.model, self.tokenizer, self.written = model, tokenizer, written
        super().__init__(lock=lock, text=text, **state)

    @property
    def weights(self) -> Tensor:
        """[queries, keys] of the chosen head, as they are used: rows that were changed by hand included."""
        return torch.from_numpy(self.parts["matrix"].shown[0])

    @property
    def chances(self) -> Tensor | None:
        """Of what the model says at the selected row, [vocabulary]."""
        return chances(self.result.now.seen, self._place(self.state, self.result))

    def machine(self) -> ModelMachineExplorer:
        """The same model on the same text as a machine, without the heads that are off here; rows that were changed by
        hand stay here. What does not add up is a plain box; a model without one stream is refused in a sentence."""
        layers = self._run(self.text).seen.layers
        off = [f"{layers[layer].name.removesuffix('#0')}:{head}" for layer, head in self.off]
        return ModelMachineExplorer(self.model, self.tokenizer, self.text, off=off)

    def views(self) -> dict:
        matrix = Matrix(torch.zeros(1, 1), row_bars=True, editing="weights", query_title="token", key_title="looks at")
        return {"map": HeadMap(), "matrix": matrix}

    # ---- what is changed by hand

    @observe("chosen")
    def _turn_to_another_head(self, change) -> None:
        """The rows that were changed stay with their head."""
        old, new = ("{}:{}".format(*head) for head in (change.old, change.new))
        kept = {**self.kept, old: self.edits}
        edits = kept.pop(new, {})
        self.set_state({"edits": edits, "kept": {head: rows for head, rows in kept.items() if rows}})

    @observe("text")
    def _begin_again(self, change) -> None:
        """Weights by hand belong to a text."""
        self.set_state({"edits": {}, "kept": {}, "cell": []})

    @observe("off")
    def _let_go(self, change) -> None:
        """A head that is off has no rows to change."""
        off = {"{}:{}".format(*head) for head in self.off}
        edits = {} if "{}:{}".format(*self.chosen) in off else self.edits
        self.set_state({"edits": edits, "kept": {head: rows for head, rows in self.kept.items() if head not in off}})

    def _rows(self, state, own=True) -> dict:
        """{(layer, head): {query: weights}}, of the chosen head too or not."""
        changed = {**state.kept, "{}:{}".format(*state.chosen): state.edits if own else {}}
        return {
            (int(layer), int(head)): {int(name): weights for name, weights in rows.items()}
            for (layer, _, head), rows in ((name.partition(":"), rows) for name, rows in changed.items())
            if rows
        }

    # ---- the model

    def _run(self, typed: str, off=(), rows=None) -> Run:
        """The model on a text, without some heads and with rows by hand."""
        asked = (typed, repr(sorted(off)), repr(rows or {}))
        if asked not in self._known:
            given = given_heads(self._run(typed).seen.layers, map(tuple, off), rows) if off or rows else {}
            if len(typed) > MOST:
                raise ValueError(f"expected a text of at most {MOST:,} letters, got {len(typed):,}: take a shorter one")
            with override(self.model, given):
                seen = look_inside(self.model, self.tokenizer, typed, self.written)
            small = thumbnails([layer.weights for layer in seen.layers], names_of(seen))
            whole = [name for name in self._known if name == (typed, "[]", "{}")]
            last = [name for name in self._known if name not in whole][2 - KEPT :]
            self._known = {**{name: self._known[name] for name in (*whole, *last)}, asked: Run(seen, small)}
        return self._known[asked]

    def compute(self, state) -> Heads:
        whole = self._run(state.text)
        now = self._run(state.text, state.off, self._rows(state))
        layer, head = state.chosen
        if not (layer < len(whole.seen.layers) and head < len(whole.seen.layers[layer].weights)):
            counts = [len(layer.weights) for layer in whole.seen.layers]
            raise ValueError(f"expected [layer, head] from 0 within layers of {counts} heads, got {state.chosen}")
        own = self._run(state.text, state.off, self._rows(state, own=False)) if state.edits else now
        return Heads(whole, now, own.seen.layers[layer].weights[head])

    # ---- the picture

    def _place(self, state, result) -> int:
        """The row whose answer is shown: the selected one, else the last."""
        seen = result.now.seen
        rows = seen.layers[state.chosen[0]].queries
        answers = 0 if seen.logits is None else len(seen.logits)
        if state.cell and state.cell[1] >= 0 and len(rows) == answers:
            return min(state.cell[1], answers - 1)
        return answers - 1

    def picture(self, state, result) -> dict:
        layer = result.now.seen.layers[state.chosen[0]]
        rows = self._rows(state)
        return {
            "map": {
                **result.now.small,
                "chosen": state.chosen,
                "off": state.off,
                "changed": [list(head) for head in rows],
            },
            "matrix": {
                "values": result.weights,
                "mask": self._mask(state, result),
                "query_labels": layer.queries,
                "key_labels": layer.keys,
                "edits": {str(name): row for name, row in state.edits.items()},
                "selected": self._selected(state, result),
                **self._answers(state, result),
            },
        }

    def _mask(self, state, result) -> Tensor | None:
        """Hatched: what comes after, where no token looks ahead, and a head that is off."""
        weights, seen = result.weights, result.now.seen
        if list(state.chosen) in [list(head) for head in state.off]:
            return torch.zeros_like(weights)
        square = seen.layers[state.chosen[0]].queries is seen.layers[state.chosen[0]].keys
        after = not seen.ahead and square and not bool(weights.triu(1).any())
        return torch.ones_like(weights).tril() if after else None

    def _selected(self, state, result) -> list[int]:
        """The selected cell, or the last row."""
        rows, columns = result.weights.shape
        if len(state.cell) == 3 and state.cell[1] < rows and state.cell[2] < columns:
            return list(state.cell)
        return [0, rows - 1, -1]

    def _answers(self, state, result) -> dict:
        """The likeliest answers as bars: those of the model as it is, with its chances as it is now."""
        place = self._place(state, result)
        now, before = chances(result.now.seen, place), chances(result.whole.seen, place)
        if now is None or before is None:
            return {"distribution_labels": [], "distribution": None, "distribution_title": []}
        shown = before.argsort(descending=True, stable=True)[:SHOWN].tolist()
        if (first := int(now.argmax())) not in shown:
            shown[-1] = first
        return {
            "distribution_title": self._title(result, place),
            "distribution_labels": [result.now.seen.label(id) for id in shown],
            "distribution": now[shown][None],
            "distribution_chosen": shown.index(first),
        }

    def _title(self, result, place: int) -> list:
        seen = result.now.seen
        tokens = seen.written or seen.tokens
        if seen.classes:
            return say("the text is")
        token = tokens[place if len(seen.logits) == len(tokens) else -1]
        return say("in place of " if seen.ahead else "next after ", query(quote(token_label(token))))

    def sentence(self, state, result) -> list:
        layer, head = state.chosen
        seen = result.now.seen
        name = f"{names_of(seen)[layer].replace('to source', 'cross-attention')}, head {head + 1}"
        row = self._selected(state, result)[1]
        row = row if row >= 0 else len(result.weights) - 1
        weights = torch.tensor(state.edits.get(str(row), result.weights[row].tolist()))
        if not bool(weights.any()):
            return say(
                context(name[0].upper() + name[1:]), " is off: it finds nothing.", *self._say_answer(state, result)
            )
        most = int(weights.argmax())
        return say(
            "In ",
            context(name),
            ", ",
            query(quote(token_label(seen.layers[layer].queries[row]))),
            " looks most at ",
            key(quote(token_label(seen.layers[layer].keys[most]))),
            f", with {percent(float(weights[most]))} of its weight.",
            *self._say_answer(state, result),
        )

    def _say_answer(self, state, result) -> list:
        place = self._place(state, result)
        now, before = chances(result.now.seen, place), chances(result.whole.seen, place)
        if now is None or before is None:
            return []
        label = result.now.seen.label
        first, earlier = int(now.argmax()), int(before.argmax())
        said = [" The model says ", query(quote(token_label(label(first)))), f" with {percent(float(now[first]))}"]
        if result.now is result.whole:
            return [*said, "."]
        was = query(quote(token_label(label(earlier))))
        return [*said, "; with nothing changed it says ", was, f" with {percent(float(before[earlier]))}."]

    def code(self, state) -> str:
        layer, head = state.chosen
        asked = f"model, tokenizer, {state.text!r}" + (f", {self.written!r}" if self.written else "")
        off, rows = [tuple(one) for one in state.off], self._rows(state)
        lines = [f"seen = look_inside({asked})"]
        imports = ["from attnlab import look_inside", ""]
        if off or rows:
            imports = ["from attnlab import look_inside, override", "from attnlab.inside import given_heads", ""]
            changes = ", ".join([f"off={off}"] * bool(off) + [f"rows={rows}"] * bool(rows))
            lines += [f"given = given_heads(seen.layers, {changes})", "with override(model, given):"]
            lines += [f"    seen = look_inside({asked})"]
        return "\n".join([*imports, *lines, f"weights = seen.layers[{layer}].weights[{head}]"])


def chances(seen: Inside, place: int) -> Tensor | None:
    """Of what the model says at one place, [vocabulary]; None for a model that says nothing."""
    return None if seen.logits is None else seen.logits[place].softmax(-1)


def names_of(seen: Inside) -> list[str]:
    """The layers as they are called in the picture, each kind counted for itself."""
    names, counts = [], Counter[str]()
    for layer in seen.layers:
        kind = "layer"
        if seen.written:
            kind = "encoder" if layer.queries is seen.tokens else "decoder"
            kind = "to source" if kind == "decoder" and layer.keys is seen.tokens else kind
        counts[kind] += 1
        names.append(f"{kind} {counts[kind]}")
    return names
